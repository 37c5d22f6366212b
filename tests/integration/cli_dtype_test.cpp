// Types that numpy lacks: .npy files hold their bits, and the command compares them as numbers.

#include <cstring>

#include "kmux/builder.h"
#include "kmux/npy.h"
#include "kmux/program.h"

#include "integration/cli_session.h"
#include "ir/float_convert.h"

namespace kmux::test {
namespace {

class CliDtypeTest : public testing::TestWithParam<DType> {
 protected:
  /// Returns y = x, element by element, over the bits of the type.
  static Program copy_program(DType type) {
    ProgramBuilder builder("copy");
    const Expr n = builder.symbol("n");
    builder.input("x", type, {n}).output("y", type, {n});
    builder.variant("c").source("copy.c",
                                "#include <string.h>\nvoid copy(const void* x, void* y, long long bytes) { "
                                "memcpy(y, x, bytes); }\n");
    builder.launch("copy").args({"x", "y"}).arg(n * Expr(total_bits(type) / 8), dtype::kInt64);
    return builder.build().value();
  }
  /// Returns the values as a tensor of `type`.
  static Tensor tensor_of(DType type, const std::vector<double>& values) {
    const Tensor tensor = Tensor::zeros({static_cast<std::int64_t>(values.size())}, type).value();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t bits = float_to_bits(type, values[i]);
      std::memcpy(tensor.data_as<char>() + i * type.bits / 8, &bits, type.bits / 8);
    }
    return tensor;
  }
};

TEST_P(CliDtypeTest, IsReadWrittenAndComparedAsNumbers) {
  const DType type = GetParam();
  const CliSession session;
  save_program(copy_program(type), session.folder() / "copy.kmux.json").value();
  save_npy(session.folder() / "x.npy", tensor_of(type, {1, -2, 0.5})).value();
  save_npy(session.folder() / "near.npy", tensor_of(type, {1, -2, 0.625})).value();
  const ProcessResult run = session.run({"run", "copy.kmux.json", "--in", "x=x.npy", "--out", "y=y.npy"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  EXPECT_THAT(run.standard_output, HasSubstr(to_string(type) + "[3]"));
  EXPECT_EQ(session.run({"run", "copy.kmux.json", "--in", "x=x.npy", "--check", "y=y.npy"}).exit_code, 0);
  const std::vector<std::string> near{"run",     "copy.kmux.json", "--in",   "x=x.npy",
                                      "--check", "y=near.npy",     "--rtol", "0"};
  std::vector<std::string> strict = near;
  strict.insert(strict.end(), {"--atol", "0.1"});
  const ProcessResult refused = session.run(strict);
  EXPECT_EQ(refused.exit_code, 1) << refused.standard_error;
  EXPECT_THAT(refused.standard_output, HasSubstr("at [2]: 0.5, expected 0.625"));
  std::vector<std::string> loose = near;
  loose.insert(loose.end(), {"--atol", "0.2"});
  EXPECT_EQ(session.run(loose).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Cli, CliDtypeTest,
                         testing::Values(dtype::kBFloat16, dtype::kFloat16, dtype::kFloat8E4M3FN, dtype::kFloat8E5M2),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace kmux::test
