// Exported libraries of programs in CuTe DSL: their driver calls, without Python and the runtime.
#include "exported.h"
#include "over_fake.h"

namespace kmux::cutedsl {
namespace {

using nvidia::Exported;
using testing::HasSubstr;

class ExportTest : public nvidia::OverFake {};
INSTANTIATE_TEST_SUITE_P(On, ExportTest, testing::Values("cutedsl"),
                         [](const auto& plugin) { return std::string(plugin.param); });

TEST_P(ExportTest, LaunchesSameAsKernel) {
  ProgramBuilder builder("halve");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
  builder.variant("cutedsl").source("halve.py",
                                    "import cutlass\n"
                                    "import cutlass.cute as cute\n\n\n"
                                    "@cute.kernel\n"
                                    "def halve(x: cute.Tensor):\n"
                                    "    i = cute.arch.thread_idx()[0]\n"
                                    "    if i < x.shape[0]:\n"
                                    "        x[i] = x[i] * 0.5\n");
  builder.launch("halve").grid({1}).block({128}).args({"x"});
  const Kernel kernel = warmed(builder);
  const nvidia::ExportFolder folder;
  ExportOptions options{.library = folder.path / "halve.so"};
  options.compile.execution_backend = "cutedsl";
  export_library(*runtime, builder.build().value(), options).value();
  const Exported halve(options.library, "halve");
  const Tensor x = zeros(kernel, {100});
  EXPECT_EQ(halve.prepare(0), 0) << halve.last_error();
  struct Vector {  // the bytes after the extent are not checked
    void* data;
    std::int32_t extent;
  };
  std::vector<Vector> vectors;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { vectors.push_back(*static_cast<const Vector*>(run.args[0])); });
  const auto without_args = [](std::string call) { return call.substr(0, call.find(" args ")); };
  const std::string expected = without_args(work_of(kernel, {x}).back());
  fake.clear_calls();
  EXPECT_EQ(halve({x.dl()}), "");
  EXPECT_EQ(without_args(work().back()), expected);
  ASSERT_EQ(vectors.size(), 2U);
  for (const Vector& vector : vectors) {
    EXPECT_EQ(vector.data, x.data());
    EXPECT_EQ(vector.extent, 100);
  }
  EXPECT_THAT(halve({}), HasSubstr("kernel \"halve\": expected 1 arguments, got 0"));
  halve.close();
}

}  // namespace
}  // namespace kmux::cutedsl
