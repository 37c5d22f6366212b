"""kmux_tilelang.export and .variant: several targets in one program, with lowerings made by hand."""

import contextlib
import importlib
import json
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from kmux_tilelang.description import Description
from kmux_tilelang.error import UnsupportedError, UsageError
from kmux_tilelang.kernel import Kernel
from tir import buffer, call_device, call_packed, device, evaluate, function, host, imm, var

exporter = importlib.import_module("kmux_tilelang.export")  # the package's name is the function
N = var("n")
TEXT = "#include <tl_templates/{0}/common.h>\nkernel for {0}\n"


def kernel_for(target):
    """The kernel k(A, B) as its author makes it for `target`; hip's takes something else."""
    made = function(buffer("A", [N], dtype="float16" if target.dialect == "hip" else "float32"), buffer("B", [imm(4)]))
    return Kernel("k", made, Description(flops="n"), {}, [], {}, [])


def kernel_named(unused):
    """k(A, B) whose second parameter, which target c does not use, is called `unused`."""
    return Kernel("k", function(buffer("A", [N]), buffer(unused, [imm(4)])), Description(), {}, [], {}, [])


def lowered_for(target):
    """Target c uses A alone, the others both."""
    if target.dialect == "c":
        body, made = call_device("k_kernel", var("A")), device(var("p", "handle"))
    else:
        body = call_packed("k_kernel", var("A"), var("B"), imm(8))
        made = device(var("p", "handle"), var("q", "handle"), tags=("blockIdx.x",))
    text = TEXT.format({"c": "cpp", "cuda": "cuda"}.get(target.dialect, "other"))
    return types.SimpleNamespace(host=host(evaluate(body)), devices={"k_kernel": made}, text=text, configs={})


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) / "out"
        replaced = {
            "target_context": lambda target: target,
            "load_kernel": lambda spec, arguments, target: kernel_for(target),
            "lower": lambda kernel, target: lowered_for(target),
            "check_valid": lambda document, files: None,
            "version": lambda: "0.1.15",
            "header_roots": lambda: [self.folder.parent / "headers"],
        }
        for name, replacement in replaced.items():
            self.enterContext(mock.patch.object(exporter, name, replacement))

    def export(self, *targets, **options):
        path = exporter.export("m:k", self.folder, targets=targets, **options)
        return json.loads(path.read_text())

    def test_makes_a_variant_for_each_target(self):
        made = self.export("c", "cuda:sm_80", "cuda:sm_90a", "metal")
        self.assertEqual([v["dialect"] for v in made["variants"]], ["c", "cuda", "cuda", "msl"])
        self.assertEqual(
            [v.get("requires") for v in made["variants"]], [None, {"arch": ["sm_80"]}, {"arch": ["sm_90a"]}, None]
        )
        names = [v["sources"][0]["path"] for v in made["variants"]]
        self.assertEqual(names, ["k.cpp", "k.sm_80.cu", "k.sm_90a.cu", "k.metal"])
        self.assertEqual((self.folder / "k.cpp").read_text(), TEXT.format("cpp"))

    def test_lets_a_buffer_be_null_only_if_no_target_uses_it(self):
        nullable = {"dtype": "float32", "shape": [4], "nullable": True}
        self.assertEqual(self.export("c")["signature"]["params"][1]["buffer"], nullable)
        used = {"dtype": "float32", "shape": [4], "alignment_bytes": 16}
        self.assertEqual(self.export("c", "cuda")["signature"]["params"][1]["buffer"], used)

    def test_names_the_target_whose_signature_differs_and_writes_nothing(self):
        with self.assertRaisesRegex(
            UnsupportedError, "for target 'hip:gfx942' than for 'c' .params: .*float16.*float32"
        ):
            self.export("c", "hip")
        self.assertFalse(self.folder.exists())

    def test_writes_nothing_if_one_target_cannot_be_lowered(self):
        def lower(kernel, target):
            if target.dialect == "c":
                return lowered_for(target)
            raise UnsupportedError("TileLang cannot lower")

        with mock.patch.object(exporter, "lower", lower), self.assertRaises(UnsupportedError):
            self.export("c", "cuda")
        self.assertFalse(self.folder.exists())

    def test_refuses_names_before_it_writes(self):
        for name in ("a b", "../k", "int"):
            with self.assertRaisesRegex(UsageError, f"'{name}' cannot name a program"):
                self.export("c", name=name)
        with mock.patch.object(exporter, "load_kernel", lambda *_: kernel_named("int")):
            with self.assertRaisesRegex(UnsupportedError, "'int' cannot name a parameter"):
                self.export("c")
        self.assertFalse(self.folder.exists())

    def test_refuses_a_symbol_that_no_input_has(self):
        made = kernel_named("B")
        with mock.patch.object(exporter, "load_kernel", lambda *_: made):
            with self.assertRaisesRegex(UnsupportedError, "symbol 'n' cannot be solved"):
                self.export("c", out_idx=[0])

    def test_takes_each_target_once(self):
        with self.assertRaisesRegex(UsageError, "'cuda:sm_90a' is given twice"):
            self.export("cuda", "cuda -arch=sm_90")

    def test_puts_headers_into_the_program(self):
        header = self.folder.parent / "headers/tl_templates/cuda/common.h"
        header.parent.mkdir(parents=True)
        header.write_text("// a header\n")
        variant = self.export("cuda", embed_headers=True)["variants"][0]
        self.assertEqual([file["path"] for file in variant["headers"]], ["tl_templates/cuda/common.h"])
        self.assertEqual((self.folder / "tl_templates/cuda/common.h").read_text(), "// a header\n")
        self.assertNotIn("include_hints", variant["settings"])

    def test_hints_at_headers_otherwise(self):
        variant = self.export("cuda")["variants"][0]
        self.assertEqual(variant["settings"]["include_hints"], ["tilelang", "cutlass"])
        self.assertNotIn("headers", variant)

    def test_has_metadata(self):
        self.assertEqual(self.export("c")["metadata"], {"flops": "n", "origin": "TileLang 0.1.15"})

    def test_replaces_a_program_as_a_whole(self):
        self.export("c")
        with (
            mock.patch.object(exporter, "lower", side_effect=UnsupportedError("no")),
            contextlib.suppress(UnsupportedError),
        ):
            self.export("cuda")
        self.assertEqual(json.loads((self.folder / "k.kmux.json").read_text())["variants"][0]["dialect"], "c")
