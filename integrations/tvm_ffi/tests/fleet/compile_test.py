"""kmux.fleet.compile on a real Ray cluster: everything is built once, whatever dies in the middle."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from unittest import mock

import fleet_cluster
import kmux
import kmux.fleet
from kmux.fleet import _cluster, _command, _fetch, _view
from fleet_cluster import FOLDER, cluster, command, misbehaving, needs_ray, some, until

ODD = f"kmux:{fleet_cluster.CLASSES[-1]}"
TARGETS = ["cpu:x86-64-v2", "cpu:x86-64-v3"]


def lines_of(run):
    return [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]


def built(report):
    """Units that were compiled; the others were found in the cache."""
    return [line["key"] for line in report.results if not line["result"]["from_cache"]]


def demanding(resource):
    """For nodes that have this resource alone."""
    return mock.patch.object(_cluster.Cluster, "demand", lambda *_: {"CPU": 1, resource: 0.01})


class Case(unittest.TestCase):
    def setUp(self):
        cluster()
        self.run_folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=FOLDER))

    def compile(self, programs, targets=TARGETS, **options):
        return kmux.fleet.compile(programs, targets, run=self.run_folder, address=cluster().address, **options)

    def wait_for_lines(self, count):
        journal = self.run_folder / "journal.jsonl"
        for _ in range(2400):
            if journal.exists() and journal.read_text().count("\n") >= count:
                return
            time.sleep(0.05)
        self.fail(f"no {count} units ended within 2 minutes")


@needs_ray
class Compile(Case):
    def test_builds_each_once_in_the_fleet(self):
        given = list(some(1, 12))
        report = self.compile([*given, *given])
        self.assertEqual((report.total, len(report.results), report.failures, report.left), (24, 24, [], 0))
        self.assertEqual(len(built(report)), 24)
        self.assertGreater(len({line["node"] for line in report.results}), 1)
        # What another run wants of it is there, on whatever node: it is in the server that they share.
        again = kmux.fleet.compile(given, TARGETS, run=self.run_folder / "again", address=cluster().address)
        self.assertEqual((len(again.results), built(again)), (24, []))

    def test_sends_the_programs_of_a_task_together_and_once(self):
        import ray

        with demanding(ODD), mock.patch.object(ray, "put", wraps=ray.put) as put:  # tasks of three, for one core
            report = self.compile(some(5, 12))
        self.assertEqual((len(report.results), report.failures), (24, []))
        self.assertEqual([len(call.args[0]) for call in put.call_args_list], [3] * 4)

    def test_repeats_nothing_of_a_run_that_is_over(self):
        given = list(some(2, 3))
        first = self.compile(given)
        events = []
        self.assertEqual(self.compile(given, progress=events.append).results, first.results)
        self.assertEqual((events, len(lines_of(self.run_folder))), ([], 6))
        with self.assertRaisesRegex(ValueError, "has another run .*Name another folder"):
            self.compile(given[:2])

    def test_tells_of_each_step(self):
        events = []
        self.compile(some(3, 2), TARGETS[:1], progress=events.append)
        self.assertEqual([event["event"] for event in events], ["begin", "unit", "unit"])
        self.assertEqual({name: events[0][name] for name in ("total", "done")}, {"total": 2, "done": 0})
        self.assertEqual(set(events[0]["classes"]), set(fleet_cluster.CLASSES))

    def test_reports_what_a_compiler_refuses_by_program_and_target(self):
        bad = fleet_cluster.programs.scale("missing * x[i]")
        report = self.compile([*some(4, 2), bad], TARGETS[:1])
        (failure,) = report.failures
        self.assertEqual((len(report.results), failure["code"], failure["attempts"]), (2, "compile_failed", []))
        self.assertRegex(
            str(report), rf"failed: scale \({bad.digest[:12]}\) for cpu:x86-64-v2: compile_failed: .*missing"
        )
        # Its own fault: nobody tries it again.
        kmux.fleet.resume(self.run_folder, address=cluster().address)
        self.assertEqual(len(lines_of(self.run_folder)), 3)

    def test_a_source_that_ends_its_compiler_costs_its_own_unit(self):
        deep = fleet_cluster.programs.scale("+".join(["x[i]"] * 60000))
        report = self.compile([*some(55, 2), deep], TARGETS[:1])
        (failure,) = report.failures
        self.assertEqual([line["attempts"] for line in report.results], [[], []])
        self.assertEqual([failure["code"], *(each["code"] for each in failure["attempts"])], ["crashed"] * 4)

    def test_refuses_options_that_differ_between_nodes(self):
        with self.assertRaisesRegex(TypeError, "no option 'use_cache' .*would not mean the same"):
            self.compile([], use_cache=False)
        with self.assertRaisesRegex(TypeError, "Did you mean 'compile_flags'"):
            self.compile([], compile_flag="-O2")


@needs_ray
class Failures(Case):
    def test_what_crashes_on_one_node_is_done_on_others(self):
        mark = self.run_folder / "crashed"  # which the other node waits for: else it may do everything before the first begins
        crash = f'[ -n "$KMUX_TEST_SOUND" ] || {{ touch {mark}; kill -SEGV $$; }}; {until(f"[ -e {mark} ]")}'
        where = {"KMUX_TVM_FFI_LIBRARY": fleet_cluster.odd_kmux(), "KMUX_TEST_SOUND": "1"}
        with misbehaving(crash), cluster().extra(fleet_cluster.CLASSES[-1], **where) as sound, demanding(ODD):
            report = self.compile(some(11, 12), TARGETS[:1])
        self.assertEqual((len(report.results), report.failures), (12, []))
        self.assertEqual({line["node"] for line in report.results}, {sound.node_id})
        attempts = [attempt for line in report.results for attempt in line["attempts"]]
        self.assertEqual({(each["node"], each["code"]) for each in attempts}, {(cluster().odd.node_id, "crashed")})

    def test_what_hangs_is_ended_and_done_again(self):
        with (
            misbehaving(f"mkdir {self.run_folder}/hung 2>/dev/null && sleep 1000"),
            demanding(ODD),
        ):  # the first one alone
            report = self.compile(some(12, 3), TARGETS[:1], timeout=1)
        self.assertEqual((len(report.results), report.failures), (3, []))
        self.assertEqual([attempt["code"] for line in report.results for attempt in line["attempts"]], ["hung"])

    def test_what_crashes_everywhere_is_tried_three_times_and_reported(self):
        (bad,) = some(13, 1)
        with misbehaving(f'case "$*" in *{bad.digest}*) kill -SEGV $$;; esac'), demanding(ODD):
            report = self.compile([*some(14, 4), bad], TARGETS[:1])
        self.assertEqual(len(report.results), 4)
        (failure,) = report.failures
        self.assertEqual(
            (failure["program"], [each["code"] for each in failure["attempts"]]), (bad.digest, ["crashed"] * 3)
        )
        self.assertRegex(str(report), r"failed: scale \(.*\) for cpu:x86-64-v2: crashed: ended by SIGSEGV")
        self.assertRegex(str(report), r"3 times: crashed: ended by SIGSEGV")
        # Another day, with another compiler: it is tried again, and nothing else.
        report = kmux.fleet.resume(self.run_folder, address=cluster().address)
        self.assertEqual((len(report.results), report.failures, len(lines_of(self.run_folder))), (5, [], 6))

    def test_a_place_without_a_node_is_given_up_after_a_while(self):
        with demanding("kmux:nowhere"):
            report = self.compile(some(15, 2), TARGETS[:1], patience=1)
        self.assertEqual([line["code"] for line in report.failures], ["unavailable"] * 2)
        self.assertRegex(str(report), "no node for cpu:x86-64-v2 is in the cluster")

    def test_a_node_that_is_killed_in_the_middle_loses_nothing(self):
        mark = self.run_folder / "at_work"
        where = {"KMUX_TVM_FFI_LIBRARY": fleet_cluster.odd_kmux(), "KMUX_TEST_MARK": str(mark)}
        with cluster().extra(fleet_cluster.CLASSES[-1], **where) as node, demanding(ODD):  # two nodes that can
            dawdling = misbehaving('[ -z "$KMUX_TEST_MARK" ] || { touch "$KMUX_TEST_MARK"; sleep 5; }')
            with cluster().killing(node, mark), dawdling:
                report = self.compile(some(16, 8, 3))
        self.assertEqual((len(report.results), report.failures), (16, []))
        self.assertEqual({attempt["code"] for line in report.results for attempt in line["attempts"]}, {"died"})

    def test_the_server_may_stop_and_start(self):
        stops = []

        def stop(event):
            if event["event"] == "unit":
                stops.append(event)
                if len(stops) == 2:
                    cluster().redis.stop()
                if len(stops) == 12:
                    cluster().redis.start()

        report = self.compile(some(17, 12, 3), progress=stop)
        self.assertEqual((len(report.results), report.failures, len(stops)), (24, [], 24))


@needs_ray
class Resume(Case):
    def begin(self, count):
        """A driver in a process of its own, which has some units left when this returns."""
        files = []
        for i, one in enumerate(some(21 + count, count, 4)):
            files.append(self.run_folder / f"{i}" / "scale.kmux.json")
            files[-1].parent.mkdir()
            one.save(files[-1])
        words = ["--target", TARGETS[0], "--run", self.run_folder, "--address", cluster().address, "--json"]
        driver = subprocess.Popen(
            command("compile", *files, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(driver.kill)
        self.wait_for_lines(2)
        return driver

    def check(self, count):
        before = lines_of(self.run_folder)
        self.assertLess(len(before), count)
        self.assertEqual(kmux.fleet.status(self.run_folder).left, count - len(before))
        report = kmux.fleet.resume(self.run_folder, address=cluster().address)
        self.assertEqual((len(report.results), report.failures, report.left), (count, [], 0))
        after = lines_of(self.run_folder)
        self.assertEqual(after[: len(before)], before)
        self.assertEqual(len({line["key"] for line in after}), len(after))

    def test_goes_on_after_the_driver_was_killed(self):
        driver = self.begin(12)
        driver.kill()
        driver.communicate()
        self.check(12)

    def test_goes_on_after_ctrl_c(self):
        driver = self.begin(13)
        with self.assertRaisesRegex(kmux.UnavailableError, "in use"):
            kmux.fleet.resume(self.run_folder, address=cluster().address)
        driver.send_signal(signal.SIGINT)
        output, errors = driver.communicate(timeout=20)
        self.assertEqual(driver.returncode, 130, errors)
        self.assertIn(f"kmux fleet resume {self.run_folder}", errors)
        events = [json.loads(line) for line in output.splitlines()]
        self.assertEqual(events[0]["event"], "begin")
        self.check(13)


@needs_ray
class Fetch(Case):
    """What was compiled comes to the driver's machine."""

    def at(self, cache, **more):
        """A cache of its own, and the server of the cluster if `more` says so."""
        return {"KMUX_CACHE_DIR": str(self.run_folder / cache), **more}

    def server(self):
        return {"KMUX_REMOTE_CACHE": f"redis://127.0.0.1:{cluster().redis.port}/0?unauthenticated=1"}

    def kmux(self, cache, *words):
        done = subprocess.run(
            [str(_command.path()), *map(str, words)],
            env={**os.environ, **self.at(cache)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_gives_one_bundle_to_ship(self):
        given = list(some(61, 5))
        events = []
        with mock.patch.dict(os.environ, self.at("driver", **self.server())):
            report = self.compile(given, progress=events.append)
        self.assertEqual((report.here, report.notes), (10, []))
        self.assertEqual([event["done"] for event in events if event["event"] == "fetch"], [5, 10])
        self.assertIn("10 of 10 are in the cache of this machine", str(report))
        self.kmux("driver", "cache", "export", self.run_folder / "all.tar.zst")
        # A machine that has nothing but the bundle: it compiles nothing.
        self.kmux("shipped", "cache", "import", self.run_folder / "all.tar.zst")
        for one in given:
            file = self.run_folder / "programs" / one.digest / "program.kmux.json"
            where = ("--target", TARGETS[1], "--json")
            self.assertTrue(json.loads(self.kmux("shipped", "compile", file, *where))["from_cache"])
            ran = json.loads(self.kmux("shipped", "run", file, *where, "--set", "n=64", "--set", "factor=2"))
            self.assertEqual(ran["backend"], "cpu")

    def test_compiles_little_here_where_the_server_has_lost_it(self):
        with mock.patch.object(_fetch, "_BATCH", 2):
            self.compile(some(62, 6), TARGETS[:1])
            cluster().redis.stop()
            cluster().redis.start()  # it keeps nothing
            with mock.patch.dict(os.environ, self.at("driver", **self.server())):
                report = kmux.fleet.resume(self.run_folder)
        self.assertEqual(report.here, 2)
        (note,) = report.notes
        self.assertRegex(note, r"4 of 6 are not in the cache of this machine \(the server has no longer what the nodes put")

    def test_leaves_it_where_it_is_if_asked_to_or_without_a_server(self):
        with mock.patch.dict(os.environ, self.at("driver", **self.server())):
            report = self.compile(some(63, 2), TARGETS[:1], fetch=False)
        self.assertEqual((report.here, report.notes, list(self.run_folder.glob("driver/*"))), (None, [], []))
        elsewhere = [{**line, "host": "far"} for line in report.results]
        here, (note,) = _fetch.fetch(None, elsewhere, 1, _view.View())
        self.assertIsNone(here)
        self.assertRegex(note, "what was built on far is not in the cache of this machine .KMUX_REMOTE_CACHE is not set")


@needs_ray
class ParCompile(Case):
    """In a process of its own, whose runtime has the server of the cluster."""

    def python(self, script):
        folder = pathlib.Path(fleet_cluster.__file__).parent
        environment = {
            **os.environ,
            "KMUX_REMOTE_CACHE": f"redis://127.0.0.1:{cluster().redis.port}/0?unauthenticated=1",
            "KMUX_CACHE_DIR": str(self.run_folder / "cache"),
            "RAY_ADDRESS": cluster().address,
        }
        begin = f"import sys; sys.path.insert(0, {str(folder.parent)!r}); import kmux, programs\n"
        words = [sys.executable, "-B", "-W", "ignore", "-c", begin + textwrap.dedent(script)]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_loads_what_was_built_on_the_nodes(self):
        output = self.python("""
            given = [programs.scale(f"{i} * x[i] + 51") for i in range(4)] + [programs.scale("missing * x[i] + 51")]
            events = []
            each = [{"compile_flags": f"-DANY={i % 2}"} for i in range(5)]
            how = {"ignore_error": True, "progress": events.append, "each": each, "verbose": False}
            made = kmux.par_compile(given, target="cpu", executor="ray", **how)
            import numpy
            x = numpy.ones(1, "float32")
            print("kernels", [kernel and float(numpy.from_dlpack(kernel(x, 0.0))[0]) for kernel in made])
            print("cached", [event.from_cache for event in events if event.step == "done"])
        """)
        self.assertIn("kernels [51.0, 52.0, 53.0, 54.0, None]", output)
        self.assertIn("cached [True, True, True, True]", output)

    def test_refuses_another_executor(self):
        with self.assertRaisesRegex(ValueError, 'executor \'dask\' is not known .there are "here" and "ray"'):
            kmux.par_compile([], executor="dask")


class Journal(unittest.TestCase):
    """What needs no cluster."""

    def setUp(self):
        self.run_folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=FOLDER))

    def test_a_line_that_is_not_whole_does_not_count(self):
        from kmux.fleet._run import Run

        def line(key):
            what = {"program": "p", "name": "n", "place": "cpu", "values": {}, "attempts": [], "result": {}}
            return {"key": key, "state": "done", **what}

        run = Run(self.run_folder)
        run.open()
        run.append([line("a")])
        run.close()
        with (self.run_folder / "journal.jsonl").open("a") as file:
            file.write('{"key": "b", "sta')
        self.assertEqual([line["key"] for line in run.lines()], ["a"])
        run.open()
        run.append([line("c")])
        run.close()
        self.assertEqual([line["key"] for line in run.lines()], ["a", "c"])

    def test_a_folder_without_a_run_is_refused(self):
        with self.assertRaisesRegex(ValueError, "has no run"):
            kmux.fleet.status(self.run_folder)

    def test_a_program_that_is_not_what_its_digest_says_is_refused(self):
        from kmux.fleet._store import Store, packed

        first, second = some(31, 2)
        store = Store(self.run_folder)
        with self.assertRaisesRegex(ValueError, "came as .*what the driver sent"):
            store.fetch(first.digest, lambda: packed(second))
        path = store.fetch(first.digest, lambda: packed(first))
        next(path.parent.glob("*.c")).write_text("void scale(void) {}")
        self.assertFalse(Store(self.run_folder).has(first.digest))  # a process that has not seen it before

    def test_a_program_that_is_here_is_not_sent_again(self):
        from kmux.fleet._store import Store, packed

        (given,) = some(33, 1)
        asked = []

        def get():
            asked.append(given)
            return packed(given)

        for _ in range(2):  # processes
            store = Store(self.run_folder)
            path = store.fetch(given.digest, get)
            self.assertEqual(store.fetch(given.digest, get), path)
        self.assertEqual(len(asked), 1)
        next(path.parent.glob("*.c")).write_text("void scale(void) {}")  # damaged
        self.assertEqual(kmux.load_program(Store(self.run_folder).fetch(given.digest, get)).digest, given.digest)
        self.assertEqual(len(asked), 2)


if __name__ == "__main__":
    unittest.main()
