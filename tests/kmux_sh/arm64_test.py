#!/usr/bin/env python3
"""What ./kmux.sh does with --arch arm64, on a machine of x86-64."""
import os
import re
import tempfile
import unittest

from tree import Tree

APT = """case "$*" in
  *--download-only*) [ -z "$FAKE_APT_FAILS" ] || { echo "E: Unable to locate package llvm-19-dev"; exit 100; }
    : >"$(dirname "$APT_CONFIG")/archives/libz.deb" ;;
esac"""
# A package with a header and a link that begins at the root.
UNPACK = """mkdir -p "$3/usr/include" "$3/usr/lib" "$3/lib"
: >"$3/lib/libz.so.1"; ln -sf /lib/libz.so.1 "$3/usr/lib/libz.so" """


class Arm64(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)
        self.tree.fake("uname", "echo x86_64")
        self.tree.fake("apt-get", APT)
        self.tree.fake("dpkg-deb", UNPACK)
        self.tree.fake("mount", "exit 1")
        self.binfmt = self.tree.folder / "binfmt"
        self.binfmt.mkdir()
        self.entry = self.tree.folder / "qemu-aarch64.conf"
        self.entry.write_text(":qemu-aarch64:M:")

    def run_for_arm64(self, command, *arguments, **variables):
        return self.tree.run(command, "--arch", "arm64", *arguments, KMUX_BINFMT=str(self.binfmt), KMUX_BINFMT_ENTRY=str(self.entry),
                             **variables)  # fmt: skip

    def test_libraries_are_unpacked_beside_the_machines_own(self):
        ran = self.run_for_arm64("build")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        (fetched,) = self.tree.called("apt-get", "--download-only")
        for package in ("libc6-dev", "llvm-19-dev", "libboost1.81-dev", "zlib1g-dev"):
            self.assertIn(f" {package}", fetched)
        self.assertEqual([call for call in self.tree.called("apt-get", " install ") if "--download-only" not in call], [])
        self.assertIn("kmux: fetching arm64 packages into .cache/arm64/sysroot", ran.stderr)
        self.assertTrue(self.tree.called("cmake --preset arm64 -B build/arm64"))
        self.assertTrue(self.tree.called("cmake --build build/arm64"))

    def test_links_stay_within_the_folder(self):
        self.run_for_arm64("build")
        sysroot = self.tree.folder / ".cache/arm64/sysroot"
        self.assertEqual(os.readlink(sysroot / "usr/lib/libz.so"), "../../lib/libz.so.1")

    def test_they_are_fetched_once(self):
        self.run_for_arm64("build")
        ran = self.run_for_arm64("build")
        self.assertEqual(len(self.tree.called("apt-get", "--download-only")), 1)
        self.assertNotIn("fetching arm64", ran.stderr)

    def test_a_failure_says_what_apt_said_and_leaves_nothing(self):
        ran = self.run_for_arm64("build", FAKE_APT_FAILS="1")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("arm64 packages cannot be fetched (E: Unable to locate package llvm-19-dev)", ran.stderr)
        self.assertFalse((self.tree.folder / ".cache/arm64/sysroot").exists())
        self.assertEqual(self.tree.called("cmake --preset"), [])

    def test_without_it_nothing_of_arm64_is_touched(self):
        self.tree.run("build")
        self.assertEqual(self.tree.called("apt-get"), [])
        self.assertTrue(self.tree.called("cmake --preset release -B build/release"))

    def test_tests_run_under_qemu_with_the_cross_compiler(self):
        self.tree.fake("ctest", 'echo "prefix $QEMU_LD_PREFIX path $PATH"; echo "99% tests passed, 2 tests failed out of 300"; exit 8')
        (self.binfmt / "register").write_text("")
        ran = self.run_for_arm64("test")
        self.assertEqual(ran.returncode, 8, ran.stderr)
        self.assertIn("/.cache/arm64/sysroot path ", ran.stdout)
        self.assertIn("/build/arm64/tests/compilers:", ran.stdout)
        self.assertTrue(self.tree.called("cmake --build build/arm64", " unit_tests portable_tests golden_tests", " kmux_plugin_cpu "))
        (called,) = self.tree.called("ctest --test-dir build/arm64")
        chosen = re.compile(called.split(" -R ")[1])
        for name in ("unit_tests.json", "golden_tests.golden", "kmux_simt_runtime_test.pool", "conformance.cpu.isolated"):
            self.assertTrue(chosen.search(name), name)
        for name in ("kmux_nvidia_test.module", "kmux_cpu_test.device_half", "conformance.hip", "bench_tests.pairs", "fuzz_tests.unit_tests.json"):
            self.assertFalse(chosen.search(name), name)
        self.assertEqual((self.binfmt / "register").read_text(), ":qemu-aarch64:M:")
        self.assertTrue(ran.stdout.endswith("\nbar aarch64_tests_failed 2 tests\n"), ran.stdout)

    def test_what_qemu_cannot_do_is_counted(self):
        skips = ("errors of posix_spawn (QEMU)", "nvcc (not here)", "errors of posix_spawn (QEMU)")
        cases = "".join(f"[ RUN      ] A.{i}\\nneeds {why}\\n[  SKIPPED ] A.{i} (0 ms)\\n" for i, why in enumerate(skips))
        self.tree.fake("ctest", f"""mkdir -p "$2/Testing/Temporary"
printf '1/1 Test: a\\n{cases}' >"$2/Testing/Temporary/LastTest.log"; echo "100% tests passed, 0 tests failed out of 1" """)
        (self.binfmt / "register").write_text("")
        ran = self.run_for_arm64("test")
        self.assertIn("kmux: skipped for want of: errors of posix_spawn (2 cases), nvcc (1)\n", ran.stderr)
        self.assertIn("kmux: of these for want of what QEMU's user mode lacks: 2\n", ran.stderr)

    def test_arguments_choose_other_tests(self):
        (self.binfmt / "qemu-aarch64").write_text("")
        self.run_for_arm64("test", "-R", "golden")
        (called,) = self.tree.called("ctest")
        self.assertTrue(called.endswith(" -R golden"), called)
        self.assertTrue(self.tree.called("cmake --build build/arm64", " kmux_product kmux_tests_unit"))

    def test_a_kernel_that_cannot_be_told_is_named(self):
        self.binfmt.rmdir()
        ran = self.run_for_arm64("test")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the kernel cannot be told to run programs for AArch64", ran.stderr)
        self.assertEqual(self.tree.called("ctest"), [])

    def test_what_cannot_be_done_for_it_is_refused(self):
        ran = self.run_for_arm64("demo")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("demo cannot be done for arm64 on this machine.", ran.stderr)
        self.assertEqual(self.tree.called("cmake"), [])

    def test_another_machine_is_refused(self):
        for words in (("--arch", "vax"), ("--arch",)):
            ran = self.tree.run("build", *words)
            self.assertEqual(ran.returncode, 2)
            self.assertRegex(ran.stderr, r"--arch (vax|nothing) is not known")

    def test_on_such_a_machine_it_is_the_usual_build(self):
        self.tree.fake("uname", "echo aarch64")
        self.run_for_arm64("build")
        self.assertTrue(self.tree.called("cmake --preset release -B build/release"))
        self.assertEqual(self.tree.called("apt-get"), [])


if __name__ == "__main__":
    unittest.main()
