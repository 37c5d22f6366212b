"""kmux_tilelang.targets: how each is named, and what it says about a text."""

import unittest
from types import SimpleNamespace

from kmux_tilelang.error import MiscomputedError, UnsupportedError, UsageError
from kmux_tilelang.targets import find_target, target_names
from kmux_tilelang.targets.cutedsl import python_requires
from tir import call_packed, device, imm, var


def lowered(text, **devices):
    return SimpleNamespace(text=text, devices=devices, release="0.1.14")


class Targets(unittest.TestCase):
    def test_are_those_of_the_command_line(self):
        self.assertEqual(target_names(), ["c", "cuda", "cutedsl", "hip", "metal"])

    def test_are_found_in_each_spelling(self):
        for text in (
            "cuda",
            "cuda:sm_90a",
            "cuda -arch=sm_90a",
            "cuda --arch=sm_90",
            '{"kind": "cuda", "arch": "sm_90"}',
        ):
            target = find_target(text)
            self.assertEqual((target.name, target.tilelang), ("cuda:sm_90a", {"kind": "cuda", "arch": "sm_90a"}))
        self.assertEqual(find_target("hip -mcpu=gfx1100").arch, "gfx1100")
        self.assertEqual(find_target("cutedsl:sm_100").tilelang, {"kind": "cutedsl", "arch": "sm_100a"})
        self.assertEqual(find_target("cuda:sm_80").arch, "sm_80")
        self.assertEqual(find_target("cuda:sm_100f").arch, "sm_100f")
        self.assertEqual(find_target("llvm").tilelang, "c")

    def test_have_dialects(self):
        dialects = {name: find_target(name).dialect for name in target_names()}
        self.assertEqual(dialects, {"c": "c", "cuda": "cuda", "cutedsl": "cutedsl", "hip": "hip", "metal": "msl"})

    def test_are_refused_with_what_is_known(self):
        for text, part in {
            "vax": "unknown target 'vax'. Targets: c, cuda", "": "unknown target ''", ":": "unknown target",
            "llvm -mcpu=znver4": "target 'llvm -mcpu=znver4' is not understood .*Write c",
            "c:x86": "target 'c:x86' is not understood .*Write c, or c:ARCH", "cuda -mcpu=sm_90": "is not understood",
            "cuda:90": "'90' is not a CUDA architecture", "cuda:sm_90x": "not a CUDA architecture",
            "cutedsl:gfx942": "not a CUDA architecture", "hip:sm_90": "not an architecture of AMD GPUs",
            "{kind: cuda}": "is not JSON", '{"kind": "vax"}': "unknown target",
        }.items():  # fmt: skip
            with self.assertRaisesRegex(UsageError, part):
                find_target(text)

    def test_c_hints_at_the_templates_that_a_text_includes(self):
        settings = find_target("c").settings(lowered("int x;\n"))
        self.assertEqual(settings, {"standard": "c++17", "include_hints": []})
        text = "#include <tl_templates/cpp/common.h>\n{} x;\n"
        self.assertEqual(find_target("c").settings(lowered(text.format("half")))["include_hints"], ["tilelang"])
        self.assertEqual(find_target("c").settings(lowered(text.format("float")))["include_hints"], [])
        self.assertEqual(find_target("c").source(lowered(text.format("float")), {}), "float x;\n")

    def test_cuda_has_what_nvrtc_lacks_behind_the_includes(self):
        text = '#include <a.h>\n#ifdef B\n#include "b.h"\n#endif\n'
        self.assertEqual(find_target("cuda").source(lowered(text + "int x;\n"), {}), text + "int x;\n")
        made = find_target("cuda").source(lowered(text + "float x = std::numeric_limits<half_t>::max();\nuint y;\n"), {})
        self.assertTrue(made.startswith(text + "#if defined(__CUDACC_RTC__) && !defined(__clang__)\n#include <cuda/std/limits>"))
        self.assertIn("using uint = unsigned int;", made)

    def test_cuda_names_what_the_compiler_must_include_first(self):
        text = "#include <tl_templates/cuda/common.h>\n"
        settings = find_target("cuda").settings(lowered(text, k=device(has_cuda_pdl_trigger=1)))
        self.assertEqual(settings["preludes"], ["tl_templates/cuda/nvrtc_std.h", "cuda_device_runtime_api.h"])
        self.assertEqual(settings["include_hints"], ["tilelang", "cutlass"])
        self.assertEqual(find_target("cuda").settings(lowered("int x;\n", k=device()))["preludes"], [])

    def test_metal_packs_values_but_not_addresses(self):
        kernel = device(var("p", "handle"), var("n"), tags=("blockIdx.x",))
        argument = lambda value, parameter: {"tensor" if str(parameter.dtype) == "handle" else "expr": "x"}  # noqa: E731
        call = call_packed("k", var("A"), var("n"), imm(4))
        self.assertTrue(find_target("metal").launch(call, {"k": kernel}, argument)["packed_values"])
        kernel.params = (kernel.params[0], kernel.params[0])
        self.assertNotIn("packed_values", find_target("metal").launch(call, {"k": kernel}, argument))
        self.assertIsNone(find_target("metal").launch(call_packed("other"), {"k": kernel}, argument))

    def test_metal_declares_what_threadgroups_share_in_the_text(self):
        kernel = device(var("p", "handle"), tags=("blockIdx.x", "tirx.use_dyn_shared_memory"))
        argument = lambda value, parameter: {"tensor": "x"}  # noqa: E731
        launch = find_target("metal").launch(call_packed("k", var("A"), imm(4), imm(1024)), {"k": kernel}, argument)
        self.assertNotIn("dynamic_smem_bytes", launch)

    def test_metal_defines_what_every_kernel_brings_once(self):
        union = "union __TVMArgUnion {\n int v_int[2];\n};\n"
        self.assertEqual(find_target("metal").source(lowered(f"a\n{union}b\n{union}c\n"), {}), f"a\n{union}b\nc\n")
        self.assertEqual(find_target("metal").source(lowered("a\n"), {}), "a\n")


