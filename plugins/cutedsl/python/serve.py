"""Keeps CuTe DSL imported: each line on descriptor 3 is a folder of which a copy of this process runs kmux_compile.py; the
answer is a line with its exit code. A copy for each, so that no program sees what another one left behind. What is written to
stdout and stderr is nobody's answer.
"""

import os
import runpy
import site
import sys

_SOCKET = 3


def main():
    os.set_inheritable(_SOCKET, False)
    for folder in sys.argv[1:]:  # of packages that an isolated Python does not look for
        site.addsitedir(folder)
    import cutlass.cute  # noqa: F401

    for line in open(_SOCKET, closefd=False):
        child = os.fork()
        if child == 0:
            os.close(_SOCKET)
            os._exit(compile_in(line.rstrip("\n")))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(_SOCKET, b"%d\n" % (code if code >= 0 else 128 - code))
    return 0


def compile_in(own):
    folder = os.path.dirname(own)  # beside it are an empty one to start in, and one for temporary files
    os.chdir(f"{folder}/empty")
    log = os.open(f"{own}/python.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ["TMPDIR"] = os.environ["HOME"] = f"{folder}/scratch"
    try:
        runpy.run_path(f"{own}/kmux_compile.py", run_name="__main__")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
