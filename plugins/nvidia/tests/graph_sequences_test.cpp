// Option graph = on: replayed calls, graph updates, and plain launches.
#include "over_fake.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

KMUX_OVER_FAKE(GraphSequencesTest);

constexpr const char* kGraphTwo = R"(
extern "C" __global__ void first(float* x, int i) { x[0] = i; }
extern "C" __global__ void second(float* x, int i) { x[0] += i; }
)";
const Options kGraph = {{"graph", "on"}};

// Returns a program that fills x, then launches `first` and `second` with scalars "a" and "b".
ProgramBuilder two_program() {
  ProgramBuilder builder = program_of("two", kGraphTwo);
  builder.scalar("a", dtype::kInt32);
  builder.scalar("b", dtype::kInt32);
  builder.body().fill("x", Expr::symbol("n") * 4, 1);
  builder.launch("first").grid({1}).block({32}).args({"x", "a"});
  builder.launch("second").grid({2}).block({64}).args({"x", "b"});
  return builder;
}

class ReplayedOrNotTest : public GraphSequencesTest {
 protected:
  // Returns the symbols of a second call, after one that built all one-time state.
  std::vector<std::string> symbols_of(const ProgramBuilder& builder, Options options, void* stream = nullptr) {
    const Kernel kernel = warmed(builder, std::move(options));
    const Tensor x = zeros(kernel, {8});
    const std::vector<Arg> args = {x, 1, 2};
    work_of(kernel, args, stream);
    std::vector<std::string> symbols;
    for (const std::string& line : work_of(kernel, args, stream)) symbols.push_back(line.substr(0, line.find(' ')));
    return symbols;
  }
};
INSTANTIATE_TEST_SUITE_P(On, ReplayedOrNotTest, testing::ValuesIn(plugins_over_fake()),
                         [](const auto& plugin) { return std::string(plugin.param); });

TEST_P(GraphSequencesTest, AGraphIsBuiltOnceAndToldWhatChanged) {
  const Kernel kernel = warmed(two_program(), kGraph);
  const Tensor x = zeros(kernel, {8});
  std::vector<std::string> runs;
  fake.on_launch([&](const fake_cuda::KernelRun& run) {
    runs.push_back(run.kernel + " " + std::to_string(*static_cast<int*>(run.args[1])));
  });
  const auto first = work_of(kernel, {x, 1, 2});
  EXPECT_EQ(fake.calls("cuGraphAddMemsetNode").size(), 1U);
  EXPECT_THAT(fake.calls("cuGraphAddKernelNode_v2"),
              ElementsAre(HasSubstr(" first grid 1,1,1 block 32,1,1 smem 0 args [" + written(x) + " 0x00000001]"),
                          HasSubstr(" second grid 2,1,1 block 64,1,1 smem 0 args [" + written(x) + " 0x00000002]")));
  EXPECT_THAT(first.back(), HasSubstr("cuGraphLaunch "));
  EXPECT_THAT(work_of(kernel, {x, 1, 2}), ElementsAre(HasSubstr("cuGraphLaunch ")));
  EXPECT_THAT(work_of(kernel, {x, 1, 3}),
              ElementsAre(AllOf(HasSubstr("cuGraphExecKernelNodeSetParams_v2 "), HasSubstr(" 0x00000003]")),
                          HasSubstr("cuGraphLaunch ")));
  fake.finish();
  EXPECT_THAT(runs, ElementsAre("first 1", "second 2", "first 1", "second 2", "first 1", "second 3"));
  EXPECT_EQ(x.data_as<int>()[7], 0x01010101);
}

TEST_P(GraphSequencesTest, AGraphIsToldWhatOfAStructureChanged) {
  ProgramBuilder builder = program_of("pairs",
                                      "struct P { int a, b, c; };\n"
                                      "extern \"C\" __global__ void first(P p) {}\n"
                                      "extern \"C\" __global__ void second(P p) {}\n");
  builder.scalar("a", dtype::kInt32);
  builder.launch("first").grid({1}).block({32}).arg(StructArg{{ExprArg{1}, ExprArg{2}, ExprArg{3}}});
  builder.launch("second").grid({1}).block({32}).arg(StructArg{{ExprArg{1}, ScalarArg{"a"}, ExprArg{3}}});
  const Kernel kernel = warmed(builder, kGraph);
  const Tensor x = zeros(kernel, {8});
  work_of(kernel, {x, 1});
  EXPECT_THAT(work_of(kernel, {x, 1}), ElementsAre(HasSubstr("cuGraphLaunch ")));
  EXPECT_THAT(work_of(kernel, {x, 5}), ElementsAre(AllOf(HasSubstr("cuGraphExecKernelNodeSetParams_v2 "),
                                                         HasSubstr(" args [0x010000000500000003000000]")),
                                                   HasSubstr("cuGraphLaunch ")));
}

