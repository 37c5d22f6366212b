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


def extra(name):
    """The parts of CUDA's own list of packages that an extra of the wheel has, and their releases."""
    listed = re.search(rf'^{name} = \["cuda-toolkit\[([a-z,]+)\]([^"]+)"\]$', text("integrations/tvm_ffi/pyproject.toml"), re.M)
    return listed[1].split(","), listed[2]


class NvrtcPackages(unittest.TestCase):
    def test_have_the_library_and_all_headers(self):
        parts = ("nvrtc", "runtime", "cccl", "crt")
        self.assertEqual(list(installed()), [f"nvidia-cuda-{part}" for part in parts])

    def test_are_of_one_version_of_the_toolkit(self):
        self.assertEqual({version.rsplit(".", 1)[0] for version in installed().values()}, {"13.0"})

    def test_extras_of_the_wheel_have_them_of_one_release_each(self):
        # By CUDA's list, which torch pins, too: packages on their own would be of the newest release beside torch's NVRTC.
        self.assertEqual(extra("nvrtc"), (["nvrtc", "cudart", "cccl", "crt"], ">=13.0,<14"))
        self.assertEqual(extra("nvrtc12"), (["nvrtc", "cudart", "cccl", "nvcc"], ">=12.9,<13"))  # its crt/ is in nvcc

    def test_are_those_of_the_message_and_of_the_page(self):
        for path in ("plugins/nvrtc/places.h", "plugins/nvrtc/README.md"):
            self.assertIn("pip install " + " ".join(installed()), text(path), path)
        self.assertIn(f"| {', '.join(installed())} 13.0 (PyPI) |", text("docs/dependencies.md"))


if __name__ == "__main__":
    unittest.main()
