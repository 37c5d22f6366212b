// A function that describes a kernel for the tensors of a call, through the whole chain and the cpu backend.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/jit.h"

#include "compile_counter.h"

namespace kmux {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

struct Config {
  std::int64_t factor = 2;
};
BOOST_DESCRIBE_STRUCT(Config, (), (factor))

/// Describes y[m, n] = factor * x[m, n] for any m.
JitOutputs rescale(JitBuilder& b, std::span<const Tensor>, const Config& config) {
  const Expr m = b.symbol("m");
  const JitConstant n = b.constant("n");
  const JitBuffer x = b.input("x", {m, n});
  const JitBuffer y = b.empty("y", x.dtype(), {m, n});
  b.variant("c").define("N", n.value()).define("FACTOR", config.factor);
  b.source("rescale.c", x.dtype() == dtype::kFloat64 ? "#define REAL double\n#include \"rescale.h\"\n"
                                                     : "#define REAL float\n#include \"rescale.h\"\n");
  b.header("rescale.h",
           "void rescale(const REAL* x, REAL* y, long long m) {\n"
           "  for (long long i = 0; i < m * N; ++i) y[i] = FACTOR * x[i];\n"
           "}\n");
  b.launch("rescale").args({"x", "y", "m"});
  return y;
}

/// Describes y += x, in place.
Result<JitOutputs> accumulate(JitBuilder& b, std::span<const Tensor>, const Config&) {
  const Expr n = b.symbol("n");
  b.input("x", {n});
  b.inout("y", {n});
  b.variant("c").source("accumulate.c",
                        "void accumulate(const float* x, float* y, long long n) {\n"
                        "  for (long long i = 0; i < n; ++i) y[i] += x[i];\n"
                        "}\n");
  b.launch("accumulate").args({"x", "y", "n"});
  return JitOutputs{};
}

template <class T = float>
Tensor filled(std::vector<std::int64_t> shape, std::type_identity_t<T> value, DType dtype = dtype::kFloat32) {
  const Tensor tensor = Tensor::empty(std::move(shape), dtype).value();
  std::fill_n(tensor.data_as<T>(), tensor.element_count(), value);
  return tensor;
}
template <class T = float>
std::vector<T> values_of(const Tensor& tensor) {
  return {tensor.data_as<T>(), tensor.data_as<T>() + tensor.element_count()};
}
bool are_one(const Kernel& a, const Kernel& b) { return &a.name() == &b.name(); }

TEST(JitEagerTest, CompilesOnFirstCallAndRuns) {
  const CompileCounter counter;
  const auto run = jit(rescale);
  const Tensor y = run(filled({2, 3}, 5)).and_then(single).value();
  EXPECT_THAT(y.shape(), ElementsAre(2, 3));
  EXPECT_THAT(values_of(y), Each(10));
  EXPECT_THAT(values_of(run(filled({2, 3}, 6)).and_then(single).value()), Each(12));
  EXPECT_EQ(counter.compiles(), 1);
}

TEST(JitEagerTest, SpecializesConstantsButNotSymbols) {
  const CompileCounter counter;
  const auto run = jit(rescale);
  EXPECT_THAT(values_of(run(filled({2, 3}, 1)).and_then(single).value()), testing::SizeIs(6));
  EXPECT_THAT(values_of(run(filled({7, 3}, 1)).and_then(single).value()), testing::SizeIs(21));
  EXPECT_EQ(counter.compiles(), 1);
  EXPECT_THAT(values_of(run(filled({2, 4}, 1)).and_then(single).value()), testing::SizeIs(8));
  EXPECT_EQ(counter.compiles(), 2);
}

TEST(JitEagerTest, CompilesForTensorDType) {
  const auto run = jit(rescale);
  const Tensor y = run(filled<double>({1, 2}, 0.25, dtype::kFloat64)).and_then(single).value();
  EXPECT_EQ(y.dtype(), dtype::kFloat64);
  EXPECT_THAT(values_of<double>(y), Each(0.5));
}

TEST(JitEagerTest, AcceptsConfigurationsAndStreams) {
  const auto run = jit(rescale);
  const Tensor x = filled({1, 2}, 1);
  EXPECT_THAT(values_of(run(x, Config{.factor = 3}).and_then(single).value()), Each(3));
  EXPECT_THAT(values_of(run(x, NamedValues{{"factor", 4}}).and_then(single).value()), Each(4));
  EXPECT_THAT(values_of(run(x, Config{.factor = 3}, Stream()).and_then(single).value()), Each(3));
  EXPECT_THAT(values_of(run(x, NamedValues{{"factor", 4}}, StreamRef{}).and_then(single).value()), Each(4));
  EXPECT_THAT(values_of(run(x, Stream()).and_then(single).value()), Each(2));
  EXPECT_THAT(run(x, NamedValues{{"f", 4}}).error().message, HasSubstr("unknown name \"f\""));
}

TEST(JitEagerTest, WritesCallerTensors) {
  const auto add = jit(accumulate);
  const Tensor x = filled({3}, 1), y = filled({3}, 5);
  EXPECT_EQ(add(x, y).value().size(), 0U);
  EXPECT_EQ(add(x, y).value().size(), 0U);
  EXPECT_THAT(values_of(y), Each(7));
}

TEST(JitEagerTest, ReturnsSeveralOutputsInOrder) {
  const auto run = jit([](JitBuilder& b, std::span<const Tensor>, const Config&) -> JitOutputs {
    const JitBuffer one = b.empty("one", dtype::kFloat32, {1}), two = b.empty("two", dtype::kFloat32, {2});
    b.variant("c").source("fill.c", "void fill(float* one, float* two) { one[0] = 1; two[0] = two[1] = 2; }\n");
    b.launch("fill").args({"one", "two"});
    return {two, one};
  });
  const Outputs outputs = run().value();
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_THAT(values_of(outputs[0]), ElementsAre(2, 2));
  EXPECT_THAT(values_of(outputs[1]), ElementsAre(1));
}

TEST(JitEagerTest, CompilesOnceFor16Threads) {
  const auto run = jit(rescale);
  expect_one_compile_for_16_threads([&](int i) {
    const Tensor x = filled({i + 1, 5}, 1);  // 16 forms, one program
    return values_of(run(x).and_then(single).value()) ==
           std::vector<float>(static_cast<std::size_t>(5 * (i + 1)), 2.0F);
  });
}

TEST(JitEagerTest, CallReusesKernelFromCompile) {
  const CompileCounter counter;
  const auto run = jit(rescale);
  const Tensor x = filled({2, 3}, 1);
  const Kernel kernel = run.compile({x}, {.factor = 3}).value();
  EXPECT_EQ(kernel.backend(), "cpu");
  EXPECT_TRUE(are_one(kernel, run.compile({x}, NamedValues{{"factor", 3}}).value()));
  EXPECT_THAT(values_of(run(x, Config{.factor = 3}).and_then(single).value()), Each(3));
  EXPECT_EQ(counter.compiles(), 1);
}

TEST(JitEagerTest, CompilesSeveralConfigurationsForSameTensors) {
  const CompileCounter counter;
  const auto run = jit(rescale);
  const Tensor x = filled({2, 3}, 1);
  const auto kernels = run.par_compile({x}, {Config{.factor = 3}, NamedValues{{"factor", 4}}}).value();
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_TRUE(are_one(kernels[1], run.compile({x}, {.factor = 4}).value()));
  EXPECT_THAT(values_of(run(x, Config{.factor = 3}).and_then(single).value()), Each(3));
  EXPECT_EQ(counter.compiles(), 2);
}

TEST(JitEagerTest, ReturnsProgramWithoutCompiling) {
  const CompileCounter counter;
  const auto run = jit(rescale, {}, {.name = "scaling"});
  const Program program = run.program({filled({2, 3}, 1)}, {.factor = 3}).value();
  EXPECT_EQ(program.name, "scaling");
  EXPECT_EQ(program.signature.params[0], (Param{"x", BufferParam{dtype::kFloat32, {Expr::symbol("m"), 3}}}));
  EXPECT_EQ(program, run.program({filled({2, 3}, 1)}, NamedValues{{"factor", 3}}).value());
  EXPECT_EQ(counter.compiles(), 0);
}

TEST(JitEagerTest, CacheKeyHasConfigurationAndTensors) {
  const auto run = jit(rescale);
  const Tensor x = filled({2, 3}, 1);
  EXPECT_EQ(run.parse_cache_key({x}), R"({"config":{"factor":2},"tensors":["float32[2, 3] on host"]})");
  EXPECT_EQ(run.parse_cache_key({x}, NamedValues{{"factor", 2}}).value(), run.parse_cache_key({x}));
  EXPECT_EQ(run.parse_cache_key({Tensor(), x.as_strided({2, 2}, {3, 1})}),
            R"({"config":{"factor":2},"tensors":["null","float32[2, 2] strides [3, 1] on host"]})");
}

TEST(JitEagerTest, ReportsModeSignatureAndOptions) {
  const auto run = jit(rescale, {}, {.mode = JitMode::kEager});
  EXPECT_EQ(run.mode(), JitMode::kEager);
  EXPECT_EQ(run.initialize_jit_mode().value(), JitMode::kEager);
  EXPECT_EQ(to_string(run.signature()), "(factor: int64 = 2)");
  EXPECT_EQ(run.function(), &rescale);
  EXPECT_EQ(run.options().mode, JitMode::kEager);
}

TEST(JitEagerTest, RejectsOutIdxAndOtherModes) {
  const Tensor x = filled({1, 1}, 1);
  const auto positions = jit(rescale, {.out_idx = {-1}});
  const auto refused = HasSubstr("out_idx is only supported in lazy mode");
  EXPECT_THAT(positions.initialize_jit_mode().error().message, refused);
  EXPECT_THAT(positions(x).error().message, refused);
  EXPECT_THAT(positions.compile({x}).error().message, refused);
  EXPECT_THAT(positions.program({x}).error().message, refused);
  EXPECT_THAT(jit(rescale, {}, {.mode = JitMode::kLazy})(x).error().message, HasSubstr("mode 'lazy' contradicts"));
}

TEST(JitEagerTest, ReportsMismatchedTensors) {
  const auto add = jit(accumulate, {}, {.name = "accumulate"});
  const Error error = add(filled({3}, 1)).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("jit function \"accumulate\": parameter \"y\" has no tensor"));
  EXPECT_EQ(error.note("config"), R"({"config":{"factor":2},"tensors":["float32[3] on host"]})");
  // Every call checks symbols, including the first.
  EXPECT_THAT(add(filled({3}, 1), filled({4}, 1)).error().message, HasSubstr("4"));
  EXPECT_THAT(add(filled({3}, 1), filled({4}, 1)).error().message, HasSubstr("4"));
}

