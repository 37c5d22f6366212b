"""python -m kmux_tilelang: exit codes and messages."""

import contextlib
import io
import unittest
from unittest import mock

from kmux_tilelang import __main__ as command_line
from kmux_tilelang.error import ExportError, UnsupportedError, UsageError
from kmux_tilelang.tensor_spec import TensorSpec


def run(*arguments, fails=None):
    """Exit code, stdout and stderr with an export that fails with `fails`, and what it was called with."""
    out, err = io.StringIO(), io.StringIO()
    export = mock.Mock(return_value="out/k.kmux.json", side_effect=fails)
    with mock.patch.object(command_line, "export", export), contextlib.redirect_stdout(out):
        with contextlib.redirect_stderr(err):
            try:
                code = command_line.main(arguments)
            except SystemExit as stop:
                code = stop.code
    return code, out.getvalue(), err.getvalue(), export


class CommandLine(unittest.TestCase):
    def test_prints_the_path_of_the_program(self):
        code, out, err, export = run(
            "export",
            "m:k",
            "-o",
            "out",
            "--arg",
            "M=64",
            "--arg",
            "kind=f",
            "--arg",
            "s=(1, 2)",
            "--arg",
            "A=float16[8,4]",
            "--out-idx",
            "0",
            "-1",
        )
        self.assertEqual((code, out, err), (0, "out/k.kmux.json\n", ""))
        export.assert_called_once_with(
            "m:k",
            "out",
            targets=["c"],
            name=None,
            arguments={"M": 64, "kind": "f", "s": (1, 2), "A": TensorSpec("float16", (8, 4))},
            out_idx=[0, -1],
            embed_headers=False,
        )

    def test_takes_several_targets(self):
        *_, export = run(
            "export", "m:k", "-o", "out", "--target", "c", "--target", "cuda -arch=sm_90a", "--embed-headers"
        )
        self.assertEqual(export.call_args.kwargs["targets"], ["c", "cuda -arch=sm_90a"])
        self.assertTrue(export.call_args.kwargs["embed_headers"])

    def test_tells_failures_apart_by_exit_code(self):
        for error, expected in (
            (ExportError("a"), 1),
            (UsageError("b"), 2),
            (UnsupportedError("c"), 3),
            (OSError("d"), 4),
        ):
            code, out, err, _ = run("export", "m:k", "-o", "out", fails=error)
            self.assertEqual((code, out), (expected, ""))
            self.assertRegex(err, "^kmux_tilelang: ")

    def test_refuses_a_wrong_command_line(self):
        for arguments in (
            (),
            ("import",),
            ("export",),
            ("export", "m:k"),
            ("export", "m:k", "-o", "out", "--arg", "M"),
        ):
            code, out, err, export = run(*arguments)
            self.assertEqual((code, out), (2, ""))
            self.assertIn("error:", err)
            export.assert_not_called()

    def test_documents_its_exit_codes(self):
        code, out, _, _ = run("export", "--help")
        self.assertEqual(code, 0)
        self.assertIn("exit codes:", out)
