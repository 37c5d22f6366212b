// Products of matrices by a warp: mma of each shape and type, with the fragments of the PTX ISA.
#include "simt/units/warp_product.h"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "isa_matrices.h"

namespace kmux::simt {
namespace {

/// The registers of 32 lanes.
class Lanes {
 public:
  explicit Lanes(const MatrixProduct& product) : product_(product) {
    const auto bytes = [](MatrixType type, unsigned elements) {
      return lane_registers(type, elements) * register_bits(type) / 8;
    };
    for (Lane& lane : lanes_) {
      lane.a.resize(bytes(product.a, product.m * product.k));
      lane.b.resize(bytes(product.b, product.k * product.n));
      lane.sums.resize(std::max(bytes(product.c, product.m * product.n), bytes(product.d, product.m * product.n)));
    }
  }

  void multiply(const SharedWindow& window = {}, unsigned warp = 0, std::uint64_t a = 0, std::uint64_t b = 0,
                bool is_added = true) {
    std::vector<ProductOperands> operands;
    for (Lane& lane : lanes_)
      operands.push_back({&product_, lane.sums.data(), a == 0 ? lane.a.data() : nullptr,
                          b == 0 ? lane.b.data() : nullptr, a, b, is_added});
    std::vector<const ProductOperands*> places;
    for (const ProductOperands& one : operands) places.push_back(&one);
    multiply_warp(places, warp, window);
  }

  struct Lane {
    std::vector<std::uint8_t> a, b, sums;
  };
  Lane& operator[](int lane) { return lanes_[lane]; }