TEST(JitEagerTest, RunsFunctionOncePerShape) {
  int calls = 0;
  const auto run = jit([&calls](JitBuilder& b, std::span<const Tensor> tensors, const Config& config) {
    ++calls;
    return rescale(b, tensors, config);
  });
  const Tensor x = filled({2, 3}, 1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run(x).ok());
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(run(filled({5, 3}, 1)).ok());
  EXPECT_EQ(calls, 2);
}

TEST(JitEagerTest, WarnsOnceAtShapeLimit) {
  const CompileCounter counter;
  int calls = 0;
  const auto run = jit(
      [&calls](JitBuilder& b, std::span<const Tensor> tensors, const Config& config) -> Result<JitOutputs> {
        ++calls;
        return accumulate(b, tensors, config);
      },
      {}, {.name = "accumulate"});
  constexpr int kForms = 16384;
  const Tensor x = filled({kForms + 2}, 0), y = filled({kForms + 2}, 0);
  for (std::int64_t i = 1; i <= kForms + 2; ++i) ASSERT_TRUE(run(x.as_strided({i}, {1}), y.as_strided({i}, {1})).ok());
  ASSERT_TRUE(run(x, y).ok());
  EXPECT_EQ(calls, kForms + 3);  // the last form is not kept
  EXPECT_EQ(counter.compiles(), 1);
  EXPECT_THAT(counter.warnings(), ElementsAre(HasSubstr("jit function \"accumulate\" was called in 16384 forms")));
}

TEST(JitEagerTest, ConvertsExceptionsToErrors) {
  const auto run = jit([](JitBuilder&, std::span<const Tensor> tensors, const Config&) -> JitOutputs {
    return tensors.empty() ? throw std::runtime_error("none") : JitOutputs();
  });
  EXPECT_THAT(run().error().message, HasSubstr("threw an exception (none)"));
}

TEST(JitEagerTest, ChoosesBackendByTensorDevice) {
  const auto run = jit(rescale, {.target = "auto", .execution_backend = "auto"});
  EXPECT_EQ(run.compile({filled({1, 1}, 1)}).value().backend(), "cpu");
}

}  // namespace
}  // namespace kmux
