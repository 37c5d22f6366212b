"""A tree that has nothing but kmux.sh and its tools, on a machine whose programs are fakes that record how they are called."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE_S = 60

# `waits FILE` and `makes FILE` let two fakes show that they run at the same time.
CMAKE = """case "$*" in
  *--build*) if [ -n "$FAKE_BUILD_WAITS" ]; then : >building; waits fetching; fi
    echo "[1/2] Building x"
    [ -z "$FAKE_BUILD_FAILS" ] || { printf 'FAILED: x.o\\ncc x.cpp\\nx.cpp:1: error: bad\\n'; exit 1; }
    echo "[2/2] Linking x" ;;
  *) echo "-- kmux: a line about the machine"
    [ -z "$FAKE_CONFIGURE_FAILS" ] || { printf 'CMake Error at x\\n  no compiler\\n'; exit 1; } ;;
esac"""
CTEST = """[ -z "$FAKE_BUILD_WAITS" ] || [ -e fetched ] || echo "not fetched yet"
mkdir -p "$2/Testing/Temporary"
printf '1/1 Test: a\\n[ RUN      ] A.B\\nneeds nvcc (not here)\\n[  SKIPPED ] A.B (0 ms)\\n' \
  >"$2/Testing/Temporary/LastTest.log"
echo "100% tests passed"; exit ${FAKE_CTEST_STATUS:-0}"""
PIP = """case "$*" in
  *" show "*) [ -z "$FAKE_PIP_LACKS" ] ;;
  *" download "*) if [ -n "$FAKE_BUILD_WAITS" ]; then : >fetching; waits building; sleep 0.3; : >fetched; fi; exit 1 ;;
esac"""
WAITS = "#!/bin/sh\nfor i in $(seq 200); do [ -e \"$1\" ] && exit 0; sleep 0.05; done\necho \"$1 never came\" >&2; exit 1\n"


class Tree:
    PYPI = ROOT / "tools/kmux/pypi.sh"

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.calls = self.folder / "calls"
        shutil.copy(ROOT / "kmux.sh", self.folder)
        shutil.copytree(ROOT / "tools", self.folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        self.fake("cmake", CMAKE)
        self.fake("ctest", CTEST)
        self.fake("dpkg-query", "echo installed")
        self.fake("waits", "").write_text(WAITS)
        self.fake(".venv/bin/python", PIP)
        self.fake(".cache/tilelang/venv/bin/python", PIP)

    def fake(self, name, script):
        path = self.folder / (name if "/" in name else f"bin/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "{path.name} $*" >>"{self.calls}"\n{script}\n')
        path.chmod(0o755)
        return path

    def run(self, *arguments, **variables):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KMUX_", "CUDA_", "VIRTUAL_ENV"))}
        environment = {**kept, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", **variables}
        command = ["bash", str(self.folder / "kmux.sh"), *arguments]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL
        )

    def called(self, *words):
        """The calls of fakes that have all these words."""
        calls = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [call for call in calls if all(word in call for word in words)]

    def with_real_venv(self):
        shutil.rmtree(self.folder / ".venv")
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", self.folder / ".venv"], check=True)
