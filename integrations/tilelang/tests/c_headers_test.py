"""kmux_tilelang.c_headers"""

import unittest

from kmux_tilelang.c_headers import with_c_headers

TEMPLATES = "#include <tl_templates/cpp/common.h>\n"
KERNEL = """// target: half
#ifdef __cplusplus
extern "C"
#endif
int32_t k(float* A, const float* __restrict__ B, int32_t n) {
  uint8_t pool[16];
  for (int32_t i = 0; i < n; ++i) {
    A[i] = 1.000000e+00f * (float)B[i] + 0x1p-2f + (float)pool[0];%s
  }
  return 0;
}
"""


class CHeaders(unittest.TestCase):
    def headers(self, statement=""):
        text = with_c_headers(TEMPLATES + KERNEL % statement)
        return [line[10:-1] for line in text.splitlines() if line.startswith("#include")]

    def test_are_those_of_what_is_used(self):
        self.assertEqual(self.headers(), ["stdint.h"])
        self.assertEqual(self.headers(' /* half */ // std::max("half")'), ["stdint.h"])
        self.assertEqual(self.headers(" A[i] = expf(A[i]);"), ["stdint.h", "math.h"])
        self.assertEqual(self.headers(" A[i] = -INFINITY; memset(A, 0, 4);"), ["stdint.h", "string.h", "math.h"])

    def test_are_tilelangs_where_something_else_is_used(self):
        for statement in (
            "half h;", "*(float4*)(A + i) = *(float4*)(B + i);", "A[i] = std::max(A[i], 0.f);", "A[i] = tl::clamp(A[i], 0.f, 1.f);",
            "A[i] = max(A[i], 0.f);", "n = INT_MAX;", "x.y = 1;", "half_t* p;",
        ):  # fmt: skip
            self.assertEqual(self.headers(statement), ["tl_templates/cpp/common.h"], statement)

    def test_are_left_alone_in_other_texts(self):
        for text in ("int x;\n", TEMPLATES * 2, "#include <tl_templates/cpp/other.h>\nint x;\n"):
            self.assertEqual(with_c_headers(text), text)


if __name__ == "__main__":
    unittest.main()