 private:
  MatrixProduct product_;
  Lane lanes_[32];
};

// Calls `visit(lane, i, place)` for the elements of all lanes.
template <class Fragment, class Visit>
void each_place(std::size_t elements, const Fragment& fragment, const Visit& visit) {
  for (int lane = 0; lane < 32; ++lane) {
    for (std::size_t i = 0; i < elements / 32; ++i) visit(lane, i, fragment(lane / 4, lane % 4, static_cast<int>(i)));
  }
}

// Sets bit or element `i` of registers.
void set_element(std::vector<std::uint8_t>& bytes, MatrixType type, std::size_t i, double value) {
  if (type != MatrixType::kB1) return isa::put(bytes, type, i, isa::encode(type, value));
  if (value != 0) bytes[i / 8] |= static_cast<std::uint8_t>(1U << i % 8);
}

void fill(Lanes& lanes, const isa::Form& form, const MatrixProduct& product, const isa::Matrix& a, const isa::Matrix& b,
          const isa::Matrix& c) {
  const auto size = [](const isa::Matrix& matrix) { return matrix.numbers.size(); };
  each_place(size(a), form.a, [&](int lane, std::size_t i, isa::Place at) {
    set_element(lanes[lane].a, product.a, i, a(at.first, at.second));
  });
  each_place(size(b), form.b, [&](int lane, std::size_t i, isa::Place at) {
    set_element(lanes[lane].b, product.b, i, b(at.first, at.second));
  });
  each_place(
      size(c), [&](int g, int t, int i) { return isa::place_in_sums(form.m, g, t, i); },
      [&](int lane, std::size_t i, isa::Place at) {
        set_element(lanes[lane].sums, product.c, i, c(at.first, at.second));
      });
}

void expect_sums(Lanes& lanes, int m, const MatrixProduct& product, const isa::Matrix& expected, double tolerance) {
  each_place(
      expected.numbers.size(), [&](int g, int t, int i) { return isa::place_in_sums(m, g, t, i); },
      [&](int lane, std::size_t i, isa::Place at) {
        ASSERT_NEAR(isa::decode(product.d, isa::get(lanes[lane].sums, product.d, i)), expected(at.first, at.second),
                    tolerance)
            << "m" << m << "n" << product.n << "k" << product.k << " types " << int(product.a) << " " << int(product.b)
            << " " << int(product.d) << ", row " << at.first << " column " << at.second;
      });
}

void expect_form(const isa::Form& form, const MatrixProduct& product, std::mt19937& random) {
  const isa::Matrix a = isa::whole_numbers(form.m, form.k, product.a, random);
  const isa::Matrix b = isa::whole_numbers(form.k, form.n, product.b, random);
  const isa::Matrix c = isa::whole_numbers(form.m, form.n, product.c, random);
  Lanes lanes(product);
  fill(lanes, form, product, a, b, c);
  lanes.multiply();
  expect_sums(lanes, form.m, product, isa::product_of(a, b, c, product.is_xor), 0);
}

TEST(WarpProductTest, MultipliesEachShapeAndTypeExactly) {
  std::mt19937 random(1);
  for (const isa::Form& form : isa::forms()) {
    for (const auto& [a, b] : form.types) {
      for (const MatrixType sums : isa::sums_of(a)) {
        MatrixProduct product = isa::described(form.m, form.n, form.k, a, b, sums);
        expect_form(form, product, random);
        product.is_xor = a == MatrixType::kB1;
        expect_form(form, product, random);
      }
    }
  }
}

TEST(WarpProductTest, SumsMayHaveOtherPrecisionThanC) {
  std::mt19937 random(2);
  const isa::Form& form = isa::forms()[1];
  MatrixProduct product = isa::described(16, 8, 16, MatrixType::kF16, MatrixType::kF16, MatrixType::kF16);
  product.d = MatrixType::kF32;
  expect_form(form, product, random);
  product = isa::described(16, 8, 16, MatrixType::kF16, MatrixType::kF16, MatrixType::kF32);
  product.d = MatrixType::kF16;
  expect_form(form, product, random);
}

// Returns random bits of a number of moderate size.
std::uint64_t moderate_bits(MatrixType type, std::mt19937& random) {
  const std::uint64_t bits = random() | std::uint64_t{random()} << 32;
  if (type == MatrixType::kF64) return (bits & 0x800fffffffffffff) | (0x3f8 + random() % 12) << 52;
  if (type == MatrixType::kTf32) return (bits & 0x807fffff) | (122 + random() % 8) << 23;
  if (type == MatrixType::kBf16) return (bits & 0x807f) | (122 + random() % 8) << 7;
  if (type == MatrixType::kF16) return (bits & 0x83ff) | (10 + random() % 8) << 10;
  if (type == MatrixType::kE4m3) return bits % 120 | (random() & 0x80);
  if (type == MatrixType::kE5m2) return bits % 80 | (random() & 0x80);
  return bits & ((std::uint64_t{1} << element_bits(type)) - 1);
}

// Each type at its largest shape, for random bits: integers exactly, others within the rounding of sums.
TEST(WarpProductTest, MultipliesRandomNumbers) {
  std::mt19937 random(3);
  for (const isa::Form& form : isa::forms()) {
    for (const auto& [a_type, b_type] : form.types) {
      if (a_type == MatrixType::kB1) continue;
      const MatrixProduct product =
          isa::described(form.m, form.n, form.k, a_type, b_type, isa::sums_of(a_type).front());
      Lanes lanes(product);
      isa::Matrix a{form.m, form.k}, b{form.k, form.n}, sums{form.m, form.n}, sizes{form.m, form.n};
      each_place(a.numbers.size(), form.a, [&](int lane, std::size_t i, isa::Place at) {
        const std::uint64_t bits = moderate_bits(product.a, random);
        isa::put(lanes[lane].a, product.a, i, bits);
        a(at.first, at.second) = isa::decode(product.a, bits);
      });
      each_place(b.numbers.size(), form.b, [&](int lane, std::size_t i, isa::Place at) {
        const std::uint64_t bits = moderate_bits(product.b, random);
        isa::put(lanes[lane].b, product.b, i, bits);
        b(at.first, at.second) = isa::decode(product.b, bits);
      });
      lanes.multiply();
      const isa::Matrix expected = isa::product_of(a, b, sums);
      const double largest =
          std::abs(*std::ranges::max_element(expected.numbers, {}, [](double x) { return std::abs(x); }));
      const double unit = is_integer(a_type) ? 0 : a_type == MatrixType::kF64 ? 0x1p-50 : 0x1p-21;
      expect_sums(lanes, form.m, product, expected, largest * unit * form.k);
    }
  }
}

// The order of sums is that of K, with one rounding for a product and its sum.
TEST(WarpProductTest, AddsProductsInOrderWithOneRounding) {
  const MatrixProduct product = isa::described(16, 8, 8, MatrixType::kTf32, MatrixType::kTf32, MatrixType::kF32);
  const isa::Form& form = isa::forms()[3];
  isa::Matrix a{16, 8}, b{8, 8}, c{16, 8};
  const auto x = 1 + 0x1p-10F;
  for (int i = 0; i < 8; ++i) a(0, i) = i == 1 ? -0x1p24F : i == 2 ? 0x1p24F : 1, b(i, 0) = i == 3 ? x : 1;
  a(1, 0) = b(0, 1) = 0x1p-75, c(1, 1) = 0x1p-149;  // the product lies halfway between 0 and C
  Lanes lanes(product);
  fill(lanes, form, product, a, b, c);
  lanes.multiply();
  isa::Matrix expected{16, 8};
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      auto sum = static_cast<float>(c(row, column));
      for (int k = 0; k < 8; ++k) sum = std::fma(static_cast<float>(a(row, k)), static_cast<float>(b(k, column)), sum);
      expected(row, column) = sum;
    }
  }
  expect_sums(lanes, 16, product, expected, 0);
  EXPECT_NE(expected(0, 0), 6 + x);  // 1 is lost beside 2^24
  EXPECT_EQ(expected(1, 1), 0x1p-148);  // the product alone would be 0
}

