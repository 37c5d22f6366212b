"""Keeps CuTe DSL imported: each line on stdin is a folder in which a copy of this process runs kmux_compile.py; the answer is
a line with its exit code. A copy for each, so that no program sees what another one left behind.
"""

import os
import runpy
import sys


def main():
    import cutlass.cute  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(compile_in(line.rstrip("\n")))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(code if code >= 0 else 128 - code, flush=True)
    return 0


def compile_in(folder):
    os.chdir(folder)
    log = os.open("python.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ["TMPDIR"] = folder
    try:
        runpy.run_path("kmux_compile.py", run_name="__main__")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
