#!/usr/bin/env python3
"""Wherever the PyPI packages of NVRTC are named, they are the same: a set without crt/ compiles nothing that includes CUDA."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def packages(path, beginning, end):
    """{package: version} of a list in a file."""
    listed = text(path).split(beginning, 1)[1].split(end, 1)[0]
    return dict(re.findall(r"([a-z-]+)==([0-9.*]+)", listed))


def installed():
    return packages("kmux.sh", "NVRTC_PACKAGES=(", ")")


def extra():
    listed = text("integrations/tvm_ffi/pyproject.toml").split("nvrtc = [", 1)[1].split("]", 1)[0]
    return dict(re.findall(r'"([a-z-]+)([^"]*)"', listed))


class NvrtcPackages(unittest.TestCase):
    def test_have_the_library_and_all_headers(self):
        parts = ("nvrtc", "runtime", "cccl", "crt")
        self.assertEqual(list(installed()), [f"nvidia-cuda-{part}" for part in parts])

    def test_are_of_one_version_of_the_toolkit(self):
        self.assertEqual({version.rsplit(".", 1)[0] for version in installed().values()}, {"13.0"})

    def test_are_among_those_of_the_extra_of_the_wheel(self):
        self.assertEqual(extra(), dict.fromkeys(installed(), ">=13.0,<14"))  # torch pins one of these

    def test_are_those_of_the_message_and_of_the_page(self):
        for path in ("plugins/nvrtc/places.h", "plugins/nvrtc/README.md"):
            self.assertIn("pip install " + " ".join(installed()), text(path), path)
        self.assertIn(f"| {', '.join(installed())} 13.0 (PyPI) |", text("docs/dependencies.md"))


if __name__ == "__main__":
    unittest.main()
