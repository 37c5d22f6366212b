#include "kmux/jit_function.h"

#include <functional>

#include <gtest/gtest.h>

namespace kmux {
namespace {

struct Config {};
using Tensors = std::span<const Tensor>;

template <class Fn>
constexpr JitMode kMode = JitFunction<Fn>::kMode;
template <class Fn>
constexpr JitMode mode_of(const Fn&) {
  return kMode<Fn>;
}

struct Functor {
  Program operator()(const Config&) const noexcept { return {}; }
};
struct Overloaded {
  Program operator()(const Config&) const { return {}; }
  Program operator()(int) const { return {}; }
};

TEST(JitFunctionTest, IsLazyIfItReturnsProgram) {
  EXPECT_EQ(kMode<Program (*)(const Config&)>, JitMode::kLazy);
  EXPECT_EQ(kMode<Result<Program> (*)(Config)>, JitMode::kLazy);
  EXPECT_EQ(kMode<std::function<Program(const Config&)>>, JitMode::kLazy);
  EXPECT_EQ(kMode<Functor>, JitMode::kLazy);
  EXPECT_EQ(mode_of([](const Config&) { return Program{}; }), JitMode::kLazy);
  EXPECT_TRUE((std::same_as<JitFunction<Program (*)(const Config&)>::Config, Config>));
}

TEST(JitFunctionTest, IsEagerIfItUsesBuilder) {
  EXPECT_EQ((kMode<JitOutputs (*)(JitBuilder&, Tensors, const Config&)>), JitMode::kEager);
  EXPECT_EQ((kMode<Result<JitOutputs> (*)(JitBuilder&, Tensors, Config)>), JitMode::kEager);
  EXPECT_TRUE((std::same_as<JitFunction<JitOutputs (*)(JitBuilder&, Tensors, const Config&)>::Config, Config>));
}

TEST(JitFunctionTest, HasNoModeForOtherSignatures) {
  EXPECT_EQ(kMode<int>, JitMode::kAuto);
  EXPECT_EQ(kMode<Program (*)()>, JitMode::kAuto);
  EXPECT_EQ(kMode<Program (*)(Config&)>, JitMode::kAuto);  // could change the members that form the key
  EXPECT_EQ((kMode<Program (*)(const Config&, int)>), JitMode::kAuto);
  EXPECT_EQ(kMode<Kernel* (*)(const Config&)>, JitMode::kAuto);
  EXPECT_EQ((kMode<JitOutputs (*)(JitBuilder, Tensors, const Config&)>), JitMode::kAuto);
  EXPECT_EQ((kMode<JitOutputs (*)(JitBuilder&, const Config&)>), JitMode::kAuto);
  EXPECT_EQ((kMode<Program (*)(JitBuilder&, Tensors, const Config&)>), JitMode::kAuto);
  EXPECT_EQ(kMode<Overloaded>, JitMode::kAuto);
  EXPECT_EQ(mode_of([](const auto&) { return Program{}; }), JitMode::kAuto);
}

}  // namespace
}  // namespace kmux
