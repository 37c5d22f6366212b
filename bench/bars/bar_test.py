#!/usr/bin/env python3
"""Bars that Python measures: what they print and return."""
import contextlib
import io
import unittest

import bar


def measured(limit, measure, names=()):
    """The exit code, stdout and stderr of a bar."""
    bar._registered.clear()
    bar.BAR("one", "ms", limit, measure)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = bar.main(names)
    return code, out.getvalue(), err.getvalue()


def skip():
    raise bar.Skipped("no machine")


class PythonBars(unittest.TestCase):
    def test_print_what_those_of_the_program_print(self):
        self.assertEqual(measured(bar.at_most(2), lambda: 1.5)[:2], (0, "bar one 1.500 ms <= 2 held\n"))
        self.assertEqual(measured(bar.at_least(2), lambda: 1.5)[:2], (1, "bar one 1.500 ms >= 2 missed\n"))
        self.assertEqual(measured(bar.no_limit(), lambda: 3)[:2], (0, "bar one 3 ms\n"))

    def test_name_what_cannot_be_measured(self):
        self.assertEqual(measured(bar.at_most(2), skip), (0, "", "skipped one: no machine\n"))

    def test_fail_where_measuring_fails(self):
        code, _, err = measured(bar.at_most(2), lambda: 1 / 0)
        self.assertEqual(code, 1)
        self.assertIn("ZeroDivisionError", err)

    def test_refuse_other_names(self):
        self.assertEqual(measured(bar.at_most(2), skip, ["two"]), (2, "", 'no bar "two". Bars: one\n'))


if __name__ == "__main__":
    unittest.main()
