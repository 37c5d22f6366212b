import errno
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import textwrap
import unittest
import weakref

import kmux
import numpy as np
import programs


class Program(unittest.TestCase):
    def test_is_loaded_with_its_files(self):
        program = kmux.load_program(pathlib.Path(os.environ["KMUX_TEST_PROGRAMS"]) / "scale" / "scale.kmux.json")
        self.assertEqual(program.name, "scale")
        self.assertIn("void scale", program.files["scale.c"])

    def test_is_saved_and_loaded_again(self):
        program = programs.scale()
        with tempfile.TemporaryDirectory() as folder:
            program.save(os.path.join(folder, "scale.kmux.json"))
            self.assertEqual(kmux.load_program(os.path.join(folder, "scale.kmux.json")).digest, program.digest)

    def test_fills_in_what_may_be_left_out(self):
        self.assertIn('"format":"kmux-program"', programs.scale().to_json())
        self.assertIn('"sha256"', programs.scale().to_json())

    def test_is_refused_if_it_must_not_be_read(self):
        script = textwrap.dedent("""
            import os, sys, kmux
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            for path in sys.argv[1:]:
                for use in (kmux.load_program, kmux.compile, kmux.kernel):
                    try:
                        use(path)
                    except PermissionError as error:
                        print(error)
        """)
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            closed = pathlib.Path(folder, "closed")
            closed.mkdir()
            paths = [closed / "a.kmux.json", pathlib.Path(folder, "b.cu")]
            for path in paths:
                path.write_text("{}")
                path.chmod(0)
            closed.chmod(0)
            words = [sys.executable, "-B", "-c", script, *map(str, paths)]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60)
            closed.chmod(0o700)
        expected = "".join(3 * f"[Errno 13] Permission denied: '{path}'\n" for path in paths)
        self.assertEqual(done.stdout, expected, done.stderr)

    def test_names_arguments_of_other_types(self):
        document = json.loads(programs.scale().to_json())
        for arguments, message in (
            ((document, {"scale.c": b"x"}), "file 'scale.c' is of type bytes .a text is wanted.. Decode it: errors='surrogateescape'"),
            ((document, {"scale.c": 3}), "file 'scale.c' is of type int .a text is wanted.. Give a str"),
            ((document, {5: "x"}), "files have the path 5 .of type int.. Give a str"),
            ((programs.scale().to_json(), {"scale.c": b"x"}), "file 'scale.c' is of type bytes"),
            ((document, "scale.c"), "files is a str .a dict of texts by path is wanted"),
            ((5,), "document is an int .JSON or a dict is wanted"),
        ):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                kmux.program(*arguments)
        with self.assertRaisesRegex(TypeError, "path is 5 .the path of a file is wanted.. Pass a str"):
            programs.scale().save(5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scale.kmux.json")
            programs.scale().save(os.fsencode(path))
            self.assertEqual(kmux.load_program(os.fsencode(path)), programs.scale())

    def test_can_be_referred_to_weakly(self):
        program = programs.scale()
        resolution = kmux.resolve(program, target="cpu")
        by_program = weakref.WeakKeyDictionary({program: 1})
        references = weakref.ref(program), weakref.ref(resolution)
        self.assertEqual((by_program[program], [each() is not None for each in references]), (1, [True, True]))
        del program, resolution
        self.assertEqual(([each() for each in references], len(by_program)), ([None, None], 0))

    def test_is_pickled(self):
        program = programs.scale()
        self.assertEqual(pickle.loads(pickle.dumps(program)).digest, program.digest)

    def test_is_equal_if_its_digest_is(self):
        program, same, other = programs.scale(), programs.scale(), programs.scale("x[i]")
        self.assertTrue(program == same and program != other and program != program.digest)
        self.assertEqual({program: 1, other: 2}[same], 1)

    def test_names_every_problem(self):
        with self.assertRaisesRegex(ValueError, "Did you mean 'params'"):
            kmux.program({"name": "x", "signature": {"parms": []}, "variants": []})
        with self.assertRaisesRegex(ValueError, "file 'scale.c' is not given"):
            kmux.program(programs.scale().to_json(), {})

    def test_says_which_files_are_missing_or_too_many(self):  # C3.10
        document = json.loads(programs.scale().to_json())
        del document["variants"][0]["sources"][0]["sha256"]
        with self.assertRaisesRegex(ValueError, r"names 'scale.c', not given .* Pass files={'scale.c': its text}"):
            kmux.program(document)
        both = {**programs.scale().files, "scal.c": ""}
        with self.assertRaisesRegex(ValueError, "file 'scal.c' is given, but .* Did you mean 'scale.c'"):
            kmux.program(document, both)

    def test_is_refused_if_it_cannot_be_read_or_written(self):
        for path in ("/nowhere/x.kmux.json", b"/nowhere/x.kmux.json", pathlib.Path("/nowhere/x.kmux.json")):
            with self.assertRaisesRegex(FileNotFoundError, "No such file or directory: '/nowhere/x.kmux.json'"):
                kmux.compile(path) if isinstance(path, str) else kmux.load_program(path)
        with self.assertRaisesRegex(ValueError, "'void f.. {' begins a text .*Call kmux.kernel"):
            kmux.compile("\nvoid f() {\n}\n")
        for text in ("void f(float* x) {}", "f(x: f32[n])"):
            with self.assertRaisesRegex(FileNotFoundError, r"No such file or directory \(a text .* may be a source\). Call kmux.kernel .*: '") as raised:
                kmux.compile(text)
            self.assertEqual((raised.exception.errno, raised.exception.filename), (errno.ENOENT, text))
        with tempfile.TemporaryDirectory() as folder:  # a file of the program is another matter
            path = pathlib.Path(folder, "scale.kmux.json")
            programs.scale().save(path)
            path.with_name("scale.c").unlink()
            with self.assertRaisesRegex(ValueError, "cannot read .*scale.c"):
                kmux.load_program(path)
        with self.assertRaises(kmux.UnavailableError):
            programs.scale().save("/nowhere/scale.kmux.json")

    def test_a_folder_is_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for read in (kmux.load_program, kmux.compile, kmux.resolve, kmux.kernel, lambda path: kmux.par_compile([path])):
                for path in (folder, pathlib.Path(folder)):
                    with self.assertRaisesRegex(IsADirectoryError, f"Is a directory: '{folder}'"):
                        read(path)

    def test_a_lock_file_that_cannot_be_read_is_named(self):
        program = programs.scale()

        def described(b: kmux.JitBuilder, x):
            b.variant("c", sources={"f.c": "void f(float* x) {}"})
            b.launch("f", [b.inout("x", [b.symbol("n")])])

        with tempfile.TemporaryDirectory() as folder:
            for path, error in ((f"{folder}/none.json", FileNotFoundError), (folder, IsADirectoryError), ("none.json", FileNotFoundError)):
                how = {"target": "cpu", "policy": "pinned", "lock_file": path}
                eager = kmux.jit(**how)(described)
                for call in (
                    lambda: kmux.compile(program, **how), lambda: kmux.par_compile([program], **how), lambda: kmux.jit(**how)(lambda: program)(),
                    lambda: kmux.par_compile([program], each=[how]), lambda: kmux.export_library(program, f"{folder}/f.so", **how),
                    lambda: eager(np.ones(1, "float32")), lambda: eager.par_compile([np.ones(1, "float32")], [{}]),
                ):  # fmt: skip
                    with self.subTest(path), self.assertRaisesRegex(error, f"'{path}'"):
                        call()
            pathlib.Path(folder, "damaged.json").write_text("[")
            with self.assertRaisesRegex(ValueError, "damaged.json' cannot be read"):
                kmux.compile(program, target="cpu", policy="pinned", lock_file=f"{folder}/damaged.json")

    def test_cannot_be_made_without_one(self):
        with self.assertRaises(TypeError):
            kmux.Program()


if __name__ == "__main__":
    unittest.main()
