// mma.sync.m8n8k4 of f16, the form of Volta: four products of eight lanes each, against scalar sums.
#include "matrix_kernels.h"

namespace kmux::cpu::quads {
namespace {

/// A form, with the places of a lane's elements as the PTX ISA has them. `p`: the lane within its product, 0 to 7.
struct Form {
  bool is_a_row, is_b_row;
  MatrixType c, d;

  static int low(int p, int i) { return p < 4 ? i : i + 4; }
  isa::Place of_a(int p, int i) const { return is_a_row ? isa::Place(low(p, p % 4), i) : isa::Place(low(p, i), p % 4); }
  isa::Place of_b(int p, int i) const { return is_b_row ? isa::Place(p % 4, low(p, i)) : isa::Place(i, low(p, p % 4)); }
  static isa::Place of_sums(MatrixType type, int p, int i) {
    if (type == MatrixType::kF16) return {low(p, p % 4), i};
    return {low(p, (p & 1) + (i & 2)), (i & 4) + (p & 2) + (i & 1)};
  }

  static unsigned registers(MatrixType type) { return type == MatrixType::kF16 ? 4 : 8; }
  unsigned words() const { return 4 + registers(c); }
  std::string mnemonic() const {
    return std::string("mma.sync.aligned.m8n8k4.") + (is_a_row ? "row." : "col.") + (is_b_row ? "row." : "col.") +
           part_of_type(d) + ".f16.f16." + part_of_type(c);
  }
  std::string statement(std::size_t offset, std::size_t offset_of_y) const {
    const unsigned of_d = registers(d), in_c = registers(c);
    return "  {\n    const unsigned* const a = x + " + std::to_string(offset) + " + threadIdx.x * " +
           std::to_string(words()) + ", *const b = a + 2, *const c = a + 4;\n    unsigned* const d = y + " +
           std::to_string(offset_of_y) + " + threadIdx.x * " + std::to_string(of_d) + ";\n    asm volatile(\"" +
           mnemonic() + " " + braced(0, of_d) + ", " + braced(of_d, 2) + ", " + braced(of_d + 2, 2) + ", " +
           braced(of_d + 4, in_c) + ";\" : " + listed("=r", "d", of_d) + " : " + listed("r", "a", 2) + ", " +
           listed("r", "b", 2) + ", " + listed("r", "c", in_c) + ");\n  }\n";
  }
};

int product_of_lane(int lane) { return lane % 16 / 4; }
int lane_of_product(int lane) { return lane % 4 + lane / 16 * 4; }

// Appends `count` elements of a matrix, whose places `place(i)` returns, as words.
template <class Place>
void append(std::vector<u32>& words, MatrixType type, const isa::Matrix& matrix, int count, const Place& place) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count) * element_bits(type) / 8);
  for (int i = 0; i < count; ++i) {
    const auto [row, column] = place(i);
    isa::put(bytes, type, static_cast<std::size_t>(i), isa::encode(type, matrix(row, column)));
  }
  const std::size_t begin = words.size();
  words.resize(begin + bytes.size() / 4);
  std::memcpy(&words[begin], bytes.data(), bytes.size());
}

/// The four products of a warp.
struct WarpOfProducts {
  std::vector<isa::Matrix> a, b, c, d;

  explicit WarpOfProducts(std::mt19937& random) {
    for (int product = 0; product < 4; ++product) {
      a.push_back(isa::whole_numbers(8, 4, MatrixType::kF16, random));
      b.push_back(isa::whole_numbers(4, 8, MatrixType::kF16, random));
      c.push_back(isa::whole_numbers(8, 8, MatrixType::kF16, random));
      d.push_back(isa::product_of(a.back(), b.back(), c.back()));
    }
  }
};

TEST(DeviceQuadProductsTest, MultipliesEachLayoutAndType) {
  using enum MatrixType;
  std::mt19937 random(5);
  std::string body;
  std::vector<u32> x, expected;
  for (const auto& [c, d] : {std::pair{kF32, kF32}, std::pair{kF16, kF16}, std::pair{kF16, kF32}}) {
    for (int layouts = 0; layouts < 4; ++layouts) {
      const Form form{layouts % 2 != 0, layouts / 2 != 0, c, d};
      const WarpOfProducts warp(random);
      body += form.statement(x.size(), expected.size());
      for (int lane = 0; lane < 32; ++lane) {
        const auto number = static_cast<std::size_t>(product_of_lane(lane));
        const int p = lane_of_product(lane);
        append(x, kF16, warp.a[number], 4, [&](int i) { return form.of_a(p, i); });
        append(x, kF16, warp.b[number], 4, [&](int i) { return form.of_b(p, i); });
        append(x, c, warp.c[number], 8, [&](int i) { return Form::of_sums(form.c, p, i); });
        append(expected, d, warp.d[number], 8, [&](int i) { return Form::of_sums(form.d, p, i); });
      }
    }
  }
  const std::string source = "__global__ void k(const unsigned* x, unsigned* y, int n) {\n" + body + "}\n";
  EXPECT_EQ(words_of({source}, x, expected.size()), expected);
}

TEST(DeviceQuadProductsTest, RejectsSumsOfLessPrecisionThanC) {
  const std::string source =
      "__global__ void k(const unsigned* x, unsigned* y, int n) {\n  unsigned d = 0;\n  asm volatile(\"" +
      Form{true, true, MatrixType::kF32, MatrixType::kF16}.mnemonic() + " {%0}, {%0}, {%0}, {%0};\" : \"+r\"(d));\n}";
  const auto result = BlockKernel{source}({0}, 32);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, testing::AllOf(HasSubstr("\"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f32\""),
                                                     HasSubstr("its types do not go together"), HasSubstr("k.cu:3")));
}

TEST(DeviceQuadProductsTest, LanesThatDoNotComeAreReported) {
  EXPECT_THAT(matrix_failure("  if (threadIdx.x < 16) asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 "
                             "{%0, %1, %2, %3}, {%0, %1}, {%2, %3}, {%0, %1, %2, %3};\" : \"+r\"(d[0]), \"+r\"(d[1]), "
                             "\"+r\"(d[2]), \"+r\"(d[3]));"),
              HasSubstr("only 16 of the 32 lanes of a warp execute \"mma.sync\""));
}

}  // namespace
}  // namespace kmux::cpu::quads
