"""Devices of a machine, and which process measures on one: no cluster is needed."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from unittest import mock

from kmux._errors import UnavailableError
from kmux.fleet import _classes

CLASS = {"cuda": "cuda:sm_90a:Made_Up:13", "hip": "hip:gfx942:Made_Up:13", "cpu": "cpu:x86-64:Made_Up:13"}


def properties(kind, **more):
    return {"arch": CLASS[kind].split(":")[1], "name": "Made Up", "driver_version": "13.0", **more}


def machine(kind, *places):
    """What `kmux plugins` and `kmux devices` answer where these devices are visible."""
    devices = [
        {"backend": "made_up", "device": f"{kind}:{i}", "properties": properties(kind, **({"pci": place} if place else {}))}
        for i, place in enumerate(places)
    ]
    answers = {"plugins": [{"name": "made_up", "targets": [kind]}], "devices": devices}
    return mock.patch.object(_classes, "_ask", answers.__getitem__)


class Held(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        clean = {name: "" for name in _classes._MARKED}
        for patch in (mock.patch.object(tempfile, "tempdir", folder.name), mock.patch.dict(os.environ, clean)):
            patch.start()
            self.addCleanup(patch.stop)
        _classes._devices.cache_clear()
        self.addCleanup(_classes._devices.cache_clear)

    def seen(self, kind, places, **masks):
        """The machine as a process sees it that is given some devices: `places` of those, where they are known."""
        stack = [machine(kind, *places), mock.patch.dict(os.environ, masks)]
        for patch in stack:
            patch.start()
        _classes._devices.cache_clear()
        return lambda: [patch.stop() for patch in stack]

    def is_free(self, kind, places, **masks):
        leave = self.seen(kind, places, **masks)
        try:
            with _classes.held(CLASS[kind], 0):
                return True
        except UnavailableError:
            return False
        finally:
            leave()

    def check(self, kind, holder, others, free=()):
        """No other process gets what `holder` holds, by whatever names it sees it; those in `free` see another device."""
        places, masks = holder
        leave = self.seen(kind, places, **masks)
        with _classes.held(CLASS[kind], 0):
            leave()
            for other, more in others:
                self.assertFalse(self.is_free(kind, other, **more), (other, more))
            for other, more in free:
                self.assertTrue(self.is_free(kind, other, **more), (other, more))

    def test_a_device_has_one_lock_by_its_place_whatever_a_process_sees(self):
        mask = "CUDA_VISIBLE_DEVICES"
        first, second = "0000:1b:00", "0000:1c:00"
        others = [([second], {}), ([second], {mask: "1"}), ([second], {mask: "GPU-1234"}), ([second], {mask: "7"})]
        self.check("cuda", ([second], {mask: "1"}), others, [([first], {mask: "0"}), ([first, second], {}), ([second, first], {})])

    def test_without_a_place_it_has_one_by_its_number_among_all(self):
        mask = "CUDA_VISIBLE_DEVICES"
        others = [([""], {mask: "1"}), ([""], {mask: " 1 "})]
        free = [([""], {mask: "0"}), ([""], {mask: "GPU-1234"}), (["", ""], {mask: "1,0"}), (["", ""], {})]
        self.check("cuda", ([""], {mask: "1"}), others, free)
        self.check("hip", ([""], {"HIP_VISIBLE_DEVICES": "1", "ROCR_VISIBLE_DEVICES": "2,3"}), [([""], {"ROCR_VISIBLE_DEVICES": "3"})])

    def test_a_processor_has_one_lock(self):
        self.check("cpu", ([""], {"CUDA_VISIBLE_DEVICES": "1"}), [([""], {}), ([""], {"HIP_VISIBLE_DEVICES": "0"})])

    def test_of_two_processes_one_measures_on_the_processor(self):
        script = """
            import sys, tempfile
            from kmux.fleet import _classes
            kind = next(one.class_name for one in _classes.devices() if one.kind == "cpu")
            with _classes.held(kind, 0):
                print("held", flush=True)
                sys.stdin.read()
        """
        command = [sys.executable, "-B", "-c", textwrap.dedent(script)]
        environment = {**os.environ, "TMPDIR": tempfile.gettempdir()}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env={**environment, "CUDA_VISIBLE_DEVICES": "1"}, **pipes) as first:
            self.assertEqual(first.stdout.readline(), "held\n")
            second = subprocess.run(command, env=environment, input="", capture_output=True, text=True, check=False)
            first.stdin.close()
        self.assertEqual((second.returncode, second.stdout), (1, ""))
        self.assertIn("is in use here", second.stderr)


if __name__ == "__main__":
    unittest.main()
