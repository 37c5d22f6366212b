// Fragments of nvcuda::wmma: each shape, type and layout against sums of matrices in memory.
#include "checked_kernel.h"
#include "matrix_kernels.h"

namespace kmux::cpu::wmma {
namespace {

/// A product whose matrices lie in memory with some bytes between rows, or columns.
struct Case {
  int m, n, k;
  std::string name;  // of the type of A and B in C++
  MatrixType type;
  std::string sums;
  MatrixType type_of_sums;
  bool is_a_row, is_b_row, is_d_row;
  bool is_and = false;

  std::string call(std::size_t x, std::size_t y) const {
    const std::string layout_a = is_a_row ? "row_major" : "col_major", layout_b = is_b_row ? "row_major" : "col_major";
    return "  multiply<" + std::to_string(m) + ", " + std::to_string(n) + ", " + std::to_string(k) + ", " + name +
           ", wmma::" + layout_a + ", wmma::" + layout_b + ", " + sums + ">(x + " + std::to_string(x) + ", y + " +
           std::to_string(y) + ", wmma::" + (is_d_row ? "mem_row_major" : "mem_col_major") + ", " +
           (is_and ? "true" : "false") + ");\n";
  }
};

constexpr int kPadding = 32;  // elements: a word of b1
constexpr int kPaddingOfSums = 8;

// Appends `matrix`, whose rows or columns are padded, as words.
void append(std::vector<u32>& words, MatrixType type, const isa::Matrix& matrix, bool is_row, int padding) {
  const int inner = is_row ? matrix.columns : matrix.rows, outer = is_row ? matrix.rows : matrix.columns;
  const int stride = inner + padding;
  const std::size_t bits = type == MatrixType::kB1 ? 1 : element_bits(type);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(stride * outer) * bits / 8);
  for (int row = 0; row < matrix.rows; ++row) {
    for (int column = 0; column < matrix.columns; ++column) {
      const auto i = static_cast<std::size_t>(is_row ? row * stride + column : column * stride + row);
      if (bits != 1) {
        isa::put(bytes, type, i, isa::encode(type, matrix(row, column)));
      } else if (matrix(row, column) != 0) {
        bytes[i / 8] |= static_cast<std::uint8_t>(1U << i % 8);
      }
    }
  }
  const std::size_t begin = words.size();
  words.resize(begin + (bytes.size() + 7) / 8 * 2);
  std::memcpy(&words[begin], bytes.data(), bytes.size());
}

constexpr const char* kMultiply = R"(#include <mma.h>
using namespace nvcuda;
constexpr int padding = 32, padding_of_sums = 8;
template <class T> constexpr int bits = 8 * sizeof(T);
template <> constexpr int bits<wmma::precision::tf32> = 32;
template <> constexpr int bits<wmma::experimental::precision::s4> = 4;
template <> constexpr int bits<wmma::experimental::precision::u4> = 4;
template <> constexpr int bits<wmma::experimental::precision::b1> = 1;
template <class A, class B, class C>
__device__ void product(C& c, const A& a, const B& b, bool) { wmma::mma_sync(c, a, b, c); }
template <class A, class B>
__device__ void product(wmma::fragment<wmma::accumulator, 8, 8, 128, int>& c, const A& a, const B& b, bool is_and) {
  using namespace wmma::experimental;
  if (is_and) bmma_sync(c, a, b, c, bmmaBitOpAND); else bmma_sync(c, a, b, c);
}
__device__ constexpr int words(int elements, int bits_of_one) { return (elements * bits_of_one / 8 + 7) / 8 * 2; }
template <int m, int n, int k, class T, class LA, class LB, class D>
__device__ __noinline__ void multiply(const unsigned* x, unsigned* y, wmma::layout_t layout, bool is_and) {
  constexpr bool is_a_row = __is_same(LA, wmma::row_major), is_b_row = __is_same(LB, wmma::row_major);
  constexpr int lda = (is_a_row ? k : m) + padding, ldb = (is_b_row ? n : k) + padding;
  const int ldd = (layout == wmma::mem_row_major ? n : m) + padding_of_sums;
  wmma::fragment<wmma::matrix_a, m, n, k, T, LA> a;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LB> b;
  wmma::fragment<wmma::accumulator, m, n, k, D> c;
  using E = typename decltype(a)::storage_element_type;
  const unsigned* const of_b = x + words(lda * (is_a_row ? m : k), bits<T>);
  const unsigned* const of_c = of_b + words(ldb * (is_b_row ? k : n), bits<T>);
  wmma::load_matrix_sync(a, (const E*)x, lda);
  wmma::load_matrix_sync(b, (const E*)of_b, ldb);
  wmma::load_matrix_sync(c, (const D*)of_c, ldd, layout);
  product(c, a, b, is_and);
  wmma::store_matrix_sync((D*)y, c, ldd, layout);
}
)";