class CuteDsl(unittest.TestCase):
    text = "@cute.kernel\ndef k(a, n):\n  x = tl.ThreadIdx()\n  a[x] = cutlass.Int32(n)\n"

    def test_imports_what_the_text_uses(self):
        source = find_target("cutedsl").source(lowered(self.text), {})
        self.assertTrue(
            source.startswith("import cutlass\nimport cutlass.cute as cute\nimport tilelang.contrib.cutedsl as tl\n")
        )
        self.assertTrue(source.endswith(self.text))
        compile(source, "k.py", "exec")

    def test_does_not_import_what_the_text_makes(self):
        self.assertEqual(find_target("cutedsl").source(lowered("cuda = 1\nprint(cuda)\n"), {}), "\n\ncuda = 1\nprint(cuda)\n")

    def test_says_which_parameters_are_tensor_maps(self):
        text = "@cute.kernel\ndef k(A_desc, b, n):\n  tl.prefetch_tma_descriptor(A_desc)\n  tl.tma_load(A_desc, b.x, (n,))\n"
        source = find_target("cutedsl").source(lowered(text), {})
        self.assertIn("def k(A_desc: cutlass.GridConstant[cuda.TensorMap], b, n):", source)
        self.assertIn("import cutlass.experimental.cuda as cuda\n", source)

    def test_lists_the_packages(self):
        settings = find_target("cutedsl").settings(lowered(self.text))
        wanted = ["nvidia-cutlass-dsl>=4.7.0", "tilelang==0.1.14"]  # the release that made the text
        self.assertEqual(settings["python_requires"], wanted)

    def test_refuses_wgmma_in_clusters(self):
        text = self.text + "  tl.initialize_wgmma_descriptor(1, 512, 64, x, a)\n"
        tag = "tirx.kernel_launch_params"
        alone, clustered = ({tag: ["blockIdx.x", *more]} for more in ((), ("tir.cluster_dim_x",)))
        target = find_target("cutedsl")
        self.assertIn("python_requires", target.settings(lowered(text, k=SimpleNamespace(attrs=alone))))
        self.assertIn("python_requires", target.settings(lowered(self.text, k=SimpleNamespace(attrs=clustered))))
        with self.assertRaisesRegex(MiscomputedError, "wgmma computes something else in clusters"):
            target.settings(lowered(text, k=SimpleNamespace(attrs=clustered)))

    def test_refuses_a_package_that_it_does_not_know(self):
        with self.assertRaisesRegex(UnsupportedError, "imports numpy, torch .unknown."):
            python_requires("import torch\nfrom numpy import array\n", "0.1.15")
