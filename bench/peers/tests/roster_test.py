import unittest
from unittest import mock

import cuda_driver
import peer
import roster


class Roster(unittest.TestCase):
    def test_has_everybody_by_a_name_of_their_own(self):
        names = [peer.name for peer in roster.PEERS]
        self.assertEqual(len(set(names)), len(names))
        kmux = [f"kmux, {backend}" for backend in ("nvrtc", "cuda", "cpu")]
        tilelang = [f"TileLang, {adapter}" for adapter in ("tvm_ffi", "nvrtc", "cython", "cutedsl", "cython on")]
        for system in (*kmux, *tilelang, "driver", "cuda.core", "CuPy", "cuda.bindings", "Triton", "PoCL", "C loop"):
            self.assertTrue(any(system in name for name in names), system)
        self.assertIs(roster.named(names[0]), roster.PEERS[0])

    def test_begins_each_side_with_what_the_others_are_measured_by(self):
        self.assertEqual([roster.on(side)[0].name for side in ("device", "host")], ["driver, from C", "C loop"])
        self.assertEqual(len(roster.on("all")), len(roster.PEERS))

    def test_knows_who_is_not_there(self):
        with self.assertRaisesRegex(LookupError, "no peer 'x'"):
            roster.named("x")

    def test_everybody_says_what_is_missing(self):
        nothing = mock.patch.object(peer.importlib.util, "find_spec", return_value=None)
        no_compiler = mock.patch("shutil.which", return_value=None)
        a_device = mock.patch.object(cuda_driver, "missing", return_value="")
        for present in roster.PEERS:
            with nothing, no_compiler, a_device:
                self.assertRegex(present.missing(), r"is not installed$", present.name)

    def test_no_device_is_said_before_anything_else(self):
        with mock.patch.object(cuda_driver, "missing", return_value="no CUDA device"):
            for present in roster.on("device"):
                self.assertEqual(present.missing(), "no CUDA device", present.name)

    def test_a_package_inside_a_missing_one_is_missing(self):
        self.assertEqual(peer.missing_packages("no_such_package.inside"), "no_such_package.inside is not installed")


if __name__ == "__main__":
    unittest.main()
