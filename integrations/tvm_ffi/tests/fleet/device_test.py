"""kmux.fleet.tune on devices that are made up: several of a node, such that hang, nodes that die while they measure. The commands
of their nodes answer for the devices, and say that a program took as long as the test wants."""

import json
import pathlib
import tempfile
import unittest
from unittest import mock

import kmux.fleet
from fleet_cluster import FOLDER, cluster, misbehaving, needs_ray, odd_kmux, some, until

CLASS = "cuda:sm_90a:Made_Up:13"
PLUGINS = {"plugins": [{"name": "made_up", "targets": ["cuda"]}]}


def devices(count):
    properties = {"arch": "sm_90a", "name": "Made Up", "driver_version": "13.0"}
    listed = [{"backend": "made_up", "device": f"cuda:{i}", "properties": properties} for i in range(count)]
    return {"devices": listed}


def measurement():
    run_us = {"median": 10, "low": 10, "high": 10}
    one = {"backend": "made_up", "variant": 0, "target": "cuda:sm_90a", "build_id": "b", "run_us": run_us}
    return {"candidates": [one], "winner": 0}


def commands(count, tune):
    """What the command of a node with `count` devices does; `tune` has the number of its device as $device."""
    return f"""
case "$1" in
plugins) echo '{json.dumps(PLUGINS)}'; exit;;
devices) echo '{json.dumps(devices(count))}'; exit;;
tune)
  while [ "$1" != --device ]; do shift; done
  device=$2
{tune}
  echo '{json.dumps(measurement())}'; exit;;
esac"""


def hangs_at(mark):
    """What `tune` does: the odd node makes the file `mark` and hangs, the others wait for that and go on."""
    return f'[ -z "$KMUX_TEST_ODD" ] || {{ touch {mark}; sleep 1000; }}; {until(f"[ -e {mark} ]")}'


@needs_ray
class Devices(unittest.TestCase):
    def setUp(self):
        cluster()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=FOLDER))

    def node(self, count=1, **environment):
        """A node with devices of its own: their locks and the programs it was sent are in a folder of its own."""
        temporary = tempfile.mkdtemp(prefix="node-", dir=FOLDER)
        where = {"KMUX_TVM_FFI_LIBRARY": odd_kmux(), "TMPDIR": temporary, **environment}
        return cluster().extra(CLASS, devices=count, **where)

    def tune(self, programs, shapes=(), **options):
        where = {"run": self.folder / "run", "address": cluster().address, "classes": [CLASS]}
        return kmux.fleet.tune(programs, shapes, **where, **options)

    def test_all_of_a_node_are_used_at_once_each_by_one(self):
        # Nobody ends before both devices have begun, and none is begun while it is in use.
        both = until(f"[ -e {self.folder}/at0 ] && [ -e {self.folder}/at1 ]")
        tune = f"""
  mkdir {self.folder}/busy$device || touch {self.folder}/clash
  touch {self.folder}/at$device
  {both}
  rmdir {self.folder}/busy$device"""
        with misbehaving(commands(2, tune)), self.node(2):
            report = self.tune(some(71, 6))
        self.assertEqual((len(report.results), report.failures), (6, []))
        self.assertEqual({file.name for file in self.folder.glob("[abc]*")}, {"at0", "at1"})

    def test_one_that_hangs_is_left_to_others(self):
        mark = self.folder / "hangs"
        with misbehaving(commands(1, hangs_at(mark))), self.node(KMUX_TEST_ODD="1") as odd, self.node() as sound:
            report = self.tune(some(72, 2), timeout=8)
        self.assertEqual((len(report.results), report.failures), (2, []))
        self.assertEqual({line["node"] for line in report.results}, {sound.node_id})
        attempts = {(each["node"], each["code"]) for line in report.results for each in line["attempts"]}
        self.assertEqual(attempts, {(odd.node_id, "hung")})

    def test_one_that_always_hangs_is_reported_by_program_and_class_and_wins_nothing(self):
        (given,) = some(73, 1)
        with misbehaving(commands(1, "sleep 1000")), self.node():
            report = self.tune([given], [{"n": 8}], timeout=1, attempts=2)
        (failure,) = report.failures
        self.assertEqual((failure["place"], [each["code"] for each in failure["attempts"]]), (CLASS, ["hung"] * 2))
        self.assertRegex(
            str(report), rf"failed: scale \({given.digest[:12]}\) for {CLASS} n=8: hung: no answer within 1 s"
        )
        self.assertEqual(json.loads(report.lock.read_text())["programs"], [])

    def test_what_a_node_measured_when_it_died_is_measured_on_another(self):
        mark = self.folder / "measures"
        with misbehaving(commands(1, hangs_at(mark))), self.node(KMUX_TEST_ODD="1") as odd, self.node() as sound:
            with cluster().killing(odd, mark):
                report = self.tune(some(74, 2))
        self.assertEqual((len(report.results), report.failures), (2, []))
        self.assertEqual({line["node"] for line in report.results}, {sound.node_id})
        self.assertEqual({each["code"] for line in report.results for each in line["attempts"]}, {"died"})

    def test_each_program_is_sent_once_and_kept_by_its_digest(self):
        import ray

        given = list(some(75, 2))
        shapes = [{"n": 8}, {"n": 16}, {"n": 32}]
        temporary = tempfile.mkdtemp(prefix="node-", dir=FOLDER)
        with misbehaving(commands(1, "")), self.node(TMPDIR=temporary):
            with mock.patch.object(ray, "put", wraps=ray.put) as put:
                report = self.tune(given, shapes)
        self.assertEqual((len(report.results), put.call_count), (6, 2))
        (store,) = pathlib.Path(temporary).glob("kmux-fleet-*/programs")
        self.assertEqual({entry.name for entry in store.iterdir()}, {one.digest for one in given})


if __name__ == "__main__":
    unittest.main()
