import copy
import importlib.util
import json
import os
import pathlib
import pickle
import signal
import threading
import time
import unittest
from datetime import timedelta
from unittest import mock

import kmux
import numpy as np
import programs


class Compile(unittest.TestCase):
    def test_takes_a_path(self):
        path = os.path.join(os.environ["KMUX_TEST_PROGRAMS"], "scale", "scale.kmux.json")
        self.assertEqual(kmux.compile(path, target="cpu").name, "scale")

    def test_hints_at_the_option_that_is_meant(self):
        with self.assertRaisesRegex(TypeError, "no option 'targt' .*Did you mean 'target'"):
            kmux.compile(programs.scale(), targt="cpu")
        with self.assertRaisesRegex(TypeError, "option 'device' .* is not an int"):
            kmux.compile(programs.scale(), device="0")
        with self.assertRaisesRegex(ValueError, "Did you mean 'engine'"):
            kmux.compile(programs.scale(), target="cpu", options={"enginee": "host"})

    def test_options_of_each_program_are_a_list_of_dicts(self):
        for each, message in (
            ({"target": "cpu"}, "each is {'target': 'cpu'} .a list with a dict of options for each program is wanted.. Pass options"),
            ("cpu", "each is 'cpu' .a list"),
            (3, "each is 3 .a list"),
            (["cpu"], r"each\[0\] is 'cpu' .a dict of options is wanted"),
            ([{}, None], r"each\[1\] is None"),
        ):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                kmux.par_compile([programs.scale()], each=each)

    def test_says_what_to_write_for_the_words_of_others(self):  # C2.9, C3.10
        for options, message in (
            ({"backend": "cpu"}, "no option 'backend' .* Write 'execution_backend'"),
            ({"pass_configs": {"tl.x": True}}, "no option 'pass_configs' .* Write 'options' with the backend's own names"),
            ({"target": {"kind": "cuda"}}, "'target' is a dict .* Write \"cuda:sm_90a\", or the dict as JSON"),
            ({"target": 3}, "'target' is an int that is not a string"),
        ):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                kmux.compile(programs.scale(), **options)

    def test_takes_kernels_of_sources_with_their_options(self):
        first, second = (
            kmux.kernel(f"void f(float* y) {{ y[0] = A + {i}; }}", "f(y: inout f32[1])", args="y", target="cpu", compile_flags="-DA=1")
            for i in range(2)
        )
        for made in (kmux.compile(second), *kmux.par_compile([first, second], num_workers=1)[1:]):
            y = np.zeros(1, "float32")
            made(y)
            self.assertEqual(y[0], 2)
        y = np.zeros(1, "float32")
        kmux.par_compile([first, programs.scale()], each=[{"compile_flags": "-DA=5"}, {}], target="cpu")[0](y)
        self.assertEqual(y[0], 5)
        self.assertEqual(kmux.resolve(first).backend, "cpu")
        self.assertEqual(kmux.jit(lambda: first, compile_flags="-DA=2")().name, "f")

    def test_programs_are_a_list(self):
        kernel = kmux.kernel("void f(float* y) { y[0] = 1; }", "f(y: inout f32[1])", args="y")
        given = ("x.kmux.json", "'x.kmux.json'"), (b"x.json", "b'x.json'"), (pathlib.Path("x.json"), "a PosixPath"), (3, "3"), ({}, "a dict")
        for one, shown in (*given, (None, "a NoneType"), (programs.scale(), "a Program"), (kernel, "a _?SourceKernel")):
            with self.assertRaisesRegex(TypeError, f"programs are {shown}.* .a list of them is wanted.. Put it into a list"):
                kmux.par_compile(one, target="cpu")

    def test_takes_flags_as_one_string(self):  # C2.9
        program = programs.scale("A * x[i] + B")
        kernel = kmux.compile(program, target="cpu", compile_flags="-DA='(1 + 2)'  -DB=4")
        self.assertEqual(np.from_dlpack(kernel(np.ones(1, "float32"), 0.0)).item(), 7)

    def test_takes_the_flags_that_a_program_asks_for_before_others(self):
        document = json.loads(programs.scale("A * x[i] + B").to_json())
        document["variants"][0]["settings"] = {"compile_flags": ["-DA=2", "-DB=4"]}
        program = kmux.program(document, programs.scale("A * x[i] + B").files)
        self.assertEqual(np.from_dlpack(kmux.compile(program, target="cpu")(np.ones(1, "float32"), 0.0)).item(), 6)
        kernel = kmux.compile(program, target="cpu", compile_flags=["-UA", "-DA=3"])
        self.assertEqual(np.from_dlpack(kernel(np.ones(1, "float32"), 0.0)).item(), 7)
        document["variants"][0]["settings"] = {"compile_flags": ["-fplugin=x.so"]}
        with self.assertRaisesRegex(ValueError, "-fplugin=x.so"):
            kmux.compile(kmux.program(document, program.files), target="cpu")

    def test_hands_options_on(self):
        kernel = kmux.compile(
            programs.scale(),
            target="cpu",
            compile_flags=["-DNEVER=1"],
            compile_timeout=timedelta(seconds=60),
            isolation="process",
            options={"tier": "full"},
        )
        self.assertEqual(kernel.tier, "full")

    def test_says_why_nothing_can(self):
        with self.assertRaisesRegex(ValueError, "No backend registered for target kind 'nope'"):
            kmux.compile(programs.scale(), target="nope")

    def test_has_the_log_of_the_compiler(self):
        with self.assertRaisesRegex(kmux.CompileError, "undeclared") as caught:
            kmux.compile(programs.scale("missing * x[i]"), target="cpu")
        self.assertIsInstance(caught.exception, kmux.Error)
        self.assertEqual(caught.exception.code, "compile_failed")
        self.assertRegex(caught.exception.log, r"^scale.c:1:\d+: error: use of undeclared identifier 'missing'\n")  # C3.10
        self.assertEqual(kmux.CompileError("made in Python").log, "")
        for copied in (pickle.loads(pickle.dumps(caught.exception)), copy.deepcopy(caught.exception)):
            again = pickle.loads(pickle.dumps(copied))
            self.assertIs(type(again), kmux.CompileError)
            self.assertEqual((str(again), again.log), (str(caught.exception), caught.exception.log))

    def test_resolves(self):
        resolution = kmux.resolve(programs.scale(), target="cpu")
        self.assertEqual(resolution.backend, "cpu")
        self.assertEqual(resolution.candidates[0]["backend"], "cpu")
        self.assertIn("the only one that can", str(resolution))
        self.assertIn("plugins are looked for in", resolution.explain(fully=True))
        refused = kmux.resolve(programs.scale(), target="nope")
        with self.assertRaisesRegex(ValueError, "nope"):
            refused.backend

    def test_lists_plugins(self):
        (cpu,) = (plugin for plugin in kmux.plugins() if plugin.name == "cpu")
        self.assertIn("c", cpu.dialects)
        self.assertEqual(cpu.problem, "")

    def test_lets_other_threads_run(self):
        beats, over = [], threading.Event()

        def beat():
            while not over.is_set():
                beats.append(time.monotonic())
                time.sleep(0.001)

        thread = threading.Thread(target=beat)
        thread.start()
        before = time.monotonic()
        kmux.compile(programs.scale("factor * x[i] + 0"), target="cpu", options={"tier": "full"})
        after = time.monotonic()
        over.set()
        thread.join()
        self.assertTrue([beat for beat in beats if before < beat < after])


