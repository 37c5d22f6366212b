"""The command of a node in a process of its own: what its system has, and what it may lack."""

import ctypes
import importlib.util
import os
import pathlib
import signal
import tempfile
import unittest
from unittest import mock

from kmux.fleet import _command

LONG_S = 60


class Libc:
    """That of a system without prctl, as macOS is."""


def command_of(libc):
    """The module, made anew over that C library."""
    spec = importlib.util.find_spec("kmux.fleet._command")
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(ctypes, "CDLL", return_value=libc):
        spec.loader.exec_module(module)
    return module


class Call(unittest.TestCase):
    def test_answers_with_its_document(self):
        answer = _command.call(["plugins"], LONG_S)
        self.assertEqual((answer.problem, answer.code), ("", ""))
        self.assertTrue(answer.document)

    def test_needs_nothing_that_linux_alone_has(self):
        answer = command_of(Libc()).call(["plugins"], LONG_S)
        self.assertEqual((answer.problem, answer.code), ("", ""))
        self.assertTrue(answer.document)

    def test_compiles_in_a_process_of_its_own_unless_the_node_says_otherwise(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ):
            os.environ.pop("KMUX_ISOLATION", None)
            program = pathlib.Path(folder, "kmux")
            program.write_text('#!/bin/sh\necho "{\\"isolation\\": \\"$KMUX_ISOLATION\\"}"\n')
            program.chmod(0o755)
            with mock.patch.object(_command, "path", return_value=program):
                for verb, isolation in (("compile", "process"), ("tune", "process"), ("bench", "process"), ("devices", "")):
                    self.assertEqual(_command.call([verb], LONG_S).document, {"isolation": isolation}, verb)
                os.environ["KMUX_ISOLATION"] = "none"
                self.assertEqual(_command.call(["compile"], LONG_S).document, {"isolation": "none"})

    def test_ends_with_who_waits_for_it_where_the_system_can(self):
        asked = []
        libc = Libc()
        libc.prctl = lambda *words: asked.append(words)
        command_of(libc)._end_with_parent()
        self.assertEqual(asked, [(1, signal.SIGKILL)])


if __name__ == "__main__":
    unittest.main()
