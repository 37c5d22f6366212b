// SPDX-License-Identifier: Apache-2.0
// Products of sparse matrices in CUDA kernels: mma.sp and wgmma.mma_async.sp.
#include <array>
#include <random>

#include "matrix_kernels.h"

namespace kmux::cpu {
namespace {

/// A form of mma.sp whose metadata the lanes with `selector` have.
struct SparseForm {
  unsigned k;
  MatrixType type;
  unsigned selector;

  bool is_integer() const { return type == MatrixType::kS8; }
  unsigned bits() const { return simt::element_bits(type); }
  unsigned of_a() const { return k * bits() / 128; }
  unsigned of_b() const { return k * bits() / 128; }
  std::string mnemonic() const {
    const std::string sums = is_integer() ? "s32" : "f32", name = part_of_type(type);
    return "mma.sp::ordered_metadata.sync.aligned." + shape_of(16, 8, static_cast<int>(k)) + ".row.col." + sums + "." +
           name + "." + name + "." + sums;
  }
};

/// A, with zeros, B, and the registers of the lanes: of A without zeros, of B, and metadata.
struct SparseOperands {
  std::vector<double> a, b;
  std::array<std::vector<std::uint8_t>, 32> of_a, of_b;
  std::array<u32, 32> metadata{};
};

// Sets the bits of a group, in the lane that CUTLASS's layouts of metadata have.
void set_metadata(SparseOperands& all, const SparseForm& form, unsigned row, unsigned group, unsigned bits) {
  const unsigned width = form.bits() == 32 ? 2 : 4, column = group * width;
  unsigned lane = row % 8 * 4, place = group % 4 + row / 8 * 4;
  if (form.bits() == 8) {
    lane += row / 8 + column / 32 * 2, place = group % 8;
  } else if (form.k / width > 4) {
    lane += 2 * form.selector + group / 4;
  } else {
    lane += form.selector;
  }
  all.metadata[lane] |= bits << (4 * place);
}

// Fills a row of A: of each group of four two elements, of tf32 one of two. Returns them without the zeros.
std::vector<double> fill_row(SparseOperands& all, const SparseForm& form, unsigned row, std::mt19937& random) {
  std::vector<double> present;
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const unsigned width = form.bits() == 32 ? 2 : 4;
  for (unsigned group = 0; group < form.k / width; ++group) {
    unsigned first = below(3), second = first + 1 + below(3 - first);
    if (width == 2) first = below(2), second = first;
    set_metadata(all, form, row, group, width == 2 ? (first == 0 ? 0b0100 : 0b1110) : first | second << 2);
    for (const unsigned at : {first, second}) {
      if (width == 2 && present.size() > group) continue;
      present.push_back(static_cast<double>(static_cast<int>(random() % 9) - 4));
      all.a[row * form.k + group * width + at] = present.back();
    }
  }
  return present;
}

void put(std::array<std::vector<std::uint8_t>, 32>& lanes, const SparseForm& form, unsigned lane, unsigned i,
         double value) {
  isa::put(lanes[lane], form.type, i, isa::encode(form.type, value));
}

SparseOperands operands_of(const SparseForm& form, std::mt19937& random) {
  SparseOperands all;
  all.a.resize(16 * form.k), all.b.resize(form.k * 8);
  const unsigned per = 32 / form.bits();
  for (unsigned lane = 0; lane < 32; ++lane)
    all.of_a[lane].resize(4 * form.of_a()), all.of_b[lane].resize(4 * form.of_b());
  for (unsigned row = 0; row < 16; ++row) {
    const std::vector<double> present = fill_row(all, form, row, random);
    for (unsigned c = 0; c < present.size(); ++c) {  // column c of m16n8k(k / 2)
      const unsigned number = row / 8 + c / (4 * per) * 2;
      put(all.of_a, form, row % 8 * 4 + c / per % 4, number * per + c % per, present[c]);
    }
  }
  for (unsigned i = 0; i < form.k * 8; ++i) {
    const unsigned k = i / 8, column = i % 8;
    all.b[i] = static_cast<double>(static_cast<int>(random() % 9) - 4);
    put(all.of_b, form, column * 4 + k / per % 4, k / (4 * per) * per + k % per, all.b[i]);
  }
  return all;
}

// A lane's words: registers of A and B, and metadata, one lane after another.
std::vector<u32> words_of_lanes(const SparseOperands& all) {
  std::vector<u32> words;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (const auto* const bytes : {&all.of_a[lane], &all.of_b[lane]}) {
      for (std::size_t i = 0; i < bytes->size(); i += 4)
        words.push_back((*bytes)[i] | (*bytes)[i + 1] << 8 | (*bytes)[i + 2] << 16 | u32{(*bytes)[i + 3]} << 24);
    }
    words.push_back(all.metadata[lane]);
  }
  return words;
}

std::string source_of(const SparseForm& form) {
  const unsigned a = form.of_a(), b = form.of_b();
  const std::string type = form.is_integer() ? "int" : "float", letter = form.is_integer() ? "+r" : "+f";
  return "__global__ void k(const unsigned* x, unsigned* y, int n) {\n  const unsigned lane = threadIdx.x;\n  const "
         "unsigned* a = x + "
         "lane * " +
         std::to_string(a + b + 1) + ";\n  const unsigned* b = a + " + std::to_string(a) + ";\n  " + type +
         " d[4] = {1, 1, 1, 1};\n  asm volatile(\"" + form.mnemonic() + " " + braced(0, 4) + ", " + braced(4, a) +
         ", " + braced(4 + a, b) + ", " + braced(0, 4) + ", %" + std::to_string(4 + a + b) + ", " +
         std::to_string(form.selector) + ";\" : " + listed(letter, "d", 4) + " : " + listed("r", "a", a) + ", " +
         listed("r", "b", b) + ", \"r\"(b[" + std::to_string(b) + "]));\n  for (int i = 0; i < 4; ++i) ((" + type +
         "*)y)[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];\n}\n";
}

std::vector<u32> expected_of(const SparseForm& form, const SparseOperands& all) {
  std::vector<u32> words;
  for (unsigned i = 0; i < 128; ++i) {
    double sum = 1;
    for (unsigned k = 0; k < form.k; ++k) sum += all.a[i / 8 * form.k + k] * all.b[k * 8 + i % 8];
    words.push_back(form.is_integer() ? static_cast<u32>(static_cast<int>(sum))
                                      : std::bit_cast<u32>(static_cast<float>(sum)));
  }
  return words;
}

TEST(DeviceSparseTest, MultipliesByEachFormAndSelector) {
  std::mt19937 random(3);
  using enum MatrixType;
  const SparseForm forms[] = {{16, kF16, 0},  {16, kF16, 3},  {32, kF16, 0}, {32, kF16, 1},
                              {16, kBf16, 2}, {32, kBf16, 1}, {8, kTf32, 1}, {8, kTf32, 2},
                              {16, kTf32, 0}, {16, kTf32, 1}, {64, kS8, 0},  {64, kE4m3, 0}};
  for (const SparseForm& form : forms) {
    const SparseOperands all = operands_of(form, random);
    EXPECT_EQ(words_of({source_of(form)}, words_of_lanes(all), 128), expected_of(form, all)) << form.mnemonic();
  }
}

// Four warps have the same A and metadata in registers; B is in shared memory, with eight elements of a column in a row.
constexpr const char* kGroupProduct = R"(
__global__ void k(const unsigned* x, unsigned* y, int n) {
  __shared__ __align__(128) unsigned short b[256];
  const int lane = threadIdx.x % 32;
  const unsigned* const own = x + lane * 9;
  for (int i = threadIdx.x; i < 256; i += 128) b[i % 8 + i / 8 % 8 * 8 + i / 64 * 64] = (unsigned short)x[288 + i];
  __syncthreads();
  const unsigned long long place = (unsigned long long)__cvta_generic_to_shared(b) & 0x3ffff;
  const unsigned long long description = place >> 4 | 8ull << 16 | 8ull << 32;
  float d[4] = {1, 1, 1, 1};
  asm volatile("fence.proxy.async;\n wgmma.fence.sync.aligned;\n{ .reg .pred p;\n setp.ne.b32 p, %10, 0;\n"
               "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, %9, 1, p, 1, 1, 0;\n}\n"
               "wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(own[0]), "r"(own[1]), "r"(own[2]), "r"(own[3]), "l"(description), "r"(own[8]), "r"(1));
  for (int i = 0; i < 4; ++i)
    ((float*)y)[threadIdx.x / 32 * 128 + (lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
})";

TEST(DeviceSparseTest, MultipliesByGroups) {
  std::mt19937 random(4);
  const SparseForm form{32, MatrixType::kF16, 1};
  const SparseOperands all = operands_of(form, random);
  std::vector<u32> x = words_of_lanes(all), expected;
  for (unsigned i = 0; i < 256; ++i) {  // element i % 8 of eight, of column i / 8 % 8
    x.push_back(static_cast<u32>(isa::encode(form.type, all.b[(i / 64 * 8 + i % 8) * 8 + i / 8 % 8])));
  }
  const std::vector<u32> sums = expected_of(form, all);
  for (int warp = 0; warp < 4; ++warp) expected.insert(expected.end(), sums.begin(), sums.end());
  EXPECT_EQ(words_of({kGroupProduct, 128}, x, 512), expected);
}

}  // namespace
}  // namespace kmux::cpu