class ParCompile(unittest.TestCase):
    def test_returns_kernels_in_order_and_tells_of_each(self):
        events = []
        kernels = kmux.par_compile(
            [programs.scale(f"{i} * x[i]") for i in range(4)], target="cpu", num_workers=2, progress=events.append
        )
        x = np.ones(1, "float32")
        self.assertEqual([np.from_dlpack(kernel(x, 0.0))[0] for kernel in kernels], [0, 1, 2, 3])
        self.assertEqual(sorted(event.index for event in events if event.step == "done"), [0, 1, 2, 3])
        self.assertEqual((events[-1].done, events[-1].total, events[-1].backend), (4, 4, "cpu"))
        self.assertIsNone(events[0].error)

    def test_options_of_each_are_on_top_of_those_of_all(self):
        tiers = kmux.par_compile(
            [programs.scale()] * 2, target="cpu", each=[{"options": {"tier": "full"}}, {"options": {"tier": "fast"}}]
        )
        self.assertEqual([kernel.tier for kernel in tiers], ["full", "fast"])
        with self.assertRaisesRegex(ValueError, "2 programs and 3 sets of options"):
            kmux.par_compile([programs.scale()] * 2, each=[{}] * 3)

    def test_the_first_failure_is_raised_or_ignored(self):
        given = [programs.scale(), programs.scale("missing"), programs.scale("absent")]
        with self.assertRaisesRegex(kmux.CompileError, "missing"):
            kmux.par_compile(given, target="cpu")
        with self.assertWarns(kmux.CompileWarning) as caught, self.assertNoLogs("kmux", "WARNING"):  # C2.7: said, and said once
            good, *bad = kmux.par_compile(given, target="cpu", ignore_error=True)
        self.assertEqual((good.name, bad), ("scale", [None, None]))
        texts = [str(warning.message) for warning in caught.warnings]
        self.assertRegex(texts[0], "program 1 'scale' is left out: .*undeclared identifier 'missing'")
        self.assertRegex(texts[1], "program 2 'scale' is left out: .*undeclared identifier 'absent'")
        self.assertEqual((len(texts), caught.filename), (2, __file__))

    def test_what_progress_raises_ends_it(self):
        def fail(event):
            raise KeyError("enough")

        with self.assertRaisesRegex(KeyError, "enough"):
            kmux.par_compile([programs.scale()], target="cpu", progress=fail)

    def test_what_progress_raises_is_raised_whatever_its_type(self):
        class Enough(Exception):
            pass

        for error in (Enough("enough"), SystemExit(3)):

            def fail(event, error=error):
                raise error

            with self.subTest(error), self.assertRaises(type(error)) as caught:
                kmux.par_compile([programs.scale()], target="cpu", progress=fail)
            self.assertIs(caught.exception, error)

    def test_an_interrupt_ends_it(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        made = [programs.scale(f"{i} * x[i]") for i in range(100)]
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            for after in range(1, 31):  # while it compiles, and while Python takes lines of the log
                signal.setitimer(signal.ITIMER_REAL, after / 1000)
                with self.assertRaises(KeyboardInterrupt):
                    kmux.par_compile(made, target="cpu", num_workers=1, progress=lambda event: None)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_progress_is_told_on_the_callers_thread(self):
        threads = set()
        kmux.par_compile([programs.scale()], target="cpu", progress=lambda event: threads.add(threading.get_ident()))
        self.assertEqual(threads, {threading.get_ident()})

    @unittest.skipUnless(importlib.util.find_spec("tqdm"), "needs tqdm (pip install kmux[progress])")
    def test_shows_a_bar(self):
        with mock.patch("tqdm.auto.tqdm") as tqdm:
            kmux.par_compile([programs.scale(), programs.scale()], target="cpu", progress=True)
        self.assertEqual(tqdm.call_args.kwargs["total"], 2)
        self.assertEqual(sum(call.args[0] for call in tqdm.return_value.update.call_args_list), 2)
        tqdm.return_value.close.assert_called_once_with()

    def test_says_that_a_bar_needs_tqdm(self):
        with mock.patch.dict("sys.modules", {"tqdm.auto": None}), self.assertRaisesRegex(ImportError, "pip install tqdm$"):
            kmux.par_compile([programs.scale()], target="cpu", progress=True)

    def test_checks_its_own_options(self):
        with self.assertRaisesRegex(TypeError, "num_workers"):
            kmux.par_compile([programs.scale()], num_workers=1.5)
        with self.assertRaises(ValueError):
            kmux.par_compile([programs.scale()], num_workers=-1)


if __name__ == "__main__":
    unittest.main()
