"""kmux_tilelang.device_launch"""

import unittest

from kmux_tilelang.device_launch import device_launch, packed_call
from kmux_tilelang.error import UnsupportedError
from tir import binary, call, call_packed, device, imm, var

GRID = ("blockIdx.x", "blockIdx.y", "threadIdx.x", "threadIdx.y", "threadIdx.z")


def launch(*values, tags=GRID, params=(), **attributes):
    made = device(*params, tags=tags, **attributes)
    return device_launch(call_packed("k", *values), {"k": made}, lambda value, parameter: {value.name: parameter.name})


class DeviceLaunch(unittest.TestCase):
    def test_has_arguments_then_extents(self):
        ceiling = binary("FloorDiv", binary("Add", var("n"), imm(127)), imm(128))
        made = launch(var("A"), var("n"), ceiling, imm(3), imm(128), imm(1), imm(1), params=(var("p"), var("q")))
        expected = {"kernel": "k", "args": [{"A": "p"}, {"n": "q"}], "block": [128]}
        self.assertEqual(made, {**expected, "grid": [["floordiv", ["+", "n", 127], 128], 3]})

    def test_keeps_ones_before_other_extents_and_the_first(self):
        made = launch(imm(1), imm(4), imm(1), imm(1), imm(1))
        self.assertEqual((made["grid"], made["block"]), ([1, 4], [1]))

    def test_has_a_cluster_and_shared_memory(self):
        tags = ("tir.cluster_dim_x", "tir.cluster_dim_y", "tir.cluster_dim_z", "blockIdx.x", "threadIdx.x",
                "tirx.use_dyn_shared_memory")  # fmt: skip
        made = launch(imm(2), imm(1), imm(1), imm(8), imm(64), binary("Mul", var("n"), imm(4)), tags=tags)
        self.assertEqual((made["cluster"], made["dynamic_smem_bytes"]), ([2], ["*", "n", 4]))

    def test_reads_flags_from_attributes_and_from_tags(self):
        made = launch(imm(8), tags=("blockIdx.x",), use_cooperative_groups=1, has_cuda_pdl_sync=1)
        self.assertEqual((made["cooperative"], made["programmatic_serialization"]), (True, True))
        tags = ("blockIdx.x", "tirx.use_cooperative_launch", "tirx.use_programtic_dependent_launch")
        made = launch(imm(8), imm(1), imm(1), tags=tags)
        self.assertEqual((made["cooperative"], made["programmatic_serialization"]), (True, True))

    def test_does_not_overlap_what_only_releases_its_successor(self):
        self.assertEqual(set(launch(imm(8), tags=("blockIdx.x",), has_cuda_pdl_trigger=1)), {"kernel", "args", "grid"})

    def test_is_none_for_other_calls(self):
        for other in (call_packed("other"), call("abort"), var("x")):
            self.assertIsNone(device_launch(other, {"k": device()}, None))
        self.assertIsNone(packed_call(var("x")))

    def test_names_a_launch_parameter_that_a_program_lacks(self):
        with self.assertRaisesRegex(UnsupportedError, "launch of 'k' has a parameter 'vthread' that the dispatch IR"):
            launch(imm(8), imm(2), tags=("blockIdx.x", "vthread"))

    def test_refuses_another_number_of_launch_parameters(self):
        with self.assertRaisesRegex(UnsupportedError, "has 2 launch parameters where 1 are declared"):
            launch(imm(8), imm(2), tags=("blockIdx.x",))