TEST(WarpProductTest, SaturatesOrWrapsIntegers) {
  const isa::Form& form = isa::forms()[8];
  for (const bool is_saturated : {false, true}) {
    MatrixProduct product = isa::described(16, 8, 16, MatrixType::kS8, MatrixType::kS8, MatrixType::kS32);
    product.is_saturated = is_saturated;
    isa::Matrix a{16, 16}, b{16, 8}, c{16, 8};
    for (int k = 0; k < 16; ++k) a(0, k) = a(9, k) = 7, b(k, 0) = 7, b(k, 1) = -7;
    c(0, 0) = 2147483647.0 - 5, c(0, 1) = -2147483648.0 + 5, c(9, 0) = -1;
    Lanes lanes(product);
    fill(lanes, form, product, a, b, c);
    lanes.multiply();
    isa::Matrix expected = isa::product_of(a, b, c);
    expected(0, 0) = is_saturated ? 2147483647.0 : expected(0, 0) - 4294967296.0;
    expected(0, 1) = is_saturated ? -2147483648.0 : expected(0, 1) + 4294967296.0;
    expect_sums(lanes, 16, product, expected, 0);
  }
}

TEST(WarpProductTest, NanOfSumIsIgnoredWithoutC) {
  MatrixProduct product = isa::described(16, 8, 16, MatrixType::kF16, MatrixType::kF16, MatrixType::kF32);
  Lanes lanes(product);
  for (int lane = 0; lane < 32; ++lane) std::ranges::fill(lanes[lane].sums, 0xff);
  lanes.multiply({}, 0, 0, 0, /*is_added=*/false);
  expect_sums(lanes, 16, product, isa::Matrix{16, 8}, 0);
}

/// A layout of a matrix in shared memory for wgmma: the byte of an element, as the canonical layouts have it.
struct SharedLayout {
  std::uint64_t swizzle;  // of the descriptor
  bool is_mn_major;
  std::size_t leading, stride;
  std::size_t (*byte)(const SharedLayout&, std::size_t line, std::size_t k, std::size_t size);
};

// Rows of a swizzle's span along K: the chunk of 16 bytes is exchanged by the row.
template <std::size_t kSpan>
std::size_t swizzled_k_major(const SharedLayout& layout, std::size_t line, std::size_t k, std::size_t size) {
  constexpr std::size_t kRowsOfPattern = 128 / kSpan;
  const std::size_t chunk = k * size / 16 ^ line % 8 / kRowsOfPattern;
  return line / 8 * layout.stride + line % 8 * kSpan + chunk * 16 + k * size % 16;
}
std::size_t plain_k_major(const SharedLayout& layout, std::size_t line, std::size_t k, std::size_t size) {
  return line / 8 * layout.stride + k * size / 16 * layout.leading + line % 8 * 16 + k * size % 16;
}
// Rows of a swizzle's span along M or N, for elements of 16 bits.
template <std::size_t kSpan>
std::size_t swizzled_mn_major(const SharedLayout& layout, std::size_t line, std::size_t k, std::size_t) {
  constexpr std::size_t kRowsOfPattern = 128 / kSpan, kLines = kSpan / 2;
  const std::size_t chunk = line % kLines / 8 ^ k % 8 / kRowsOfPattern;
  return line / kLines * layout.leading + k / 8 * layout.stride + k % 8 * kSpan + chunk * 16 + line % 8 * 2;
}
std::size_t plain_mn_major(const SharedLayout& layout, std::size_t line, std::size_t k, std::size_t) {
  return line / 8 * layout.stride + k / 8 * layout.leading + k % 8 * 16 + line % 8 * 2;
}

