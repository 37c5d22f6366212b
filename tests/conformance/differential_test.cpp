// The differential group: the same inputs through every backend that can run here, compared with the reference backend.
// The reference is "cpu": C compiled for the host.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <gmock/gmock.h>

#include "kmux/compile.h"
#include "kmux/kernel.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "differential_cases.h"
#include "needs.h"

namespace kmux::conformance {
namespace {

constexpr const char* kReference = "cpu";

class Differential : public testing::TestWithParam<DifferentialCase> {
 protected:
  static std::vector<std::string> backends() {
    std::vector<std::string> names;
    for (const Manifest& manifest : runtime()->registry().manifests()) names.push_back(manifest.name);
    return names;
  }

  static Result<Kernel> compile_with(const std::string& backend, const Program& program) {
    return compile(*runtime(), program, {.execution_backend = backend});
  }

  /// Returns every output of a call, concatenated.
  static std::vector<float> call(const Kernel& kernel, const DifferentialCase& one) {
    std::vector<Tensor> tensors;
    std::vector<Arg> args;
    for (const DifferentialInput& input : one.inputs) {
      const auto host = Tensor::from<float>(input.shape, dtype::kFloat32, input.values).value();
      tensors.push_back(host.to(kernel.device()).value());
      args.emplace_back(tensors.back());
    }
    args.insert(args.end(), one.scalars.begin(), one.scalars.end());
    std::vector<float> values;
    for (const Tensor& output : kernel.call(args).value()) {
      const Tensor host = output.to({}).value();
      values.insert(values.end(), host.data_as<float>(), host.data_as<float>() + host.element_count());
    }
    return values;
  }

  static Shared<Runtime> runtime() { return Runtime::default_runtime().value(); }
};

/// Returns a description of the first element outside the tolerance; empty if there is no such element.
std::string difference(const std::vector<float>& expected, const std::vector<float>& actual, Tolerance tolerance) {
  if (expected.size() != actual.size()) return "another number of elements";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double allowed = tolerance.absolute + tolerance.relative * std::fabs(double{expected[i]});
    if (!(std::fabs(double{actual[i]} - double{expected[i]}) > allowed) && !std::isnan(actual[i])) continue;
    std::ostringstream text;
    text << "element " << i << " is " << actual[i] << ", not " << expected[i] << " (allowed: " << allowed << ")";
    return text.str();
  }
  return "";
}

bool is_required(const std::string& backend) {
  const char* const list = std::getenv("KMUX_REQUIRE_BACKENDS");
  std::istringstream words(list == nullptr ? "" : list);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == backend) return true;
  }
  return false;
}

/// Returns true if the device, the toolchain or the program's variant is missing.
bool cannot_run(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kUnsupported;
}

TEST_P(Differential, AgreesWithTheReference) {
  const DifferentialCase& one = GetParam();
  const auto reference = compile_with(kReference, one.program);
  if (!reference.ok() && !is_required(kReference)) {
    GTEST_SKIP() << needs("the reference backend", reference.error().message);
  }
  ASSERT_TRUE(reference.ok()) << reference.error().explain();
  const std::vector<float> expected = call(*reference, one);
  std::string compared;
  for (const std::string& backend : backends()) {
    if (backend == kReference) continue;
    const auto kernel = compile_with(backend, one.program);
    if (!kernel.ok() && cannot_run(kernel.error()) && !is_required(backend)) {
      std::printf("%s: not run by %s: %s\n", one.name.c_str(), backend.c_str(), kernel.error().message.c_str());
      continue;
    }
    ASSERT_TRUE(kernel.ok()) << backend << ": " << kernel.error().explain();
    EXPECT_EQ(difference(expected, call(*kernel, one), one.tolerance), "") << backend << " against " << kReference;
    compared += " " + backend;
  }
  std::printf("%s: reference %s, compared:%s\n", one.name.c_str(), kReference, compared.c_str());
}

INSTANTIATE_TEST_SUITE_P(Programs, Differential, testing::ValuesIn(differential_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(DifferentialComparison, SeesWhatIsTooFarAway) {
  EXPECT_EQ(difference({1, 2}, {1, 2}, {}), "");
  EXPECT_EQ(difference({1, 2}, {1.05F, 2}, {0.1, 0}), "");
  EXPECT_EQ(difference({100}, {101}, {0, 0.02}), "");
  EXPECT_THAT(difference({1, 2}, {1, 3}, {0.1, 0.1}), testing::HasSubstr("element 1 is 3, not 2"));
  EXPECT_NE(difference({1}, {std::nanf("")}, {10, 10}), "");
  EXPECT_NE(difference({1}, {1, 2}, {10, 10}), "");
}

}  // namespace
}  // namespace kmux::conformance
