"""What people see of a run while it runs."""

import contextlib
import importlib.util
import io
import unittest

from kmux.fleet import _view
from kmux.fleet._run import Unit


class Printable(unittest.TestCase):
    def test_escapes_what_a_terminal_obeys(self):
        self.assertEqual(_view.printable("\x1b]0;owned\a"), r"\x1b]0;owned\x07")
        self.assertEqual(_view.printable("\x9b31m \u202e \r"), r"\xc2\x9b31m \xe2\x80\xae \x0d")

    def test_leaves_text_as_it_is(self):
        text = "two\nlines\r\na\ttab, 5 \u00b5s"
        self.assertEqual(_view.printable(text), text)


@unittest.skipUnless(importlib.util.find_spec("tqdm"), "needs tqdm (pip install kmux[progress])")
class Views(unittest.TestCase):
    """How far a run is."""

    def test_a_bar_a_phase_after_a_table_of_classes(self):
        unit = Unit("k", "d" * 64, "scale", "cuda:sm_90a:H200:13", {}, [{"node": "n", "host": "h", "code": "hung", "why": "w"}])
        failed = {"state": "failed", "name": "scale", "place": unit.place, "problem": "no answer within 1 s\nmore"}
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()) as output:
            view = _view.Bar()
            view.begin("compile", 2, 0, {"cpu:znver3:EPYC": 1, "cuda:sm_90a:H200:13": 8})
            view.retry(unit)
            view.unit({"state": "done"})
            view.unit(failed)
            view.end()
            view.begin_fetch(1)
            view.fetched(1)
            view.end()
        text = errors.getvalue()
        self.assertRegex(text, r"(?m)^class +devices$")
        self.assertRegex(text, r"(?m)^cpu:znver3:EPYC +1$")
        self.assertRegex(text, r"(?m)^cuda:sm_90a:H200:13 +8$")
        self.assertRegex(text, r"failed: scale for cuda:sm_90a:H200:13: no answer within 1 s\n")
        self.assertRegex(text, r"compile: 100%.* 2/2 .*failed=1.*again=1")
        self.assertRegex(text, r"fetch: 100%.* 1/1 ")
        self.assertEqual(output.getvalue(), "", "it belongs to whoever called")


if __name__ == "__main__":
    unittest.main()