std::vector<Case> all_cases() {
  using enum MatrixType;
  std::vector<Case> all;
  constexpr int kShapes[][3] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
  for (int number = 0; const auto& [m, n, k] : kShapes) {
    for (const bool is_a_row : {true, false}) {
      for (const bool is_b_row : {true, false}) {
        const bool is_d_row = ++number % 3 != 0;
        all.push_back({m, n, k, "half", kF16, "float", kF32, is_a_row, is_b_row, is_d_row});
        all.push_back({m, n, k, "half", kF16, "half", kF16, is_b_row, is_a_row, !is_d_row});
        if (number % 2 == 0) {
          all.push_back({m, n, k, "signed char", kS8, "int", kS32, is_a_row, is_a_row != is_b_row, is_d_row});
        } else {
          all.push_back({m, n, k, "__nv_bfloat16", kBf16, "float", kF32, is_b_row, is_a_row == is_b_row, is_d_row});
          all.push_back({m, n, k, "unsigned char", kU8, "int", kS32, is_a_row, is_b_row, is_d_row});
        }
      }
    }
  }
  for (const bool is_a_row : {true, false}) {
    for (const bool is_b_row : {true, false}) {
      all.push_back({16, 16, 8, "wmma::precision::tf32", kTf32, "float", kF32, is_a_row, is_b_row, is_a_row});
      all.push_back({8, 8, 4, "double", kF64, "double", kF64, is_a_row, is_b_row, is_b_row});
    }
  }
  all.push_back({8, 8, 32, "wmma::experimental::precision::s4", kS4, "int", kS32, true, false, true});
  all.push_back({8, 8, 32, "wmma::experimental::precision::u4", kU4, "int", kS32, true, false, false});
  all.push_back({8, 8, 128, "wmma::experimental::precision::b1", kB1, "int", kS32, true, false, true});
  all.push_back({8, 8, 128, "wmma::experimental::precision::b1", kB1, "int", kS32, true, false, true, true});
  return all;
}

TEST(DeviceWmmaTest, MultipliesEachShapeTypeAndLayout) {
  std::mt19937 random(1);
  std::string body;
  std::vector<u32> x, expected;
  for (const Case& one : all_cases()) {
    body += one.call(x.size(), expected.size());
    const isa::Matrix a = isa::whole_numbers(one.m, one.k, one.type, random);
    const isa::Matrix b = isa::whole_numbers(one.k, one.n, one.type, random);
    const isa::Matrix c = isa::whole_numbers(one.m, one.n, one.type_of_sums, random);
    append(x, one.type, a, one.is_a_row, kPadding);
    append(x, one.type, b, one.is_b_row, kPadding);
    append(x, one.type_of_sums, c, one.is_d_row, kPaddingOfSums);
    const isa::Matrix product = isa::product_of(a, b, c, one.type == MatrixType::kB1 && !one.is_and);
    append(expected, one.type_of_sums, product, one.is_d_row, kPaddingOfSums);
  }
  const std::string source =
      kMultiply + ("__global__ void k(const unsigned* x, unsigned* y, int n) {\n" + body + "}\n");
  EXPECT_EQ(words_of({source}, x, expected.size()), expected);
}

// A tile of the product for each of four warps, by way of shared memory; scaled, and added to what y holds.
constexpr const char* kGemm = R"(#include <mma.h>
using namespace nvcuda;
constexpr int kSide = 64, kTile = 16, kSkew = 8;
__global__ void k(const unsigned* x, unsigned* y, int n) {
  __shared__ half a[kSide][kTile + kSkew];
  __shared__ half b[kTile][kSide + kSkew];
  const half* const from_a = reinterpret_cast<const half*>(x);
  const half* const from_b = from_a + kSide * kSide;
  float* const out = reinterpret_cast<float*>(y);
  const int warp = threadIdx.x / warpSize;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4];
  for (auto& one : sums) wmma::fill_fragment(one, 0.0f);
  for (int step = 0; step < kSide; step += kTile) {
    for (int i = threadIdx.x; i < kSide * kTile; i += blockDim.x) {
      a[i / kTile][i % kTile] = from_a[i / kTile * kSide + step + i % kTile];
      b[i / kSide][i % kSide] = from_b[(step + i / kSide) * kSide + i % kSide];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::load_matrix_sync(of_a, &a[warp * kTile][0], kTile + kSkew);
    for (int j = 0; j < 4; ++j) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
      wmma::load_matrix_sync(of_b, &b[0][j * kTile], kSide + kSkew);
      wmma::mma_sync(sums[j], of_a, of_b, sums[j]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    float* const place = out + warp * kTile * kSide + j * kTile;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> before;
    wmma::load_matrix_sync(before, place, kSide, wmma::mem_row_major);
    for (int i = 0; i < before.num_elements; ++i) before.x[i] = 2.0f * sums[j].x[i] / 2.0f + 3.0f * before.x[i];
    wmma::store_matrix_sync(place, before, kSide, wmma::mem_row_major);
  }
})";

