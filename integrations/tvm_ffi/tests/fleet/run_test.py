"""What is done counts as done with the headers and the builds that were there: no cluster is needed."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import kmux.fleet  # noqa: E402
import programs  # noqa: E402
from kmux.fleet import _run, _state, _words  # noqa: E402
from kmux.fleet.__main__ import main  # noqa: E402
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

    def finish(self, run):
        run.open()
        what = {"place": "cpu", "values": {}, "state": "done", "attempts": [], "result": {}}
        run.append({"key": unit.key, "program": unit.program, "name": unit.name, **what} for unit in run.units())
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

    def test_the_files_of_a_folder_that_is_not_named_are_not_read(self):
        run = self.begun()
        with mock.patch.object(_state.pathlib.Path, "read_bytes", side_effect=AssertionError):
            with mock.patch.object(_state, "builds", lambda: []):
                self.assertEqual(len(run.units()), 2)


if __name__ == "__main__":
    unittest.main()
