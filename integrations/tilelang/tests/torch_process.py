"""Processes that have imported torch already, which takes most of a second of what a short script costs: forks of one that did it once."""

import atexit
import json
import select
import subprocess
import sys
import tempfile
from pathlib import Path

_FOREVER_S = 120

# A fork leaves the loop, so its script ends as one of `python -c` does: with a traceback, and what runs at an exit.
_SERVER = """
import json, os, sys
import torch
for asked in sys.stdin:
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
asked = json.loads(asked)
for number, file in enumerate([os.devnull, asked["output"], asked["errors"]]):
    os.dup2(os.open(file, os.O_RDWR | os.O_CREAT), number)
os.environ.clear()
os.environ.update(asked["environment"])
os.chdir(asked["folder"] or ".")
sys.path[1:1] = asked["environment"]["PYTHONPATH"].split(os.pathsep)
exec(compile(asked["script"], "<string>", "exec"))
"""


class TorchProcesses:
    """Runs scripts in forks of a process with torch, one after the other."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-B", "-c", _SERVER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        atexit.register(self._server.kill)

    def run(self, script: str, environment: dict[str, str], folder: str | None = None) -> subprocess.CompletedProcess:
        """What became of `python -c SCRIPT`; the variable PYTHONPATH is honoured.

        Raises:
            TimeoutError: it did not end within two minutes.
        """
        with tempfile.TemporaryDirectory() as written:
            output, errors = Path(written, "output"), Path(written, "errors")
            asked = {"script": script, "environment": environment, "folder": folder, "output": str(output), "errors": str(errors)}
            self._server.stdin.write(json.dumps(asked) + "\n")
            self._server.stdin.flush()
            if not select.select([self._server.stdout], [], [], _FOREVER_S)[0]:
                raise TimeoutError(f"a script did not end within {_FOREVER_S} s")
            code = int(self._server.stdout.readline())
            return subprocess.CompletedProcess(script, code, output.read_text(), errors.read_text())
