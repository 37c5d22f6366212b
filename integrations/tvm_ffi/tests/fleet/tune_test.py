"""kmux.fleet.tune on a real Ray cluster, and what it makes of measurements."""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import fleet_cluster
import kmux
import kmux.fleet
from fleet_cluster import CLASSES, FOLDER, cluster, command, misbehaving, needs_ray, some
from kmux.fleet import _classes, _command, _lock, _node


def measured(place="cpu:znver3:one", values=None, winner=0, times=(10, 20), build_id="b"):
    """A line of the journal, with candidates that took `times`; None is one that could not run."""
    candidates = []
    for variant, time_us in enumerate(times):
        candidate = {"backend": "cpu", "variant": variant, "target": "cpu:znver3", "build_id": build_id}
        ran = {"run_us": {"median": time_us, "low": time_us, "high": time_us}} if time_us else {"problem": "it cannot"}
        candidates.append({**candidate, **ran})
    result = {"candidates": candidates, "winner": winner}
    return {"program": "a" * 64, "name": "scale", "place": place, "values": values or {}, "result": result}


class Pins(unittest.TestCase):
    def check(self, lines, variant, note):
        made, notes = _lock.pins(lines)
        self.assertEqual([pin["variant"] for pin in made], [] if variant is None else [variant])
        self.assertRegex("\n".join(notes), note)

    def test_are_the_winners(self):
        made, notes = _lock.pins([measured(), measured(values={"n": 8})])
        expected = {
            "program": "a" * 64,
            "name": "scale",
            "target": "cpu:znver3",
            "backend": "cpu",
            "build_id": "b",
            "variant": 0,
        }
        self.assertEqual((made, notes), ([expected], []))

    def test_hold_the_winner_against_a_smaller_time(self):  # within what is noise
        self.check([measured(winner=0, times=(10, 9.99)), measured(winner=0, times=(10, 9.98))], 0, "^$")

    def test_lose_least_over_all_shapes(self):
        lines = [measured(winner=0, times=(10, 11)), measured(winner=1, times=(30, 10), values={"n": 8})]
        self.check(
            lines, 1, r"scale \(aaaaaaaaaaaa\) on cpu:znver3: .*variant 1 is pinned, which is 1.10 times as slow"
        )

    def test_take_models_of_one_architecture_together(self):
        lines = [
            measured("cuda:sm_90a:H100:13", winner=0, times=(10, 40)),
            measured("cuda:sm_90a:H200:13", winner=1, times=(15, 10)),
        ]
        self.check(lines, 0, "on cuda:sm_90a: shapes or models have different winners")

    def test_take_what_ran_everywhere(self):
        self.check([measured(winner=0, times=(10, 11)), measured(winner=1, times=(None, 10))], 1, "variant 1 is pinned")
        self.check(
            [measured(winner=0, times=(10, None)), measured(winner=1, times=(None, 10))],
            None,
            "no candidate ran in every shape",
        )

    def test_need_one_build_of_a_plugin(self):
        self.check([measured(), measured(build_id="c")], None, "not pinned: its nodes have 2 builds of plugin cpu")


    def test_say_what_is_noisy(self):
        noisy = measured()
        noisy["result"]["noise"] = "measured twice"
        made, notes = _lock.pins([noisy])
        self.assertEqual((len(made), notes), (1, ["scale (aaaaaaaaaaaa) on cpu:znver3:one: measured twice"]))


