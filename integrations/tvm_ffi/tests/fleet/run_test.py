"""What is done counts as done with the headers and the builds that were there: no cluster is needed."""

import contextlib
import datetime
import errno
import io
import json
import pathlib
import shutil
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import kmux.fleet  # noqa: E402
import programs  # noqa: E402
from kmux.fleet import _node, _run, _state, _verbs, _words  # noqa: E402
from kmux.fleet.__main__ import main  # noqa: E402
from kmux.fleet._driver import Limits  # noqa: E402
from kmux.fleet._report import report_of  # noqa: E402
from kmux.fleet._run import Plan, Run  # noqa: E402


class Units(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "inc" / "deep").mkdir(parents=True)
        self.write("factor.h", '#include "deep/value.h"\n')
        self.write("deep/value.h", "#define FACTOR 2\n")
        self.write("other.h", "")

    def write(self, name, text):
        (self.folder / "inc" / name).write_text(text)

    def begun(self, **options):
        """A run of a program that includes factor.h, and one of a program without headers."""
        run = Run(self.folder / "run")
        given = [programs.scale_of_header(), programs.scale()]
        for one in given:
            run.store.put(one)
        listed = [{"digest": one.digest, "name": one.name, "shapes": [{}]} for one in given]
        run.begin(Plan("compile", ["cpu"], listed, _words.of(options)))
        return run

    def line(self, unit):
        what = {"place": "cpu", "values": {}, "state": "done", "attempts": [], "result": {}}
        return {"key": unit.key, "program": unit.program, "name": unit.name, **what}

    def finish(self, run):
        run.open()
        run.append(map(self.line, run.units()))
        run.close()

    def left_after(self, name, text, **options):
        """How many units are left when a header was written after all were done."""
        run = self.begun(**options)
        self.finish(run)
        self.assertEqual(report_of(run).left, 0)
        self.write(name, text)
        return report_of(run).left

    def test_an_edited_header_undoes_the_programs_that_read_it(self):
        self.assertEqual(self.left_after("factor.h", "#define FACTOR 3\n", include_dirs=[self.folder / "inc"]), 1)

    def test_so_does_one_that_it_includes(self):
        self.assertEqual(self.left_after("deep/value.h", "#define FACTOR 3\n", include_dirs=[self.folder / "inc"]), 1)

    def test_so_does_one_in_the_folder_of_a_flag(self):
        flags = f"-DA=1 -I{self.folder / 'inc'}"
        self.assertEqual(self.left_after("factor.h", "#define FACTOR 3\n", compile_flags=flags), 1)
        self.assertEqual(report_of(self.begun(compile_flags=flags)).left, 1)

    def test_so_does_a_new_one_that_is_found_first(self):
        (self.folder / "first").mkdir()
        run = self.begun(include_dirs=[self.folder / "first", self.folder / "inc"])
        self.finish(run)
        (self.folder / "first" / "factor.h").write_text("#define FACTOR 3\n")
        self.assertEqual(report_of(run).left, 1)

    def test_so_does_one_that_a_macro_or_an_assembler_directive_names(self):
        for text in ('#define H "other.h"\n#include H\n', '__asm__(".incbin \\"other.h\\"");\n', "#include STR(other.h)\n"):
            headers = _state.Headers(["--include", str(self.folder / "inc")])
            self.assertEqual([pathlib.Path(path).name for path, _ in headers.read_by([text])], ["other.h"], text)

    def test_a_header_that_no_program_names_undoes_nothing(self):
        self.assertEqual(self.left_after("other.h", "int x;\n", include_dirs=[self.folder / "inc"]), 0)

    def test_headers_that_include_each_other_end(self):
        self.write("deep/value.h", '#include "value.h"\n#include "../factor.h"\n')
        self.assertEqual(self.left_after("other.h", "int x;\n", include_dirs=[self.folder / "inc"]), 0)

    def test_another_build_of_a_plugin_undoes_all(self):
        run = self.begun()
        self.finish(run)
        manifest = self.folder / "plugin.json"
        for text in ("{}", '{"build_id": "ab"}'):
            manifest.write_text(text)
            with mock.patch.object(_state, "plugins", lambda: [mock.Mock(path=str(manifest))]):
                self.assertEqual(report_of(run).left, 2)
                self.finish(run)
                self.assertEqual(report_of(run).left, 0)

    def test_a_line_is_whole_whatever_one_write_takes(self):
        run = self.begun()
        with mock.patch.object(_run.os, "write", lambda file, data, write=_run.os.write: write(file, data[:7])):
            self.finish(run)
        self.assertEqual(len(run.lines()), 2)

    def test_a_line_after_one_that_did_not_fit_is_whole(self):
        run = self.begun()
        first, second = run.units()
        run.open()

        def full(file, data, write=_run.os.write):
            if len(data) > 20:
                return write(file, data[:20])
            raise OSError(errno.ENOSPC, "no space")

        with mock.patch.object(_run.os, "write", full), self.assertRaisesRegex(OSError, "no space"):
            run.append([self.line(first)])
        run.append([self.line(second)])
        run.close()
        self.assertEqual([line["key"] for line in run.lines()], [second.key])

    def test_damaged_lines_do_not_count(self):
        run = self.begun()
        self.finish(run)
        journal = self.folder / "run" / "journal.jsonl"
        first = json.loads(journal.read_text().splitlines()[0])
        damaged = [{**first, "key": []}, {**first, "state": "lost"}, {**first, "values": 1}, {**first, "attempts": [1]}, {"key": first["key"]}, [], 1]
        damaged += [{name: value for name, value in first.items() if name != left_out} for left_out in ("result", "place")]
        for text in (b"[" * 100000, b"\xff\xfe{}", b"\0" * 100, *(json.dumps(each).encode() for each in damaged)):
            journal.write_bytes(text + b"\n")
            self.assertEqual((run.lines(), report_of(run).left), ([], 2), text[:80])

    def test_a_damaged_plan_is_refused(self):
        run = self.begun()
        path = self.folder / "run" / "plan.json"
        plan = json.loads(path.read_text())
        program = plan["programs"][0]
        damaged = [
            {"kmux_fleet": 1},
            {**plan, "more": 1},
            {**plan, "verb": "nope"},
            {**plan, "words": [1]},
            {**plan, "programs": [{**program, "digest": "../../x"}]},
            {**plan, "programs": [{**program, "shapes": [1]}]},
        ]
        for one in damaged:
            path.write_text(json.dumps(one))
            with self.assertRaisesRegex(ValueError, "plan.json is damaged"):
                run.plan()
        for text in ("[1]", "1", "[" * 100000):
            path.write_text(text)
            with self.assertRaisesRegex(ValueError, "has no run"):
                run.plan()

    def test_a_plan_without_its_programs_is_refused(self):
        run = self.begun(include_dirs=[self.folder / "inc"])
        shutil.rmtree(self.folder / "run" / "programs")
        with self.assertRaisesRegex(ValueError, "lacks a program of its plan .*Begin the run in another folder"):
            run.units()

    def test_limits_are_numbers_or_durations(self):
        limits = Limits.of(numpy.int64(2), datetime.timedelta(minutes=1), numpy.float32(3))
        self.assertEqual((limits.attempts, limits.seconds, limits.patience), (2, 60, 3))
        for given, kind, text in (
            ((0, 1, 1), ValueError, "attempts is 0"),
            (("3", 1, 1), TypeError, "attempts is '3' .an int is wanted."),
            ((numpy.True_, 1, 1), TypeError, "attempts is True .an int is wanted."),
            ((1, "1", 1), TypeError, "timeout is '1'"),
            ((1, 1, -1), ValueError, "patience is -1 s"),
            ((1, float("nan"), 1), ValueError, "timeout is nan s"),
        ):
            with self.assertRaisesRegex(kind, text):
                Limits.of(*given)

    def test_numbers_of_numpy_are_values_of_shapes(self):
        (listed,) = _verbs._listed([programs.scale()], [{"n": numpy.int64(4), "factor": numpy.float32(0.5)}])
        self.assertEqual(json.dumps(listed["shapes"]), '[{"n": 4, "factor": 0.5}]')
        for shapes in ("n=4", ["n=4"], [4], {"scale": ["n=4"]}):
            with self.assertRaisesRegex(TypeError, "shape .* is no dict .*in a list"):
                _verbs._listed([programs.scale()], shapes)
        with self.assertRaisesRegex(TypeError, "shape n=None is no number"):
            _verbs._listed([programs.scale()], [{"n": None}])
        with self.assertRaisesRegex(TypeError, r"shape n=array.* is no number"):
            _verbs._listed([programs.scale()], [{"n": numpy.array([4, 5])}])

    def test_what_a_node_raises_names_the_node(self):
        ray = types.SimpleNamespace(get_runtime_context=lambda: types.SimpleNamespace(get_node_id=lambda: "node 1"))
        work = _node.Work("compile", "cpu", (("key", "digest", {}),), (), 1)
        for error, code in ((OSError(28, "no space"), "unavailable"), (ValueError("another program"), "internal")):
            with mock.patch.dict(sys.modules, ray=ray), mock.patch.object(_node, "_store", side_effect=error):
                done = _node.perform(work, {"digest": None})
            self.assertEqual((done.node, done.outcomes[0].key, done.outcomes[0].code), ("node 1", "key", code))
            self.assertIn(str(error), done.outcomes[0].problem)

    def test_a_folder_that_cannot_be_used_is_an_error_of_the_command(self):
        file = self.folder / "file"
        file.write_text("")
        program = self.folder / "scale.kmux.json"
        programs.scale().save(program)
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(main(["compile", str(program), "--run", str(file)]), 4)  # 1 is that a unit failed
        self.assertRegex(told.getvalue(), "^kmux: error: .*Not a directory")

    def test_a_string_is_no_list(self):
        for call in (
            lambda: kmux.fleet.compile([programs.scale()], "cpu", run=self.folder / "run"),
            lambda: kmux.fleet.compile("scale.kmux.json", ["cpu"], run=self.folder / "run"),
            lambda: kmux.fleet.tune([programs.scale()], classes="cpu:x:y", run=self.folder / "run"),
            lambda: _words.of({"include_dirs": "inc"}),
        ):
            with self.assertRaisesRegex(TypeError, "a str, whose letters would be taken one by one"):
                call()
        for places, message in (([5], "5 is not a target or a class"), (5, "targets and classes are 5"), ([None], "None is not a target")):
            with self.assertRaisesRegex(TypeError, message):
                kmux.fleet.compile([programs.scale()], places, run=self.folder / "run")
        self.assertFalse((self.folder / "run").exists())
        with self.assertRaisesRegex(TypeError, "programs are a Program .a list of them is wanted."):
            kmux.fleet.compile(programs.scale(), run=self.folder / "run")

    def test_the_files_of_a_folder_that_is_not_named_are_not_read(self):
        run = self.begun()
        with mock.patch.object(_state.pathlib.Path, "read_bytes", side_effect=AssertionError):
            with mock.patch.object(_state, "builds", lambda: []):
                self.assertEqual(len(run.units()), 2)


if __name__ == "__main__":
    unittest.main()
