"""kmux inside TileLang where a compiler never ends, and where several are at work.

Exits with 77 (a counted skip) where TileLang or kmux's library cannot be imported.
"""

import os
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import kmux_paths  # noqa: F401, first: the others are found by it

import kmux
import kmux_tilelang
import tilelang
import torch
from inside_kernels import add
from kmux_tilelang.backend import compilation, jit_kernel, limit

_VARIABLE = "TILELANG_COMPILE_TIMEOUT_SECONDS"
# 2^60 times.
_TWICE = '#if __INCLUDE_LEVEL__ < 60\n#include "twice.h"\n#include "twice.h"\n#endif\n'


def _endless():
    """A program that no compiler gets to the end of."""
    text = '#include "twice.h"\nextern "C" void k() {}\n'
    variant = {
        "dialect": "c", "settings": {"standard": "c++17"}, "sources": [{"path": "k.cpp"}], "headers": [{"path": "twice.h"}],
        "body": {"steps": [{"launch": {"kernel": "k"}}]},
    }  # fmt: skip
    document = {"format": "kmux-program", "version": 1, "name": "endless", "variants": [variant]}
    return kmux.program(document, {"k.cpp": text, "twice.h": _TWICE})


def _request(kind):
    request = mock.Mock()
    request.target.kind.name = kind
    return request


class Limits(unittest.TestCase):
    def test_stop_a_compiler_that_never_ends(self):
        begin = time.monotonic()
        with (
            mock.patch.dict(os.environ, {_VARIABLE: "2"}),
            mock.patch.object(compilation, "options_of", lambda *_: {"target": "c", "use_cache": False}),
            self.assertRaisesRegex(kmux.CompileError, "\"endless\" was not compiled within 2000 ms .its compiler was stopped"),
        ):
            compilation.kernel_of(_endless(), _request("c"))
        self.assertLess(time.monotonic() - begin, 60)

    def test_are_those_of_tilelang_and_ten_minutes_for_each_of_several(self):
        for said, alone, several in (("", None, 600), ("0", None, None), ("2.5", 2.5, 2.5)):
            with mock.patch.dict(os.environ, {_VARIABLE: said}):
                self.assertEqual((limit.time_limit(False), limit.time_limit(True)), (alone, several))
        with mock.patch.dict(os.environ, {_VARIABLE: "soon"}), self.assertRaisesRegex(ValueError, _VARIABLE):
            limit.time_limit(False)


class Several(unittest.TestCase):
    def used(self, kind, run):
        """What `kmux.compile` and `kmux.par_compile` were given."""
        given = []

        def compile(program, **options):
            given.append(("alone", options))

        def par_compile(programs, **options):
            given.append(("pool", options))
            return programs

        with (
            mock.patch.object(compilation, "options_of", lambda *_: {}),
            mock.patch.object(compilation.kmux, "compile", compile),
            mock.patch.object(compilation.kmux, "par_compile", par_compile),
        ):
            run(lambda: compilation.kernel_of(None, _request(kind)))
        return given

    def test_share_kmuxs_pool_in_processes_that_can_be_ended(self):
        def in_threads(compile):
            with ThreadPoolExecutor(2) as pool:
                for made in [pool.submit(compile) for _ in range(2)]:
                    made.result()

        for kind in ("cuda", "hip"):
            self.assertEqual(self.used(kind, in_threads), [("pool", {"isolation": "process", "timeout": 600})] * 2)
        self.assertEqual(self.used("c", in_threads), [("pool", {"timeout": 600})] * 2)

    def test_are_told_while_they_are_lowered(self):
        def beside_another(compile):
            with limit.compiling, limit.compiling:
                compile()

        self.assertEqual(self.used("cuda", beside_another), [("pool", {"isolation": "process", "timeout": 600})])

    def test_one_alone_is_compiled_at_once(self):
        def alone(compile):
            with limit.compiling:
                compile()

        self.assertEqual(self.used("cuda", alone), [("alone", {})])

    def test_of_par_compile_come_in_order_with_its_errors(self):
        kmux_tilelang.install(strict=True)
        self.addCleanup(kmux_tilelang.uninstall)
        self.enterContext(mock.patch.dict(os.environ, TILELANG_DISABLE_CACHE="1"))
        threads, original = set(), kmux.par_compile

        def par_compile(programs, **options):
            threads.add(threading.current_thread().name)
            return original(programs, **options)

        sizes = range(70, 76)
        with mock.patch.object(compilation.kmux, "par_compile", par_compile):
            kernels = tilelang.par_compile([add(n) for n in sizes], out_idx=[2], target="c", execution_backend="kmux", num_workers=3)
            for n, kernel in zip(sizes, kernels, strict=True):
                self.assertEqual(kernel(torch.ones(n), torch.ones(n)).tolist(), [2] * n)
            bad = add(80).with_attr("global_symbol", "bad")
            with (
                mock.patch.object(jit_kernel, "program_of", side_effect=kmux.UnsupportedError("no such launch")),
                self.assertRaisesRegex(kmux.UnsupportedError, "kernel 'bad' cannot run with kmux: no such launch"),
            ):
                tilelang.par_compile([bad], target="c", execution_backend="kmux")
        self.assertTrue(all(name.startswith("tl-par-comp") for name in threads), threads)
        self.assertTrue(threads)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
