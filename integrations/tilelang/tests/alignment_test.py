"""kmux_tilelang.alignment"""

import unittest

from kmux_tilelang.alignment import alignments, pointers_of, widest

TEXT = """
extern "C" __global__ void k(half_t* __restrict__ A, const float* __restrict__ B, int n, half_t* __restrict__ C);
extern "C" __global__ void __launch_bounds__(128, 1) k(half_t* __restrict__ A, const float* __restrict__ B, int n, half_t* C) {
%s
}
__global__ void other(float* A) {
  *(float4*)(A + 4) = x;
}
"""


class Alignment(unittest.TestCase):
    def pointers(self, body):
        return pointers_of(TEXT % body, "k")

    def test_is_that_of_an_element_where_each_access_is_of_one(self):
        found = self.pointers("  C[n] = A[0] + (half_t)B[n + 1]; A_shared[n] = *(float4*)(B_local + 0);")
        self.assertEqual((found[0], found[1], found[3]), (0, 0, 0))

    def test_is_that_of_the_widest_access(self):
        for access, width in {
            "*(uint4*)(A + 8)": 16, "*(uint2*)(A + n)": 8, "*(uint1*)(((half_t*)A) + 2)": 4, "*(half2*)(A + 2)": 4,
            "*(ulonglong4*)(A + 2)": 32, "*(fp8_e4_8_t*)(A + 2)": 16, "tl::cp_async_gs<8>((&(S[0])), (&(A[n])))": 8,
            "tl::cp_async_gs_conditional<16>((&(S[0])), (&(A[n])), n < 3)": 16, "f(&(A[0]))": 16, "f(A)": 16,
            "atomicAdd((&(A[0])), 1)": 0, "AtomicAddx2((&(A[0])), v)": 16,
        }.items():  # fmt: skip
            self.assertEqual(self.pointers(f"  x = A[1]; y = {access};")[0], width, access)

    def test_is_not_known_of_a_kernel_that_is_not_there(self):
        self.assertEqual(pointers_of(TEXT, "no"), {})
        launch = {"kernel": "no", "args": [{"tensor": "X"}, {"expr": "n"}]}
        self.assertEqual(alignments(TEXT, {"steps": [{"launch": launch}]}), {"X": 16})

    def test_counts_every_launch_and_map(self):
        text = TEXT % "  C[n] = A[0] + *(float2*)(B + 2);"
        args = [{"tensor": "X"}, {"tensor": "Y"}, {"scalar": "n"}, {"tensor": "X"}]
        launches = [{"launch": {"kernel": "k", "args": args}}, {"launch": {"kernel": "other", "args": [{"tensor": "Z"}]}}]
        body = {"steps": [{"for": {"steps": [{"if": {"then": launches}}]}}], "tensor_maps": [{"base": {"name": "M"}}]}
        self.assertEqual(alignments(text, body), {"M": 16, "X": 0, "Y": 8, "Z": 16})
        self.assertEqual(widest(text, body), dict.fromkeys("MXYZ", 16))


if __name__ == "__main__":
    unittest.main()
