"""Ctrl-C ends a compilation (C3.4): its caller's wait, while the compiler goes on in the background until the process ends."""

import _thread
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import kmux
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import programs  # noqa: E402

SLOW = 4  # seconds that these programs compile at least; much longer than any wait here
MOST = 1.5  # 0.2 s on a machine with nothing else to do


def slow(salt):
    """A program whose compilation takes long: its expression is unrolled into hundreds of thousands of operations."""
    lines = "".join(f"#define R{n} R{n - 1} R{n - 1} R{n - 1} R{n - 1}\n" for n in range(1, 10))
    step = f"y[i] = y[i] * x[(i * 7 + {salt}) % n] + x[(i * 3) % n];"
    source = f"#define R0 {step}\n{lines}"
    source += "void scale(const float* x, float* y, float f, long long n) { for (long long i = 0; i < n; ++i) { R9 } }\n"
    return programs.scale_of(source)


BLOCKS = 50000
# A block takes `work` times about 0.1 ms.
SPIN = kmux.kernel(
    """__global__ void spin(int* y, int work) {
         unsigned state = blockIdx.x + threadIdx.x;
         for (int i = 0; i < work * 100000; ++i) state = state * 1664525u + (state >> 7);
         if (threadIdx.x == 0) y[blockIdx.x] = state != 12345u || work == 0;
       }""",
    "spin(y: inout i32[n], work: i32)", grid="n", block=32, args="y, work",
)  # fmt: skip
CHECKED_AND_NOT = (("plain", {}), ("checked", {"check": "on"}))


class Interrupt(unittest.TestCase):
    def after(self, seconds, begin):
        """How long `begin` goes on after Ctrl-C."""
        times = []

        def interrupt():
            time.sleep(seconds)
            times.append(time.monotonic())
            _thread.interrupt_main()

        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                begin()
            return time.monotonic() - times[0]
        finally:
            thread.join()

    def test_ends_compile_in_this_process(self):
        took = self.after(0.3, lambda: kmux.compile(slow(1), target="cpu", options={"tier": "full"}))
        self.assertLess(took, MOST)
        x = np.ones(2, "float32")  # and everything goes on
        np.testing.assert_array_equal(kmux.compile(programs.scale(), target="cpu")(x, 3.0), [3, 3])

    def test_ends_compile_in_another_process(self):
        took = self.after(0.6, lambda: kmux.compile(slow(2), target="cpu", isolation="process"))
        self.assertLess(took, MOST)

    def test_ends_the_hosts_compiler(self):
        took = self.after(0.3, lambda: kmux.compile(slow(3), target="cpu", options={"engine": "host"}))
        self.assertLess(took, MOST)

    def test_ends_par_compile(self):
        took = self.after(0.3, lambda: kmux.par_compile([slow(4), slow(5)], target="cpu", num_workers=2))
        self.assertLess(took, MOST)

    def test_ends_a_call_of_a_jit_function(self):
        took = self.after(0.3, lambda: kmux.jit(lambda: slow(6))())
        self.assertLess(took, MOST)

    def test_ends_a_kernel_between_blocks(self):
        y = np.zeros(BLOCKS, "int32")
        for how, arguments in CHECKED_AND_NOT:
            with self.subTest(how):
                kernel = kmux.compile(SPIN, target="cpu", options=arguments)
                y[:] = 0
                took = self.after(0.5, lambda: kernel(y, 2))
                self.assertLess(took, MOST)
                self.assertGreater(y.sum(), 0)
                self.assertEqual(y[-1], 0, "the last block has not run")
                kernel(y, 0)  # the next launch is complete
                self.assertEqual(y.sum(), BLOCKS)

    def test_runs_handlers_between_blocks(self):
        """The kernel continues after a handler that raises no exception. The handler may call kernels."""
        kernel = kmux.compile(SPIN, target="cpu")
        seen = []

        def handler(*_):
            other = np.zeros(BLOCKS, "int32")
            kernel(other, 0)
            seen.append(other.sum())

        before = signal.signal(signal.SIGALRM, handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
            y = np.zeros(BLOCKS, "int32")
            kernel(y[:500], 2)
            self.assertGreaterEqual(len(seen), 2, "while the kernel ran, not after it")
            self.assertEqual(set(seen), {BLOCKS})
            self.assertEqual(y.sum(), 500)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_raises_the_exception_of_a_handler(self):
        class Enough(Exception):
            pass

        def handler(*_):
            raise Enough

        kernel = kmux.compile(SPIN, target="cpu")
        before = signal.signal(signal.SIGALRM, handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with self.assertRaises(Enough):
                kernel(np.zeros(BLOCKS, "int32"), 2)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_ends_tuning(self):
        kernel = kmux.compile(SPIN, target="cpu", policy="measured")
        took = self.after(0.5, lambda: kernel.tune(np.zeros(BLOCKS, "int32"), 2))
        self.assertLess(took, MOST)

    def check_end(self, script):
        """The process ends soon after it has printed the time."""
        script = "import os, signal, threading, time, kmux, interrupt_test\n" + textwrap.dedent(script)
        words = [sys.executable, "-B", "-c", script]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLess(time.monotonic() - float(done.stdout), SLOW)

    def test_the_process_ends_at_once_as_well(self):
        self.check_end("""
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            try:
                kmux.compile(interrupt_test.slow(7), target="cpu", options={"tier": "full"})
            except KeyboardInterrupt:
                print(time.monotonic(), flush=True)
            """)

    def test_the_process_ends_while_other_threads_compile(self):
        self.check_end("""
            for compile in (
                lambda: kmux.compile(interrupt_test.slow(8), target="cpu", options={"tier": "full"}),
                lambda: kmux.par_compile([interrupt_test.slow(9)], target="cpu"),
            ):
                threading.Thread(target=compile, daemon=True).start()
            time.sleep(0.5)
            print(time.monotonic(), flush=True)
            """)


if __name__ == "__main__":
    unittest.main()
