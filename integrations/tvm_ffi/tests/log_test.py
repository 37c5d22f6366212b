"""The runtime's log in Python (C2.7)."""

import os
import subprocess
import sys
import textwrap
import unittest

import kmux
import programs

PRELUDE = "import kmux, logging, programs\n"


def run(script, **environment):
    words = [sys.executable, "-B", "-c", PRELUDE + textwrap.dedent(script)]
    environment = {**os.environ, **environment}
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=True)


class Log(unittest.TestCase):
    def test_goes_to_logging(self):
        with self.assertLogs("kmux", "INFO") as caught:
            kmux.compile(programs.scale("x[i] + 11"), target="cpu")
        self.assertRegex(caught.output[0], "INFO:kmux:Execution backend resolved -> 'cpu'")

    def test_is_silent_by_default(self):
        done = run("kmux.compile(programs.scale(), target='cpu')")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_is_on_stderr_if_verbose(self):
        line = "kmux: info: Execution backend resolved -> 'cpu'"
        script = "kmux.compile(programs.scale(), target='cpu', verbose=True)"
        self.assertEqual(run(script).stderr.count(line), 1)
        script = "kmux.compile(programs.scale(), target='cpu')"
        self.assertEqual(run(script, KMUX_VERBOSE="1").stderr.count(line), 1)
        script = "kmux.compile(programs.scale(), target='cpu', verbose=False)"
        self.assertEqual(run(script, KMUX_VERBOSE="1").stderr, "")

    def test_goes_where_the_application_says_though_verbose(self):
        done = run("""
            logging.basicConfig(format="mine: %(message)s")
            kmux.compile(programs.scale(), target="cpu", verbose=True)
            """)
        self.assertIn("mine: Execution backend resolved", done.stderr)
        self.assertNotIn("kmux: info", done.stderr)

    def test_a_handler_that_raises_ends_nothing(self):
        done = run("""
            class Handler(logging.Handler):
                def emit(self, record):
                    raise KeyError("no")
            logging.getLogger("kmux").addHandler(Handler())
            print(kmux.compile(programs.scale(), target="cpu", verbose=True).name)
            """)
        self.assertEqual(done.stdout, "scale\n")


if __name__ == "__main__":
    unittest.main()