TEST(DeviceWmmaTest, MultipliesTilesThroughSharedMemory) {
  const SquareProduct square;
  EXPECT_EQ(words_of({kGemm, 128}, square.x, 4096), square.expected);
}

TEST(DeviceWmmaTest, ChangesElementsInPlace) {
  const std::string source = R"(#include <mma.h>
namespace w = nvcuda::wmma;
__global__ void k(const unsigned* x, unsigned* y, int n) {
  __shared__ float wide[256];
  __shared__ half narrow[256];
  for (int i = threadIdx.x; i < 256; i += 32) wide[i] = i % 64;
  __syncwarp();
  w::fragment<w::accumulator, 16, 16, 16, float> f;
  w::fragment<w::accumulator, 16, 16, 16, half> h, ones;
  w::load_matrix_sync(f, wide, 16, w::mem_row_major);
  w::fill_fragment(ones, __float2half(1.0f));
  static_assert(decltype(f)::num_elements == 8 && f.num_elements == h.num_elements);
  for (int i = 0; i < f.num_elements; ++i) h.x[i] = __float2half(f.x[i] * 2) + ones.x[i];  // the same places
  w::store_matrix_sync(narrow, h, 16, w::mem_col_major);
  w::fragment<w::matrix_a, 16, 16, 16, half, w::col_major> a;
  static_assert(sizeof a.x / sizeof a.x[0] == 16 && a.num_elements == 16);
  __syncwarp();
  w::load_matrix_sync(a, narrow, 16);
  for (int i = 0; i < a.num_elements; ++i) a.x[i] = a.x[i] - __float2half(1.0f);
  w::fragment<w::matrix_b, 16, 16, 16, half, w::row_major> unit;
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) narrow[i] = __float2half(i % 17 == 0 ? 1.0f : 0.0f);
  w::load_matrix_sync(unit, narrow, 16);
  w::mma_sync(f, a, unit, f);
  w::store_matrix_sync(reinterpret_cast<float*>(y), f, 16, w::mem_row_major);
  w::fragment<w::matrix_a, 16, 16, 8, w::precision::tf32, w::row_major> t;
  w::load_matrix_sync(t, wide, 16);
  float least = 0;
  for (int i = 0; i < t.num_elements; ++i) least += w::__float_to_tf32(t.x[i] + 0x1p-12f) - t.x[i];
  if (least != 0) y[0] = 1;
})";
  std::vector<u32> expected;
  for (u32 i = 0; i < 256; ++i) expected.push_back(std::bit_cast<u32>(static_cast<float>(3 * (i % 64))));
  expected[0] = 1;  // of 0.000244, 11 bits are left; of larger numbers nothing
  EXPECT_EQ(words_of({source}, {0}, 256), expected);
}

TEST(DeviceWmmaTest, SaturatesIfAsked) {
  const std::string source = R"(#include <mma.h>
namespace w = nvcuda::wmma;
template <class T, class D>
__device__ void saturate(D value, T factor, D* y) {
  w::fragment<w::matrix_a, 16, 16, 16, T, w::row_major> a;
  w::fragment<w::matrix_b, 16, 16, 16, T, w::col_major> b;
  w::fragment<w::accumulator, 16, 16, 16, D> c, d;
  w::fill_fragment(a, factor);
  w::fill_fragment(b, factor);
  w::fill_fragment(c, value);
  w::mma_sync(d, a, b, c, true);
  y[0] = d.x[0];
  w::mma_sync(d, a, b, c);
  y[1] = d.x[0];
}
__global__ void k(const unsigned* x, unsigned* y, int n) {
  saturate<signed char, int>(2147483647, 1, (int*)y);
  saturate<half, float>(__int_as_float(0x7f800000), __float2half(1.0f), (float*)y + 2);
  saturate<__nv_bfloat16, float>(__int_as_float(0x7fc00000), __float2bfloat16(1.0f), (float*)y + 4);
})";
  const auto words = words_of({source}, {0}, 6);
  ASSERT_EQ(words.size(), 6U);
  EXPECT_EQ(words[0], 0x7fffffffU);
  EXPECT_EQ(words[1], 0x8000000fU);
  EXPECT_EQ(words[2], 0x7f7fffffU);
  EXPECT_EQ(words[3], 0x7f800000U);
  EXPECT_EQ(words[4], 0U);
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(words[5])));
}