class Noise(unittest.TestCase):
    """What drifts, or is throttled, is measured again, or says so."""

    def measured(self, measure, *documents):
        """The outcome of `measure`, whose command answers so one time after the other; a word is a problem."""
        answers = [
            _command.Answer({}, one, "hung", 1) if isinstance(one, str) else _command.Answer(one, "", "", 1)
            for one in documents
        ]
        with mock.patch.object(_command, "call", side_effect=answers) as call:
            outcome = measure("key", ["PROGRAM"], 10)
        self.assertEqual((call.call_count, outcome.seconds), (len(documents), len(documents)))
        return outcome, [each.args[0] for each in call.call_args_list]

    def timed(self, width):
        run_us = {"median": 10, "low": 10 - width / 2, "high": 10 + width / 2}
        return {"winner": 0, "candidates": [{"run_us": run_us}]}

    def benched(self, drift):
        entrants = [{"backend": "cuda", "state": "timed"}]
        return {"contests": [{"host_drift": 0, "device_drift": {"cuda": drift}, "entrants": entrants}]}

    def test_of_a_quiet_device_there_is_none(self):
        outcome, _ = self.measured(_node._tuned, self.timed(0.5))
        self.assertEqual((outcome.code, outcome.result), ("", self.timed(0.5)))
        outcome, _ = self.measured(_node._benched, self.benched(-0.05))
        self.assertEqual(outcome.result, {"document": self.benched(-0.05)})

    def test_a_device_that_settles_is_measured_again(self):
        outcome, calls = self.measured(_node._tuned, self.timed(3), self.timed(0.5))
        self.assertEqual(outcome.result, self.timed(0.5))
        self.assertEqual(calls, [["tune", "PROGRAM"], ["tune", "PROGRAM", "--again"]])
        outcome, _ = self.measured(_node._benched, self.benched(-0.3), self.benched(0.02))
        self.assertEqual(outcome.result, {"document": self.benched(0.02)})

    def test_a_device_that_does_not_says_so(self):
        outcome, _ = self.measured(_node._tuned, self.timed(3), self.timed(4))
        self.assertEqual(outcome.result["candidates"], self.timed(3)["candidates"])
        self.assertRegex(outcome.result["noise"], "measured twice, and its time still varies by 30 %")
        outcome, _ = self.measured(_node._benched, self.benched(0.3), self.benched(-0.2))
        self.assertEqual(outcome.result["document"], self.benched(-0.2))
        self.assertRegex(outcome.result["noise"], "measured twice, and the machine drifted by 20 % meanwhile")

    def test_one_that_hangs_the_second_time_keeps_the_first(self):
        outcome, _ = self.measured(_node._tuned, self.timed(3), "no answer")
        self.assertRegex(outcome.result["noise"], "varies by 30 %")


FAKE = "cuda:sm_90a:Fake_H200:13"


def fake_driver():
    """The folder of a CUDA driver that computes nothing and tells times all the same."""
    folder = os.environ.get("KMUX_TEST_FAKE_CUDA", "")
    if not pathlib.Path(folder, "libcuda.so.1").is_file():
        raise unittest.SkipTest("needs the CUDA driver of tests/fakes")
    return folder


class Classes(unittest.TestCase):
    def test_are_kind_architecture_model_and_driver(self):
        driver = fake_driver()
        environment = {**os.environ, "LD_LIBRARY_PATH": driver, "KMUX_DISABLE_CACHE": "1"}
        done = subprocess.run(command("resources"), env=environment, capture_output=True, text=True, check=True)
        announced = json.loads(done.stdout)
        self.assertEqual(announced.pop(f"kmux:{FAKE}"), 1)  # once, though three backends have it
        (own,) = announced
        self.assertRegex(own, r"^kmux:cpu:[\w.-]+:\w+$")

    def test_are_compiled_for_what_a_lock_file_tells_apart(self):
        self.assertEqual(_classes.target_of("cpu:znver3:AMD_EPYC"), "cpu:znver3")
        self.assertEqual(_classes.target_of("cuda:sm_90a:NVIDIA_H200:13"), "cuda")
        self.assertEqual(_classes.family_of("cuda:sm_90a:NVIDIA_H200:13"), "cuda:sm_90a")

    def test_a_device_is_held_by_one(self):
        with _classes.held("cpu:znver3:any", 1) as ordinal:
            self.assertEqual(ordinal, 0)
            with self.assertRaisesRegex(kmux.UnavailableError, "in use here"), _classes.held("cpu:znver3:any", 0.1):
                pass
        with _classes.held("cpu:x86-64-v3:any", 1):
            pass
        with (
            self.assertRaisesRegex(kmux.UnavailableError, "no device of class cuda:sm_75:T4:12"),
            _classes.held("cuda:sm_75:T4:12", 1),
        ):
            pass


