"""A real Ray cluster on this machine for the tests: three nodes of a core each, every one with a disk cache of its own, and the
Redis server that they share. It is begun by the first test that wants it and ends with the process."""

import atexit
import contextlib
import functools
import importlib.util
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import programs  # noqa: E402, F401
from kmux.fleet import _classes  # noqa: E402
from kmux.fleet._command import _end_with_parent  # noqa: E402

# Short: Ray's sockets are below it, and their names have at most 107 characters.
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="kf-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
os.environ |= {
    "TMPDIR": str(FOLDER),
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
    "KMUX_CACHE_DIR": str(FOLDER / "driver"),
}
os.environ.pop("KMUX_DISABLE_CACHE", None)
tempfile.tempdir = None
STORE = 80 << 20  # bytes of a node's object store, the least that Ray takes
PULSE = {"health_check_period_ms": 1000}  # a dead node is known after five missed ones; Ray's own period is three seconds
HOST = next(device.class_name.split(":")[1] for device in _classes.devices() if device.kind == "cpu")  # what clang calls it
CLASSES = (f"cpu:{HOST}:made_up", "cpu:x86-64-v3:made_up", "cpu:x86-64-v2:made_up")


def needs_ray(case):
    """Leaves a class of tests out where Ray is missing, or code for the second of the classes cannot run."""
    has_avx2 = " avx2 " in pathlib.Path("/proc/cpuinfo").read_text()
    case = unittest.skipUnless(has_avx2, "needs AVX2 (the classes are tiers of x86-64)")(case)
    return unittest.skipUnless(importlib.util.find_spec("ray"), "needs ray (pip install kmux[ray])")(case)


class Redis:
    """Debian's redis-server on loopback, which keeps nothing on a disk."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self):
        # Package redis-tools has the server under the name of a tool: one program, which its first word tells what to be.
        program = shutil.which("redis-server") or shutil.which("redis-check-rdb")
        if program is None:
            raise unittest.SkipTest("needs redis-server (apt-get install redis-tools)")
        words = ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--dir", str(FOLDER)]
        self._process = subprocess.Popen(
            words, executable=program, stdout=subprocess.DEVNULL, preexec_fn=_end_with_parent
        )
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise RuntimeError("redis-server does not start")

    def stop(self):
        self._process.kill()
        self._process.wait()


class Cluster:
    def __init__(self):
        import ray
        from ray.cluster_utils import Cluster as RayCluster

        self.redis = Redis()
        self._ray, self._count = RayCluster(), 0
        atexit.register(self.close)
        self._begin()
        self.address = self._ray.address
        ray.init(address=self.address, log_to_driver=False, logging_level="ERROR")

    def _begin(self):
        for name in CLASSES[:-1]:
            self.add(name)
        self.odd = self.add(CLASSES[-1], KMUX_TVM_FFI_LIBRARY=odd_kmux())

    def add(self, class_name=None, *, devices=1, **environment):
        """A node more, with a cache of its own, and a core for each of its devices."""
        self._count += 1
        cache = FOLDER / f"cache{self._count}"
        url = f"redis://127.0.0.1:{self.redis.port}/0?unauthenticated=1"
        variables = {"KMUX_CACHE_DIR": str(cache), "KMUX_REMOTE_CACHE": url, **environment}
        resources = {f"kmux:{class_name}": devices} if class_name else {}
        head = {"_system_config": PULSE} if self._count == 1 else {}
        return self._ray.add_node(
            num_cpus=devices,
            object_store_memory=STORE,
            include_dashboard=False,
            resources=resources,
            env_vars=variables,
            **head,
        )

    def kill(self, node):
        """As a machine that loses its power: its workers, too, which would end what they are at and report it."""
        if node not in self._ray.worker_nodes:
            return
        workers = children(node.all_processes["raylet"][0].process.pid)
        for pid in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._ray.remove_node(node, allow_graceful=False)

    @contextlib.contextmanager
    def killing(self, node, mark):
        """Kills a node as soon as the file `mark` is there."""

        def kill():
            while not mark.exists() and not over.is_set():
                time.sleep(0.02)
            self.kill(node)

        over, killer = threading.Event(), threading.Thread(target=kill)
        killer.start()
        try:
            yield
        finally:
            over.set()
            killer.join()

    @contextlib.contextmanager
    def extra(self, class_name=None, *, devices=1, **environment):
        node = self.add(class_name, devices=devices, **environment)
        try:
            yield node
        finally:
            self._remove(node)
            _wait_until_known_dead(node)

    def _remove(self, node):
        """As a machine that is switched off: it takes its leave, so that nothing waits for its missed pulses."""
        if node in self._ray.worker_nodes:
            self._ray.remove_node(node)

    def close(self):
        import ray

        ray.shutdown()
        self._ray.shutdown()
        self.redis.stop()


def _wait_until_known_dead(node):
    """So that the next test does not find its devices."""
    import ray

    for _ in range(600):
        if not any(one["NodeID"] == node.node_id and one["Alive"] for one in ray.nodes()):
            return
        time.sleep(0.1)
    raise RuntimeError("Ray still believes in a node that was killed a minute ago")


def children(parent):
    """The processes that a process has begun."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == parent:
                yield int(stat.parent.name)


@functools.lru_cache(maxsize=None)
def cluster():
    try:
        return Cluster()
    except RuntimeError:  # another program took the port that Ray had found to be free
        return Cluster()


def command(*words):
    """`python -m kmux.fleet WORDS`, in a process of its own."""
    return [sys.executable, "-B", "-m", "kmux.fleet", *map(str, words)]


_MISBEHAVIOUR = FOLDER / "misbehaviour.sh"


def odd_kmux():
    """A build whose command does what `misbehaving` has set before it is `kmux`: the library to name in KMUX_TVM_FFI_LIBRARY."""
    library = pathlib.Path(os.environ["KMUX_TVM_FFI_LIBRARY"])
    tree = FOLDER / "odd"
    if tree.exists():
        return str(tree / "lib" / library.name)
    (tree / "bin").mkdir(parents=True)
    (tree / "lib").symlink_to(library.parent)
    file = tree / "bin" / "kmux"
    file.write_text(
        f'#!/bin/sh\n[ ! -e {_MISBEHAVIOUR} ] || . {_MISBEHAVIOUR}\nexec {library.parent.parent}/bin/kmux "$@"\n'
    )
    file.chmod(0o755)
    return str(tree / "lib" / library.name)


@contextlib.contextmanager
def misbehaving(script):
    """What the command of the last node does first."""
    _MISBEHAVIOUR.write_text(script + "\n")
    try:
        yield
    finally:
        _MISBEHAVIOUR.unlink()


def until(condition):
    """Shell that waits for a condition, but not for ever."""
    return f"for _ in $(seq 400); do {condition} && break; sleep 0.05; done"


def some(salt, count, work=0):
    """`count` programs that no other `salt` has; each 4 ** work statements long."""
    lines = "".join(f"#define R{n} R{n - 1} R{n - 1} R{n - 1} R{n - 1}\n" for n in range(1, work + 1))
    for i in range(count):
        step = f"y[i] = y[i] * x[(i * 7 + {i}) % n] + x[(i * 3 + {salt}) % n];"
        body = f"#define R0 {step}\n{lines}"
        yield programs.scale_of(
            f"{body}void scale(const float* x, float* y, float f, long long n) {{ for (long long i = 0; i < n; ++i) {{ R{work} }} }}\n"
        )
