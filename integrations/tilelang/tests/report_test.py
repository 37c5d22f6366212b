"""kmux_tilelang.backend.report, without what its package imports."""

import importlib.util
import json
import unittest
from pathlib import Path

import kmux_tilelang


def _module():
    path = Path(kmux_tilelang.__file__).parent / "backend/report.py"
    spec = importlib.util.spec_from_file_location("report", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Fallbacks(unittest.TestCase):
    def test_of_kernels_that_share_a_name_are_counted_and_said_once_a_reason(self):
        module = _module()
        with self.assertLogs("kmux_tilelang", "WARNING") as log:
            for reason in ("no tensor map", "no window", "no tensor map"):
                module.count_fallback("main", reason)
            module.count_fallback("add", "no window")
        said = [f"kernel 'main' runs without kmux: {why}" for why in ("no tensor map", "no window")]
        self.assertEqual([record.getMessage() for record in log.records], [*said, "kernel 'add' runs without kmux: no window"])
        counts = {"main": {"no tensor map": 2, "no window": 1}, "add": {"no window": 1}}
        self.assertEqual(json.loads(json.dumps(module.report().fallbacks)), counts)
        self.assertEqual(
            str(module.report()).splitlines()[1:],
            [
                "TileLang compiled 'add': no window",
                "TileLang compiled 'main' 2 times: no tensor map",
                "TileLang compiled 'main': no window",
            ],
        )
        module.report().add(json.loads(json.dumps(module.report().as_json())))
        self.assertEqual(module.report().fallbacks, {"main": {"no tensor map": 4, "no window": 2}, "add": {"no window": 2}})
        module.forget()
        self.assertEqual(module.report().fallbacks, {})


if __name__ == "__main__":
    unittest.main()