TEST_P(GraphSequencesTest, AnotherStreamHasTheSameGraphAndACaptureNone) {
  const Kernel kernel = warmed(two_program(), kGraph);
  const Tensor x = zeros(kernel, {8});
  const std::vector<Arg> args = {x, 1, 2};
  EXPECT_THAT(work_of(kernel, args).back(), HasSubstr("cuGraphLaunch "));
  EXPECT_THAT(work_of(kernel, args, reinterpret_cast<void*>(2)), ElementsAre(HasSubstr("cuGraphLaunch ")));
  fake.set_capture(nullptr, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  work_of(kernel, args);
  EXPECT_EQ(fake.calls("cuLaunchKernelEx").size(), 2U);
  EXPECT_EQ(fake.calls("cuMemsetD8Async").size(), 1U);
  fake.set_capture(nullptr, CU_STREAM_CAPTURE_STATUS_NONE);
  kept = {.contexts = 1, .libraries = 1};  // the code, for the graph of the capture
  EXPECT_THAT(work_of(kernel, args).back(), HasSubstr("cuGraphLaunch "));
}

TEST_P(ReplayedOrNotTest, DefaultIsNotReplayed) {
  EXPECT_THAT(symbols_of(two_program(), {}), ElementsAre("cuMemsetD8Async", "cuLaunchKernelEx", "cuLaunchKernelEx"));
  EXPECT_THAT(symbols_of(two_program(), {{"graph", "off"}}),
              ElementsAre("cuMemsetD8Async", "cuLaunchKernelEx", "cuLaunchKernelEx"));
}

TEST_P(ReplayedOrNotTest, TwoLaunchesAreReplayed) {
  EXPECT_THAT(symbols_of(two_program(), kGraph), ElementsAre("cuGraphLaunch"));
}

// Each of these programs disables the replay of a body that would otherwise be replayed.
ProgramBuilder with_scalars() {
  ProgramBuilder builder = program_of("two", kGraphTwo);
  builder.scalar("a", dtype::kInt32);
  builder.scalar("b", dtype::kInt32);
  builder.launch("first").grid({1}).block({32}).args({"x", "a"});
  return builder;
}

TEST_P(ReplayedOrNotTest, SingleLaunchIsNotReplayed) {
  EXPECT_THAT(symbols_of(with_scalars(), kGraph), ElementsAre("cuLaunchKernelEx"));
}

TEST_P(ReplayedOrNotTest, CooperativeOverlappingOrWindowedIsNotReplayed) {
  ProgramBuilder cooperative = with_scalars();
  cooperative.launch("second").grid({1}).block({32}).cooperative().args({"x", "b"});
  EXPECT_THAT(symbols_of(cooperative, kGraph), ElementsAre("cuLaunchKernelEx", "cuLaunchKernelEx"));
  ProgramBuilder overlapping = with_scalars();
  overlapping.launch("second").grid({1}).block({32}).programmatic_serialization().args({"x", "b"});
  EXPECT_THAT(symbols_of(overlapping, kGraph), ElementsAre("cuLaunchKernelEx", "cuLaunchKernelEx"));
  ProgramBuilder windowed = with_scalars();
  windowed.launch("second").grid({1}).block({32}).l2_window("x", 16).args({"x", "b"});
  EXPECT_THAT(symbols_of(windowed, kGraph), ElementsAre("cuLaunchKernelEx", "cuLaunchKernelEx"));
}

TEST_P(GraphSequencesTest, ClustersAreGraphNodeAttributes) {
  ProgramBuilder builder = with_scalars();
  builder.launch("second").grid({4}).block({32}).cluster({2}).args({"x", "b"});
  const Kernel kernel = warmed(builder, kGraph);
  const Tensor x = zeros(kernel, {8});
  work_of(kernel, {x, 1, 2});
  EXPECT_THAT(fake.calls("cuGraphKernelNodeSetAttribute"), ElementsAre(HasSubstr(" attribute 4 cluster 2,1,1")));
}

TEST_P(GraphSequencesTest, InvalidOptionValueIsRejected) {
  const auto refused = try_compile(two_program(), {{"graph", "perhaps"}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("graph"), HasSubstr("perhaps")));
}

}  // namespace
}  // namespace kmux::nvidia