@needs_ray
class Tune(unittest.TestCase):
    def setUp(self):
        cluster()
        self.run_folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=FOLDER))

    def tune(self, programs, shapes, **options):
        return kmux.fleet.tune(programs, shapes, run=self.run_folder, address=cluster().address, **options)

    def test_makes_one_lock_file_for_all_classes(self):
        given = list(some(41, 1))
        report = self.tune(given, [{"n": 64, "factor": 2}, {"n": 1000, "factor": 2}])
        self.assertEqual((report.total, len(report.results), report.failures), (6, 6, []))
        self.assertEqual({line["place"] for line in report.results}, set(CLASSES))
        pinned = json.loads(report.lock.read_text())["programs"]
        targets = {f"cpu:{name.split(':')[1]}" for name in CLASSES}
        self.assertEqual(
            {(one["program"], one["target"]) for one in pinned},
            {(one.digest, target) for one in given for target in targets},
        )
        # What policy pinned makes of it.
        kernel = kmux.compile(given[0], target="cpu:x86-64-v3", policy="pinned", lock_file=report.lock)
        self.assertEqual((kernel.backend, kernel.target), ("cpu", "cpu:x86-64-v3"))
        (other,) = some(42, 1)
        with self.assertRaisesRegex(ValueError, "is not in lock file"):
            kmux.compile(other, target="cpu:x86-64-v3", policy="pinned", lock_file=report.lock)

    def test_writes_it_as_the_command_does(self):
        (given,) = some(43, 1)
        report = self.tune([given], {"scale": [{"n": 64, "factor": 2}]}, classes=[CLASSES[1]])
        given.save(self.run_folder / "scale.kmux.json")
        words = [
            "--target",
            "cpu:x86-64-v3",
            "--set",
            "n=64",
            "--set",
            "factor=2",
            "--lock",
            self.run_folder / "own.lock",
        ]
        subprocess.run(
            [_command.path(), "tune", self.run_folder / "scale.kmux.json", *words],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.assertEqual(report.lock.read_text(), (self.run_folder / "own.lock").read_text())

    def test_a_device_and_processors_are_in_one_lock_file(self):
        source = """__global__ void add(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}"""
        add = kmux.kernel(source, "add(x: f32[n], y: inout f32[n])", grid="ceildiv(n, 256)", block=256).program
        # One backend: over the fake two are equally fast, and a winner that is not sure is not pinned.
        with cluster().extra(FAKE, LD_LIBRARY_PATH=fake_driver(), KMUX_EXECUTION_BACKEND="nvrtc"):
            report = self.tune([add], [{"n": 1000}])
        for each in report.failures:
            if "NVRTC" in each["problem"]:
                self.skipTest(f"needs NVRTC ({each['problem']})")
        self.assertEqual((len(report.results), report.failures), (1 + len(CLASSES), []))
        pinned = {one["target"]: one["backend"] for one in json.loads(report.lock.read_text())["programs"]}
        self.assertEqual(pinned.pop("cuda:sm_90a"), "nvrtc")
        self.assertEqual(pinned, {f"cpu:{name.split(':')[1]}": "cpu" for name in CLASSES})

    def test_refuses_shapes_of_no_program(self):
        with self.assertRaisesRegex(ValueError, "shapes for 'scle'"):
            self.tune(some(44, 1), {"scle": [{"n": 1}]}, classes=CLASSES[:1])

    def test_measures_nothing_twice_when_the_driver_was_killed(self):
        files = []
        for i, one in enumerate(some(45, 4)):
            files.append(self.run_folder / f"{i}" / "scale.kmux.json")
            files[-1].parent.mkdir()
            one.save(files[-1])
        log, journal = self.run_folder / "log", self.run_folder / "run" / "journal.jsonl"
        where = [
            "--class",
            CLASSES[-1],
            "--shape",
            "n=64,factor=2",
            "--run",
            journal.parent,
            "--address",
            cluster().address,
        ]
        with misbehaving(f'echo "$@" >>{log}'):
            driver = subprocess.Popen(
                command("tune", *files, *where), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            self.addCleanup(driver.kill)
            while not journal.exists() or journal.read_text().count("\n") < 1:
                self.assertIsNone(driver.poll())
                time.sleep(0.01)
            driver.kill()
            driver.wait()
            before = [json.loads(line) for line in journal.read_text().splitlines()]
            begun = log.read_text().count("\n")
            report = kmux.fleet.resume(journal.parent, address=cluster().address)
        self.assertEqual((len(report.results), report.failures), (4, []))
        again = [line for line in log.read_text().splitlines()[begun:] if "--again" not in line]
        self.assertFalse([line for line in before for call in again if line["program"] in call])
        self.assertEqual(len(json.loads(report.lock.read_text())["programs"]), 4)


if __name__ == "__main__":
    unittest.main()