// Offsets beyond the least ones show that they are those of the descriptor.
constexpr SharedLayout kLayouts[] = {
    {1, false, 16, 1024, swizzled_k_major<128>},   {2, false, 16, 512, swizzled_k_major<64>},
    {3, false, 16, 1024, swizzled_k_major<32>},    {0, false, 8320, 144, plain_k_major},
    {1, true, 4096, 1024, swizzled_mn_major<128>}, {2, true, 2048, 512, swizzled_mn_major<64>},
    {3, true, 1024, 256, swizzled_mn_major<32>},   {0, true, 8320, 128, plain_mn_major},
};

/// Shared memory that lies across a multiple of 2^18, at whose end addresses of descriptors begin again.
class Memory {
 public:
  static constexpr std::size_t kBytes = 100 << 10;

  Memory() : bytes_(std::make_unique<std::uint8_t[]>(2 * SharedWindow::kSize)) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.get());
    begin_ = bytes_.get() + (SharedWindow::kSize - address % SharedWindow::kSize) - (40 << 10);
    if (begin_ < bytes_.get()) begin_ += SharedWindow::kSize;
  }
  std::uint8_t* at(std::size_t byte) { return begin_ + byte; }
  SharedWindow window() const { return {reinterpret_cast<const char*>(begin_), kBytes}; }
  std::uint64_t descriptor(const SharedLayout& layout, std::size_t byte) {
    const std::uint64_t start = reinterpret_cast<std::uintptr_t>(at(byte)) & 0x3ffff;
    return start >> 4 | layout.leading >> 4 << 16 | layout.stride >> 4 << 32 | layout.swizzle << 62;
  }
  void fill(const SharedLayout& layout, std::size_t begin, MatrixType type, const isa::Matrix& lines) {
    const std::size_t size = element_bits(type) / 8;
    for (int line = 0; line < lines.rows; ++line) {
      for (int k = 0; k < lines.columns; ++k) {
        const std::uint64_t bits = isa::encode(type, lines(line, k));
        const std::size_t byte = layout.byte(layout, static_cast<std::size_t>(line), static_cast<std::size_t>(k), size);
        std::memcpy(at(begin + byte), &bits, size);
      }
    }
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::uint8_t* begin_;
};

isa::Matrix transposed(const isa::Matrix& matrix) {
  isa::Matrix other{matrix.columns, matrix.rows};
  for (int row = 0; row < matrix.rows; ++row) {
    for (int column = 0; column < matrix.columns; ++column) other(column, row) = matrix(row, column);
  }
  return other;
}

isa::Place place_in_group_sums(int g, int t, int i) { return {g + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * t + i % 2}; }

/// A product of wgmma whose matrices lie in shared memory.
struct GroupCase {
  const SharedLayout *of_a, *of_b;
  MatrixType a, b, sums;
  int n;
  bool is_negated = false, is_added = true;
};

// Multiplies 64 rows by four warps, and compares. K begins within the swizzled rows, if they have room for more.
void expect_group(const GroupCase& one, std::mt19937& random) {
  const int k = 256 / static_cast<int>(element_bits(one.a));
  const bool has_room =
      one.of_a->swizzle == 1 && one.of_b->swizzle == 1 && !one.of_a->is_mn_major && !one.of_b->is_mn_major;
  const int skipped = has_room ? k : 0;
  MatrixProduct product = isa::described(16, one.n, k, one.a, one.b, one.sums);
  product.is_a_mn_major = one.of_a->is_mn_major, product.is_b_mn_major = one.of_b->is_mn_major;
  product.is_by_group = true, product.is_negated = one.is_negated;
  const isa::Matrix a = isa::whole_numbers(64, k + skipped, one.a, random);
  const isa::Matrix b = isa::whole_numbers(k + skipped, one.n, one.b, random);
  Memory memory;
  constexpr std::size_t kA = 1024, kB = 33 << 10;
  memory.fill(*one.of_a, kA, one.a, a);
  memory.fill(*one.of_b, kB, one.b, transposed(b));
  const isa::Matrix c = isa::whole_numbers(64, one.n, one.sums, random);
  for (unsigned warp = 0; warp < 4; ++warp) {
    Lanes lanes(product);
    isa::Matrix expected{16, one.n};
    each_place(expected.numbers.size(), place_in_group_sums, [&](int lane, std::size_t i, isa::Place at) {
      const int row = at.first + 16 * static_cast<int>(warp);
      isa::put(lanes[lane].sums, one.sums, i, isa::encode(one.sums, c(row, at.second)));
      double sum = 0;
      for (int x = skipped; x < k + skipped; ++x) sum += a(row, x) * b(x, at.second);
      expected(at.first, at.second) = (one.is_added ? c(row, at.second) : 0) + (one.is_negated ? -sum : sum);
    });
    const std::size_t offset = skipped == 0 ? 0 : 32;
    lanes.multiply(memory.window(), warp, memory.descriptor(*one.of_a, kA + offset),
                   memory.descriptor(*one.of_b, kB + offset), one.is_added);
    each_place(expected.numbers.size(), place_in_group_sums, [&](int lane, std::size_t i, isa::Place at) {
      ASSERT_EQ(isa::decode(one.sums, isa::get(lanes[lane].sums, one.sums, i)), expected(at.first, at.second))
          << "layouts " << one.of_a - kLayouts << " " << one.of_b - kLayouts << ", n " << one.n << ", warp " << warp;
    });
  }
}

