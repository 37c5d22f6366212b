#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/analysis/names.h"
#include "simt/codegen/target_machine.h"
#include "simt/pipeline.h"
#include "simt/transforms/inline_assembly.h"

namespace kmux::simt {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Words = u64[4];

/// Returns the lower word of `x`.
inline u32 w(u64 x) { return static_cast<u32>(x); }

/// A text of PTX with a result $0 and up to three operands, and what it means, computed in another way.
struct PtxCase {
  const char* text;
  const char* types;  // of LLVM: "i32 float float", the result first
  std::function<std::uint64_t(const Words&)> expected;  // of the bits of the operands
};

/// A case whose expected bits are an expression of the operands `x`.
#define PTX(text, types, expression)                                               \
  PtxCase {                                                                        \
    text, types, []([[maybe_unused]] const Words& x) -> u64 { return expression; } \
  }

inline std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Compiled cases.
class PtxCode {
 public:
  explicit PtxCode(const std::vector<PtxCase>& cases) {
    std::string text = "define void @entry(i32 %n, ptr %x, ptr %y) {\n  switch i32 %n, label %end [\n";
    for (std::size_t i = 0; i < cases.size(); ++i) text += "    i32 " + number(i) + ", label %l" + number(i) + "\n";
    text += "  ]\n";
    for (std::size_t i = 0; i < cases.size(); ++i)
      text += "l" + number(i) + ":\n  call void @f" + number(i) + "(ptr %x, ptr %y)\n  ret void\n";
    text += "end:\n  ret void\n}\n";
    for (std::size_t i = 0; i < cases.size(); ++i) text += function(i, cases[i]);
    compile(text);
  }

  /// Returns the bits of the result of case `i`.
  std::uint64_t operator()(std::size_t i, const Words& x) const {
    std::uint64_t y = 0;
    reinterpret_cast<void (*)(int, const void*, void*)>(code_->entry())(static_cast<int>(i), x, &y);
    return y;
  }
  bool is_compiled() const { return code_ != nullptr; }

 private:
  static std::string number(std::size_t i) { return std::to_string(i); }

  static std::string function(std::size_t i, const PtxCase& one) {
    const std::vector<std::string> types = split_words(one.types);
    std::string text = "define internal void @f" + number(i) + "(ptr %x, ptr %y) noinline {\n";
    std::string constraints = "=r", operands;
    for (std::size_t k = 1; k < types.size(); ++k) {
      const std::string n = number(k);
      text += "  %p" + n + " = getelementptr i64, ptr %x, i64 " + number(k - 1) + "\n";
      text += "  %x" + n + " = load " + types[k] + ", ptr %p" + n + "\n";
      constraints += ",r";
      operands += (k > 1 ? ", " : "") + types[k] + " %x" + n;
    }
    text += "  %r = call " + types[0] + " asm \"" + one.text + "\", \"" + constraints + "\"(" + operands + ")\n";
    return text + "  store " + types[0] + " %r, ptr %y\n  ret void\n}\n";
  }

  void compile(const std::string& text) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const auto module = llvm::parseAssemblyString(text, problem, context);
    ASSERT_NE(module, nullptr) << problem.getMessage().str();
    replace_assembly(*module);
    std::string left;
    llvm::raw_string_ostream(left) << *module;
    const std::size_t refused = left.find(kAssemblyRefusal);
    ASSERT_EQ(refused, std::string::npos) << left.substr(refused, 300);
    const auto machine = make_target_machine(host_cpu().name, 2, Tier::kFull);
    ASSERT_TRUE(machine.ok()) << machine.error().explain();
    module->setDataLayout((*machine)->createDataLayout());
    for (llvm::Function& function : *module) function.addFnAttr("target-cpu", host_cpu().name);
    optimize(*module, **machine, 2, Tier::kFull, false);
    const auto object = emit_object(*module, **machine);
    ASSERT_TRUE(object.ok()) << object.error().explain();
    const std::vector<std::string> objects = {*object};
    auto code = load_objects(objects, "entry");
    ASSERT_TRUE(code.ok()) << code.error().explain();
    code_ = *std::move(code);
  }

  std::unique_ptr<LoadedCode> code_;
};

/// Bits of numbers at which functions change.
// clang-format off
inline constexpr u64 kEdges[] = {
    0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0x7bff, 0x0400, 0x3c00,
    0x7f80, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
    0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0x4f800000, 0xcf000000, 0x477fe000,
    0x477ff000, 0x43e00000, 0x38d1b717, 0x3fffffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0x8000000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0x3ff0000000000000,
    0x41dfffffffc00000, 0x43e0000000000000};
// clang-format on

/// Returns random bits, often of numbers at which functions change.
inline std::uint64_t sample(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  switch (random() % 6) {
    case 0:
      return kEdges[bits % std::size(kEdges)];
    case 1:
      return bits >> (random() % 64);
    case 2:  // two halves near 1
      return (bits & 0x83ff83ff83ff83ff) | 0x3800380038003800 | (random() & 0x0400040004000400);
    case 3:  // a float whose exponent is near that of 1
      return (bits & 0x807fffff807fffff) | (0x3f80000000000000 & ~0ULL << 32) | ((112 + random() % 32) << 23);
    case 4: {  // a double of about the size of integers
      const double number =
          static_cast<double>(static_cast<std::int64_t>(bits)) / static_cast<double>(1ULL << (random() % 60));
      return __builtin_bit_cast(std::uint64_t, number);
    }
    default:
      return bits;
  }
}

/// Compares each case with what it should be, for many operands. `is_same` compares bits of results.
inline void expect_values(
    const std::vector<PtxCase>& cases, int count = 600,
    const std::function<bool(std::uint64_t, std::uint64_t)>& is_same = [](auto a, auto b) { return a == b; }) {
  const PtxCode code(cases);
  ASSERT_TRUE(code.is_compiled());
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (int k = 0; k < count; ++k) {
      const Words x = {sample(random), sample(random), sample(random), 0};
      const std::uint64_t expected = cases[i].expected(x), found = code(i, x);
      ASSERT_TRUE(is_same(found, expected)) << cases[i].text << std::hex << "\noperands " << x[0] << " " << x[1] << " "
                                            << x[2] << "\nfound " << found << ", expected " << expected;
    }
  }
}

}  // namespace kmux::simt
