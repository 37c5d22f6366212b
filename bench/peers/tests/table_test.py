import unittest

import kernels
import measuring
import table


def row(peer, side="device", state="measured", why="", **nanoseconds):
    figures = {what: measuring.figure(samples).to_json() for what, samples in nanoseconds.items()}
    return {"peer": peer, "side": side, "version": "1.2", "state": state, "why": why, "figures": figures}


def result(*rows, commit="0123456789"):
    machine = {"device": "a GPU", "processor": "2 cores", "python": "3.12.0", "date": "2026-11-22", "commit": commit}
    return {"machine": machine, "settings": {"rounds": 9, "starts": 3}, "rows": list(rows)}


class Table(unittest.TestCase):
    def test_has_a_cell_for_each_figure_in_its_unit(self):
        measured = row("A", call=[2000.0], call_ratio=[1.0], wait=[7500.0], work=[50_000.0], **{"import": [2.5e9]},
                       cold=[8e6, 9e6, 1e7], warm=[4e5])  # fmt: skip
        line = "| A (1.2) | 2.00 | 1.00 | 7.50 | 50.0 | 4027 | 2500 | 9.00 (8.00 to 10.0) | 0.400 |"
        self.assertIn(line, table.markdown([result(measured)]).splitlines())

    def test_rows_have_as_many_cells_as_the_head(self):
        rows = (row("A", call=[1.0]), row("B", state="failed", why="a | b\nc"))
        lines = [line for line in table.markdown([result(*rows)]).splitlines() if line.startswith("|")]
        self.assertEqual(len(lines), 4)
        self.assertEqual({line.replace("\\|", "").count("|") for line in lines}, {len(table.COLUMNS) + 2})

    def test_says_why_there_is_nothing(self):
        for state in ("missing", "failed", "wrong"):
            text = table.markdown([result(row("B", state=state, why="because"))])
            self.assertIn(f"| B (1.2) | {state}: because |", text)

    def test_has_one_for_each_side_and_machine(self):
        results = [result(row("A")), result(row("B", side="host"), commit="")]
        titles = [line for line in table.markdown(results).splitlines() if line.startswith("##")]
        self.assertEqual(titles, ["## On a GPU", "## On the processor"])
        self.assertIn(
            "a GPU; 2 cores; Python 3.12.0; 2026-11-22; commit 0123456; rounds: 9, starts: 3.", table.markdown(results)
        )

    def test_defines_each_column(self):
        for column in ("call", "x first", "call and wait", "work", "GB/s", "import", "cold", "warm"):
            self.assertIn(f"*{column}*", table.FOOT)
        self.assertIn(str(kernels.LARGE), table.FOOT)


class Digits(unittest.TestCase):
    def test_are_three_that_count(self):
        shown = [table.digits(value) for value in (0.0123, 0.5, 1.234, 12.34, 123.4, 98765.4)]
        self.assertEqual(shown, ["0.012", "0.500", "1.23", "12.3", "123", "98765"])


if __name__ == "__main__":
    unittest.main()
