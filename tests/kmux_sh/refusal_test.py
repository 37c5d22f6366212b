#!/usr/bin/env python3
"""A network that refuses, with the real pip: one line, soon."""
import re
import subprocess
import tempfile
import unittest

from tree import Tree

NOWHERE = "127.0.0.1:9"  # the discard port, where nobody listens
INDEX = {"PIP_INDEX_URL": f"https://{NOWHERE}/simple", "PIP_CONFIG_FILE": "/dev/null", "NO_PROXY": "", "no_proxy": ""}


class Refusal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)
        self.tree.with_real_venv()

    def refused(self, **variables):
        ran = self.tree.run("test", "--all", "-L", "unit", **{**INDEX, **variables})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = [line for line in ran.stderr.splitlines() if "PyPI cannot" in line or "PyPI lacks" in line]
        self.assertEqual(len(told), 1, ran.stderr)
        self.assertNotRegex(ran.stderr, "WARNING|Traceback|Retry")
        self.assertLess(len(ran.stderr.splitlines()), 12, ran.stderr)
        log = (self.tree.folder / "build/release/fetch.log").read_text()
        tried = re.findall(r"^pip (?:install|download)", log, re.MULTILINE)
        self.assertEqual(len(tried), 1, "the network was tried again after it had refused")
        return told[0]

    def test_by_an_index_that_is_not_there(self):
        told = self.refused()
        self.assertIn("kmux: PyPI cannot be reached (Connection refused). What needs these is skipped: ", told)
        fetched = ("TileLang's headers", "TileLang and torch", "CuTe DSL", "wheels of the Python package's test")
        for what in ("apache-tvm-ffi", *fetched, "hatchling"):
            self.assertIn(what, told)
        self.assertTrue(told.endswith("Log: build/release/fetch.log"))

    def test_by_a_proxy(self):
        told = self.refused(HTTPS_PROXY=f"http://{NOWHERE}", https_proxy=f"http://{NOWHERE}")
        self.assertIn("PyPI cannot be reached (Cannot connect to proxy)", told)


APT = """case "$*" in
  *update*) for i in 1 2 3 4 5; do echo "W: Failed to fetch http://mirror/x$i  Connection refused"; done ;;
  *) echo "E: Unable to locate package cmake"; exit 100 ;;
esac"""


class Debian(unittest.TestCase):
    def test_a_mirror_that_refuses_is_told_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(folder)
            tree.fake("dpkg-query", "exit 1")
            tree.fake("apt-get", APT)
            tree.fake("sudo", 'exec "$@"')
            ran = tree.run("build")
        self.assertEqual(ran.returncode, 1)
        installing, failed = ran.stderr.splitlines()
        self.assertTrue(installing.startswith("kmux: installing build-essential "))
        self.assertTrue(failed.startswith("kmux: apt-get could not install build-essential "))
        self.assertIn("(W: Failed to fetch http://mirror/x1  Connection refused). See build/release/apt.log.", failed)

    def test_a_package_that_only_tests_need_is_named_and_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(folder)
            tree.fake("dpkg-query", 'case "$*" in *" git"*|*pkgconf*) exit 1 ;; esac; echo installed')
            tree.fake("apt-get", 'case "$*" in *" git"*) echo "E: Package git has no candidate"; exit 100 ;; esac')
            tree.fake("sudo", 'exec "$@"')
            ran = tree.run("test")
            installed = tree.called("apt-get", " install ", "pkgconf")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("kmux: apt-get could not install git (E: Package git has no candidate). "
                      "What needs these is skipped. See build/release/apt.log.\n", ran.stderr)
        self.assertTrue(installed[-1].endswith(" pkgconf"))


class Words(unittest.TestCase):
    """What pip 23 prints, and which words of it are told."""

    def words(self, printed):
        script = 'source "$0"; refusal_in "$1"'
        command = ["bash", "-c", script, Tree.PYPI, printed]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def test_of_a_certificate(self):
        printed = (
            "Could not fetch URL https://x/: There was a problem confirming the ssl certificate: "
            "HTTPSConnectionPool(host='x'): Max retries exceeded (Caused by SSLError(SSLCertVerificationError(1, '[SSL: "
            "CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate'))) - skipping"
        )
        self.assertEqual(self.words(printed), "SSL: CERTIFICATE_VERIFY_FAILED")

    def test_of_a_name_that_is_not_known(self):
        printed = "NewConnectionError('Failed to establish: [Errno -3] Temporary failure in name resolution'))': /simple/"
        self.assertEqual(self.words(printed), "Temporary failure in name resolution")

    def test_of_an_index_that_answers_there_are_none(self):
        self.assertEqual(self.words("ERROR: No matching distribution found for nvidia-cuda-crt==99"), "")


if __name__ == "__main__":
    unittest.main()
