#!/usr/bin/env python3
"""What ./kmux.sh does in which order, and what it says at the end."""
import json
import tempfile
import unittest

from tree import Tree


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)

    def test_test_ends_with_what_was_skipped_and_how_long_it_took(self):
        ran = self.tree.run("test")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("100% tests passed\n", ran.stdout)
        *_, skipped, durations = ran.stderr.splitlines()
        self.assertEqual(skipped, "kmux: skipped for want of: nvcc (1 case)")
        self.assertRegex(durations, r"^kmux: install \d+ s, build \d+ s, tests \d+ s$")

    def test_what_tests_need_is_looked_for_among_debians_packages(self):
        self.tree.run("test")
        small = self.tree.calls.read_text().split()
        for package in ("git", "cmake", "lld-19", "libamdhip64-dev", "rocm-device-libs"):
            self.assertIn(package, small)
        self.fake_fuzzer()
        self.tree.run("test", "--all")
        large = self.tree.calls.read_text().split()
        for package in ("libamdhip64-5", "pocl-opencl-icd", "chromium"):
            self.assertNotIn(package, small)
            self.assertIn(package, large)

    def test_the_small_size_is_built_and_run_by_default(self):
        self.tree.run("test")
        (built,), (ran,) = self.tree.called("cmake --build"), self.tree.called("ctest")
        self.assertNotIn("kmux_rest", built)
        self.assertIn("-LE ^large$", ran)
        self.assertEqual(self.tree.called("pip", "ray"), [])

    def test_all_has_everything(self):
        for words, variables in ((["test", "--all"], {}), (["test"], {"KMUX_ALL_TESTS": "1"})):
            self.tree.calls.unlink(missing_ok=True)
            self.fake_fuzzer()
            ran = self.tree.run(*words, FAKE_PIP_LACKS="1", **variables)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertTrue(self.tree.called("cmake --build build/release", "--target all kmux_rest"))
            self.assertNotIn("-LE", self.tree.called("ctest --test-dir build/release")[0])
            self.assertTrue(self.tree.called("pip", "ray"))
            self.assertEqual(len(self.tree.called("-max_total_time=10")), 10)

    def test_the_rest_is_what_the_small_size_left_out_or_skipped(self):
        self.fake_fuzzer()
        self.tree.run("test")
        listed = [{"name": name, "properties": [{"name": "LABELS", "value": labels}]} for name, labels in (
            ("a", ["unit"]), ("b.large", ["unit", "large"]), ("c.sweep", ["sweep"]), ("d", []))]
        self.tree.fake("ctest", f"""case "$*" in *json*) echo '{json.dumps({"tests": listed})}' ;; esac""")
        ran = self.tree.run("test", "--rest")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(self.tree.called("ctest --test-dir build/release", r"-R ^(a|b\.large|c\.sweep)$"), self.tree.called("ctest"))

    def test_the_rest_of_nothing_is_refused(self):
        self.tree.fake("ctest", "exit 1")
        ran = self.tree.run("test", "--rest")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the tests are not known (nothing is built in build/release). Run './kmux.sh test' first.", ran.stderr)

    def test_quick_is_core_and_cpu(self):
        self.tree.run("quick", "-R", "expr")
        self.assertTrue(self.tree.called("cmake --preset quick -B build/quick"))
        self.assertTrue(self.tree.called("cmake --build build/quick", "--target kmux_quick"))
        self.assertTrue(self.tree.called("ctest --test-dir build/quick", "-L ^quick$ -R expr"))

    def test_some_tests_run_under_the_thread_sanitizer_first(self):
        self.fake_fuzzer()
        ran = self.tree.run("test", "--all")
        self.assertIn("kmux: under the thread sanitizer: 100% tests passed, 0 reports\n", ran.stderr)
        self.assertTrue(self.tree.called("cmake --build build/tsan", "tests/unit_tests", "tests/kmux_fresh_test"))
        first, second = self.tree.called("ctest")
        self.assertRegex(first, r"--test-dir \S*build/tsan .*-R \^\(unit_tests\|cache_torture_tests\|.*\)\\\.")
        self.assertIn("--test-dir build/release", second)

    def test_a_report_of_the_thread_sanitizer_is_a_failure(self):
        self.tree.fake("ctest", 'case "$2" in */tsan) echo "WARNING: ThreadSanitizer: data race" >"$2/reports/report.7" ;; esac')
        ran = self.tree.run("test", "--all")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("data race", ran.stderr)
        self.assertIn("the whole log is build/tsan/tests.log", ran.stderr)

    def test_a_failing_test_is_its_status(self):
        ran = self.tree.run("test", "-L", "unit", FAKE_CTEST_STATUS="8")
        self.assertEqual(ran.returncode, 8)
        self.assertRegex(ran.stderr.splitlines()[-1], r"^kmux: install \d+ s, build \d+ s, tests \d+ s$")

    def test_arguments_of_test_go_to_ctest(self):
        self.tree.run("test", "-L", "unit")
        self.assertTrue(self.tree.called("ctest", "--no-tests=error", "-L unit"))

    def test_a_build_that_fails_shows_the_message_and_runs_no_test(self):
        ran = self.tree.run("test", FAKE_BUILD_FAILS="1")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("x.cpp:1: error: bad\n", ran.stderr)
        self.assertIn("The whole log is build/release/build.log.", ran.stderr)
        self.assertRegex(ran.stderr.splitlines()[-1], r"^kmux: install \d+ s, build \d+ s$")
        self.assertEqual(self.tree.called("ctest"), [])

    def test_a_configuration_that_fails_shows_the_message_and_builds_nothing(self):
        ran = self.tree.run("build", FAKE_CONFIGURE_FAILS="1")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("CMake Error at x\n  no compiler\n", ran.stderr)
        self.assertIn("The whole log is build/release/configure.log.", ran.stderr)
        self.assertNotIn("about the machine", ran.stderr)
        self.assertEqual(self.tree.called("cmake --build"), [])

    def test_nothing_that_fetches_outlives_a_failure(self):
        slow = 'case "$*" in *" download "*) trap "sleep 0.5; : >ended; exit 1" TERM; : >fetching; sleep 20 & wait ;; esac'
        self.tree.fake(".venv/bin/python", slow)
        self.tree.fake("cmake", "waits fetching; exit 1")
        ran = self.tree.run("test")
        self.assertEqual(ran.returncode, 1)
        self.assertTrue((self.tree.folder / "ended").exists(), ran.stderr)

    def test_what_pypi_has_is_fetched_beside_the_build_and_before_the_tests(self):
        ran = self.tree.run("test", FAKE_BUILD_WAITS="1")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("never came", ran.stderr)
        self.assertNotIn("not fetched yet", ran.stdout)

    def test_pips_run_one_after_the_other(self):
        self.tree.fake(".venv/bin/python", 'mkdir pip_runs || echo "two pips" >&2; sleep 0.05; rmdir pip_runs; exit 1')
        ran = self.tree.run("test", "--all")
        log = (self.tree.folder / "build/release/fetch.log").read_text()
        self.assertGreater(log.count("pip install"), 2)
        self.assertNotIn("two pips", ran.stderr + log)

    def test_ccache_is_left_out_on_request(self):
        self.tree.run("build", KMUX_NO_CCACHE="1")
        self.tree.run("build")
        without, with_it = self.tree.called("cmake --preset")
        self.assertIn("-DKMUX_CCACHE=OFF", without)
        self.assertNotIn("-DKMUX_CCACHE", with_it)
        self.assertIn("-UKMUX_CCACHE", with_it)

    def test_another_folder_is_built_in(self):
        self.tree.run("test", KMUX_BUILD="build/other")
        self.assertTrue(self.tree.called("cmake --preset release -B build/other"))
        self.assertTrue(self.tree.called("cmake --build build/other"))
        self.assertTrue(self.tree.called("ctest --test-dir build/other"))

    def test_the_nightly_script_tests_without_a_toolkit(self):
        for name in ("kmux_order_test", "long_life_tests", "kmux_nvidia_fake_test", "kmux_nvidia_test", "kmux_nvrtc_test", "kmux_cuda_test",
                     "kmux_nvidia_plugins_test", "kmux_cpu_test"):  # fmt: skip
            self.tree.fake(f"build/release/tests/{name}", "")
        self.tree.fake("tests/stream_order/seeds.py", "").write_text("")
        self.fake_fuzzer()
        for status in (0, 1):
            tool = self.tree.fake("tools/without_toolkit.sh", f'echo "in $KMUX_BUILD" >>"{self.tree.calls}"; exit {status}')
            ran = self.tree.run("nightly")
            self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertTrue(self.tree.called(tool.name, "./kmux.sh test"))
            self.assertTrue(self.tree.called("in build/no-toolkit"))
            self.assertTrue(self.tree.called("fuzz_text", "-max_total_time=300"))
            self.assertTrue(self.tree.called("fuzz_formats --format=npy", "-max_total_time=300"))
            self.assertTrue(self.tree.called("cmake --workflow --preset portable"))

    def test_bars_names_the_groups_that_there_are(self):
        self.tree.fake("build/release/bench/bars", 'echo "bars: no group or bar. Groups: call cpu" >&2; exit 2')
        ran = self.tree.run("bars", "sound")
        self.assertTrue(self.tree.called("cmake --build build/release", "--target all kmux_rest"))
        self.assertEqual(ran.returncode, 2)
        self.assertIn("Groups: call cpu\n", ran.stderr)
        self.assertIn("kmux: no group 'sound' of bench/bars (above). Others: fleet fresh hopper house python tilelang\n", ran.stderr)

    def fake_fuzzer(self, script="", formats=""):
        self.tree.fake("build/fuzz/tests/write_seeds", "")
        self.tree.fake("build/fuzz/tests/fuzz_text", script)
        self.tree.fake("build/fuzz/tests/fuzz_formats", formats)

    def test_the_fuzzer_begins_with_seeds_and_what_it_found(self):
        self.fake_fuzzer()
        ran = self.tree.run("fuzz", "60")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(self.tree.called("cmake --preset fuzz -B build/fuzz"))
        self.assertTrue(self.tree.called("cmake --build build/fuzz", "--target fuzz_text fuzz_formats write_seeds"))
        self.assertTrue(self.tree.called("write_seeds build/fuzz/seeds/text"))
        self.assertTrue(self.tree.called("fuzz_text", "-max_total_time=60", "-dict=tests/fuzz/text.dict", "build/fuzz/corpus/text build/fuzz/seeds/text"))
        self.assertTrue(self.tree.called("fuzz_formats --format=frames --seeds=build/fuzz/seeds/frames"))
        self.assertTrue(self.tree.called("fuzz_formats --format=frames", "-max_total_time=60", "build/fuzz/corpus/frames"))

    def test_what_the_fuzzer_finds_is_a_failure(self):
        self.fake_fuzzer('echo "broken as a file: it can be read" >&2; exit 77')
        ran = self.tree.run("fuzz")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("broken as a file", ran.stderr)
        self.assertIn("the bytes are in build/fuzz/text-crash-*", ran.stderr)
        self.assertTrue(self.tree.called("fuzz_formats"), "the others run all the same")

    def test_one_fuzzer_is_named(self):
        self.fake_fuzzer()
        self.assertEqual(self.tree.run("fuzz", "5", "npy").returncode, 0)
        self.assertEqual(self.tree.called("fuzz_text -dict"), [])
        self.assertTrue(self.tree.called("fuzz_formats --format=npy", "-max_total_time=5"))

    def test_the_fuzzer_runs_for_a_number_of_seconds(self):
        ran = self.tree.run("fuzz", "long")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("'fuzz long' is not known (the word is a number of seconds, or keep).", ran.stderr)
        self.assertEqual(self.tree.called("cmake"), [])

    def test_what_takes_too_long_or_too_much_memory_is_a_failure(self):
        self.fake_fuzzer()
        self.tree.run("fuzz", "5", "npy")
        self.assertTrue(self.tree.called("fuzz_formats --format=npy", "-fork=", "-ignore_ooms=0 -ignore_timeouts=0", "-timeout=10"))

    def test_every_fuzzer_runs_before_the_tests(self):
        self.fake_fuzzer()
        ran = self.tree.run("test", "--all")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("kmux: 10 fuzzers, 10 s each: nothing found\n", ran.stderr)
        self.assertEqual(len(self.tree.called("-max_total_time=10")), 10)
        self.assertEqual(self.tree.called("-fork"), [], "a process a fuzzer")
        calls = self.tree.called("")
        self.assertLess(calls.index(self.tree.called("fuzz_text -dict")[0]), calls.index(self.tree.called("ctest --test-dir build/release")[0]))
        self.assertRegex(ran.stderr.splitlines()[-1], r"^kmux: install \d+ s, build \d+ s, threads \d+ s, fuzz \d+ s, tests \d+ s$")

    def test_as_many_fuzzers_run_at_a_time_as_there_are_processors(self):
        self.fake_fuzzer(*['case "$*" in *-max_total_time*) mkdir "fuzzing_$$"; ls -d fuzzing_* | wc -l >>most; sleep 0.2; rmdir "fuzzing_$$" ;; esac'] * 2)
        self.assertEqual(self.tree.run("test", "--all", KMUX_FUZZ="1", KMUX_JOBS="3").returncode, 0)
        self.assertEqual(max(int(line) for line in (self.tree.folder / "most").read_text().split()), 3)

    def test_what_a_fuzzer_finds_before_the_tests_is_a_failure(self):
        self.fake_fuzzer(formats='case "$*" in *=entry*-max_total_time*) echo "read back as another" >&2; exit 77 ;; esac')
        ran = self.tree.run("test", "--all")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("read back as another", ran.stderr)
        self.assertIn("the fuzzer of entry found something (above; the whole log is build/fuzz/entry.log).", ran.stderr)
        self.assertEqual(self.tree.called("ctest --test-dir build/release"), [])

    def test_a_fuzzer_that_cannot_begin_is_a_failure(self):
        self.fake_fuzzer(formats='case "$*" in *=npy*--seeds*) exit 1 ;; esac')
        ran = self.tree.run("test", "--all")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the fuzzer of npy", ran.stderr)

    def test_the_seconds_of_each_fuzzer_are_a_number(self):
        ran = self.tree.run("test", "--all", KMUX_FUZZ="yes")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("KMUX_FUZZ=yes is not known (it is the number of seconds that each fuzzer has).", ran.stderr)
        self.assertEqual(self.tree.called("cmake"), [])

    def test_what_was_found_is_kept_on_request(self):
        ran = self.tree.run("fuzz", "keep")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("nothing has been found yet (there are no fuzzers in build/fuzz). Run './kmux.sh fuzz 600' first.", ran.stderr)
        self.fake_fuzzer()
        ran = self.tree.run("fuzz", "keep", "npy", "frames")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(self.tree.called("fuzz_formats --format=npy", "-set_cover_merge=1"))
        self.assertTrue(self.tree.called("fuzz_formats --format=frames", "-set_cover_merge=1"))
        self.assertEqual(self.tree.called("fuzz_text"), [], "only those that are named")
        self.assertTrue((self.tree.folder / "tests/fuzz/corpus/npy.hex").exists())
        self.assertEqual(self.tree.called("cmake"), [])


if __name__ == "__main__":
    unittest.main()
