#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa_matrices.h"
#include "simt/units/warp_product.h"
#include "workbench.h"

namespace kmux::cpu {

using simt::MatrixProduct;
using simt::MatrixType;
using testing::HasSubstr;
using u32 = std::uint32_t;
namespace isa = simt::isa;

/// A kernel `k(const unsigned* x, unsigned* y, int n)` of one block.
struct BlockKernel {
  std::string source;
  unsigned threads = 32;
  Options options = {{"tier", "full"}};

  /// Returns `count` words at y.
  Result<std::vector<u32>> operator()(std::vector<u32> x, std::size_t count, int n = 0) const {
    ProgramBuilder builder("sample");
    builder.pointer("x").pointer("y");
    builder.scalar("n", dtype::kInt32);
    builder.variant("cuda").source("k.cu", source);
    builder.launch("k").grid({Expr(1)}).block({Expr(static_cast<std::int64_t>(threads))}).args({"x", "y", "n"});
    KMUX_ASSIGN(const Program program, builder.build());
    KMUX_ASSIGN(LoadedKernel kernel, common_bench().load(program, options));
    std::vector<u32> y(count);
    KMUX_TRY(kernel({slot(x.data()), slot(y.data()), slot(std::int64_t{n})}));
    return y;
  }
};

inline const Options kAllOptions[] = {{{"tier", "full"}}, {{"tier", "fast"}}, {{"opt_level", "0"}}, {{"check", "on"}}};

/// Returns the words of a kernel in each way of running it, which must be the same.
inline std::vector<u32> words_of(BlockKernel kernel, const std::vector<u32>& x, std::size_t count, int n = 0) {
  std::vector<u32> words;
  for (const Options& options : kAllOptions) {
    kernel.options = options;
    const auto result = kernel(x, count, n);
    EXPECT_TRUE(result.ok()) << result.error().explain() << "\n" << kernel.source;
    if (!result.ok()) return {};
    if (!words.empty()) {
      EXPECT_EQ(*result, words) << options.begin()->first << options.begin()->second;
    }
    words = *result;
  }
  return words;
}

inline std::string part_of_type(MatrixType type) {
  constexpr const char* kNames[] = {"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2",
                                    "s8",  "u8",   "s4",   "u4",  "b1",  "s32"};
  return kNames[static_cast<int>(type)];
}

inline std::string shape_of(int m, int n, int k) {
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

// Returns "{%3, %4}" for `count` operands from `first` on.
inline std::string braced(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += (i > 0 ? ", %" : "%") + std::to_string(first + i);
  return text + "}";
}

inline std::string listed(const std::string& constraint, const std::string& name, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i > 0 ? ", \"" : "\"") + constraint + "\"(" + name + "[" + std::to_string(i) + "])";
  return text;
}

// Converts a pointer to shared memory as CUDA's headers do.
inline constexpr const char* kPlace = R"(__device__ unsigned place(const void* p) {
  unsigned low;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(low) : "l"(p));
  return low;
}
)";

/// Two matrices of 64 by 64 whole numbers as f16, one behind the other, and their product as f32.
struct SquareProduct {
  std::vector<u32> x = std::vector<u32>(4096);
  std::vector<u32> expected = std::vector<u32>(4096);

  SquareProduct() {
    std::mt19937 random(2);
    const isa::Matrix a = isa::whole_numbers(64, 64, MatrixType::kF16, random);
    const isa::Matrix b = isa::whole_numbers(64, 64, MatrixType::kF16, random);
    std::vector<std::uint8_t> bytes(16384);
    for (std::size_t i = 0; i < 4096; ++i) {
      isa::put(bytes, MatrixType::kF16, i, isa::encode(MatrixType::kF16, a.numbers[i]));
      isa::put(bytes, MatrixType::kF16, 4096 + i, isa::encode(MatrixType::kF16, b.numbers[i]));
    }
    std::memcpy(x.data(), bytes.data(), bytes.size());
    const isa::Matrix product = isa::product_of(a, b, isa::Matrix{64, 64});
    for (std::size_t i = 0; i < 4096; ++i)
      expected[i] = static_cast<u32>(isa::encode(MatrixType::kF32, product.numbers[i]));
  }
};

// Replaces `name` in `text`.
inline std::string replaced(std::string text, const std::string& name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size()))
    text.replace(at, name.size(), by);
  return text;
}

// Returns the message of a kernel with this body.
inline std::string matrix_failure(const std::string& body, unsigned threads = 32,
                                  const Options& options = {{"tier", "full"}}) {
  const std::string source =
      std::string(kPlace) +
      "__global__ void k(const unsigned* x, unsigned* y, int n) {\n"
      "  __shared__ __align__(16) unsigned tile[128];\n  tile[threadIdx.x] = 0;\n  unsigned d[4] = {};\n" +
      body + "\n  y[threadIdx.x] = d[0] + tile[threadIdx.x];\n}";
  const auto result = BlockKernel{source, threads, options}({0}, threads);
  return result.ok() ? "it worked" : result.error().message;
}

}  // namespace kmux::cpu