std::string failure_of(const std::string& body) {
  const std::string source =
      "#include <mma.h>\nnamespace w = nvcuda::wmma;\n"
      "__global__ void k(const unsigned* x, unsigned* y, int n) {\n" +
      body + "\n}";
  const auto result = BlockKernel{source}({0}, 32);
  return result.ok() ? "it worked" : result.error().explain();
}

TEST(DeviceWmmaTest, DivergedWarpsAreReported) {
  EXPECT_THAT(failure_of(R"(  w::fragment<w::matrix_a, 8, 8, 4, double, w::row_major> a;
  w::fragment<w::matrix_b, 8, 8, 4, double, w::col_major> b;
  w::fragment<w::accumulator, 8, 8, 4, double> c;
  w::fill_fragment(a, 1.0), w::fill_fragment(b, 1.0), w::fill_fragment(c, 1.0);
  if (threadIdx.x < 20) w::mma_sync(c, a, b, c);
  y[threadIdx.x] = c.x[0];)"),
              HasSubstr("only 20 of the 32 lanes of a warp execute \"mma.sync\""));
}

// Returns what the checks find in a kernel with this body: x and y have 64 elements.
std::string findings_of_fragments(const std::string& body) {
  std::string all;
  for (const std::string& finding : findings_of(
           {.source =
                "#include <mma.h>\nnamespace w = nvcuda::wmma;\n"
                "using Sums = w::fragment<w::accumulator, 16, 16, 16, float>;\n"
                "__global__ void k(const float* x, float* y, int n) {\n  __shared__ float tile[256];\n  Sums f;\n" +
                body + "\n}"}))
    all += finding + "\n";
  return all;
}

TEST(DeviceWmmaTest, CheckFindsWrongAccessesOfFragments) {
  EXPECT_THAT(findings_of_fragments("  w::load_matrix_sync(f, x, 16, w::mem_row_major);\n  y[threadIdx.x] = f.x[0];"),
              testing::AllOf(HasSubstr("k.cu:7"), HasSubstr("\"x\"")));
  EXPECT_THAT(
      findings_of_fragments("  w::load_matrix_sync(f, tile, 16, w::mem_row_major);\n  y[threadIdx.x] = f.x[0];"),
      testing::AllOf(HasSubstr("k.cu:7"), HasSubstr("\"tile\""), HasSubstr("no thread wrote")));
  EXPECT_THAT(
      findings_of_fragments("  w::fill_fragment(f, 1.0f);\n  if (threadIdx.x < 32) w::store_matrix_sync(tile, f, "
                            "16, w::mem_col_major);\n  y[threadIdx.x] = tile[threadIdx.x];"),
      testing::AllOf(HasSubstr("k.cu:9"), HasSubstr("\"tile\"")));
}

TEST(DeviceWmmaTest, CheckAcceptsSynchronizedFragments) {
  EXPECT_THAT(
      findings_of_fragments("  w::fill_fragment(f, 1.0f);\n  if (threadIdx.x < 32) w::store_matrix_sync(tile, f, "
                            "16, w::mem_col_major);\n  __syncthreads();\n  if (threadIdx.x >= 32) "
                            "w::load_matrix_sync(f, tile, 16, w::mem_row_major);\n  y[threadIdx.x] = f.x[7];"),
      testing::IsEmpty());
}

TEST(DeviceWmmaTest, RejectsOtherFragmentsByName) {
  for (const char* const type :
       {"w::matrix_a, 16, 16, 8, half, w::row_major", "w::matrix_b, 16, 16, 16, double, w::row_major",
        "w::matrix_a, 16, 16, 16, half", "w::accumulator, 16, 16, 16, double", "w::accumulator, 16, 16, 16, short",
        "w::matrix_a, 8, 8, 128, w::experimental::precision::b1, w::col_major"}) {
    EXPECT_THAT(failure_of("  w::fragment<" + std::string(type) + "> f;\n  y[0] = f.num_elements;"),
                testing::AllOf(HasSubstr("wmma has no fragments of this shape, type and layout"), HasSubstr("k.cu:4")))
        << type;
  }
  EXPECT_THAT(failure_of("  w::fragment<w::matrix_a, 16, 16, 16, __nv_bfloat16, w::row_major> a;\n"
                         "  w::fragment<w::matrix_b, 16, 16, 16, __nv_bfloat16, w::row_major> b;\n"
                         "  w::fragment<w::accumulator, 16, 16, 16, half> c;\n  w::mma_sync(c, a, b, c);"),
              testing::AllOf(HasSubstr("mma_sync has no product of these types"), HasSubstr("k.cu:7")));
}

}  // namespace
}  // namespace kmux::cpu::wmma