TEST(GroupProductTest, ReadsEachLayoutOfSharedMemory) {
  std::mt19937 random(4);
  for (const SharedLayout& of_a : kLayouts) {
    for (const SharedLayout& of_b : kLayouts)
      expect_group({&of_a, &of_b, MatrixType::kF16, MatrixType::kF16, MatrixType::kF32, 64}, random);
  }
}

TEST(GroupProductTest, HasEachN) {
  std::mt19937 random(5);
  for (int n = 8; n <= 256; n += 8)
    expect_group({&kLayouts[0], &kLayouts[0], MatrixType::kF16, MatrixType::kF16, MatrixType::kF32, n}, random);
}

TEST(GroupProductTest, HasEachType) {
  std::mt19937 random(6);
  for (const SharedLayout* const layout : {&kLayouts[0], &kLayouts[1], &kLayouts[2], &kLayouts[3]}) {
    for (const auto& [a, b] : std::vector<std::pair<MatrixType, MatrixType>>{{MatrixType::kF16, MatrixType::kF16},
                                                                             {MatrixType::kBf16, MatrixType::kBf16},
                                                                             {MatrixType::kTf32, MatrixType::kTf32},
                                                                             {MatrixType::kE4m3, MatrixType::kE5m2},
                                                                             {MatrixType::kE5m2, MatrixType::kE4m3},
                                                                             {MatrixType::kS8, MatrixType::kU8},
                                                                             {MatrixType::kU8, MatrixType::kS8}}) {
      for (const MatrixType sums : isa::sums_of(a)) expect_group({layout, layout, a, b, sums, 32}, random);
    }
  }
}

TEST(GroupProductTest, NegatesAndOverwrites) {
  std::mt19937 random(7);
  for (const bool is_negated : {false, true}) {
    for (const bool is_added : {false, true})
      expect_group({&kLayouts[0], &kLayouts[4], MatrixType::kBf16, MatrixType::kBf16, MatrixType::kF32, 128, is_negated,
                    is_added},
                   random);
  }
}

// Returns what a product with these descriptors throws.
std::string failure_of(std::uint64_t a, std::uint64_t b, const SharedWindow& window) {
  MatrixProduct product = isa::described(16, 64, 16, MatrixType::kF16, MatrixType::kF16, MatrixType::kF32);
  product.is_by_group = true;
  Lanes lanes(product);
  try {
    lanes.multiply(window, 0, a, b);
  } catch (const std::exception& failure) {
    return failure.what();
  }
  return "";
}

TEST(GroupProductTest, RejectsDescriptorsBeyondSharedMemory) {
  Memory memory;
  const std::uint64_t a = memory.descriptor(kLayouts[0], 1024),
                      outside = memory.descriptor(kLayouts[0], Memory::kBytes - 1024);
  EXPECT_EQ(failure_of(a, a, memory.window()), "");
  EXPECT_EQ(failure_of(a, outside, memory.window()),
            "a descriptor of wgmma leaves the shared memory of its block (byte 102400 of 102400). Correct its start, "
            "offsets or swizzle.");
  EXPECT_EQ(
      failure_of(a | std::uint64_t{1} << 49, a, memory.window()),
      "a descriptor of wgmma has a base offset (its matrix does not begin where the pattern of its swizzle does). "
      "Align the matrix to 1024 bytes.");
}

}  // namespace
}  // namespace kmux::simt
