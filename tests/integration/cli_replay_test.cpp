// KMUX_RECORD and kmux replay as a user runs them.

#include "integration/cli_replay.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/text.h"

namespace kmux::test {
namespace {

TEST_F(CliReplayTest, ReportsNoDifferenceForEqualResults) {
  record();
  const ProcessResult replayed = replay();
  EXPECT_EQ(replayed.exit_code, 0) << replayed.standard_error;
  EXPECT_THAT(replayed.standard_output, AllOf(HasSubstr("of 1 kernel replayed"), HasSubstr("no difference\n"),
                                              Not(HasSubstr("KMUX_RECORD_DATA"))));
}

TEST_F(CliReplayTest, ReportsFirstDifference) {
  record();
  std::string text = calls();
  const std::string x = before_of("x"), y = digest_of("\"y\":\"");
  for (std::size_t at = text.find(y); at != std::string::npos; at = text.find(y, at)) text.replace(at, 64, x);
  write_calls(text);
  const ProcessResult replayed = replay();
  EXPECT_EQ(replayed.exit_code, 1) << replayed.standard_error;
  EXPECT_THAT(replayed.standard_output,
              AllOf(HasSubstr("first difference: call 1, kernel 1-scale (recorded with cpu for cpu"),
                    HasSubstr("\"y\": 16 of 16 elements differ")));
  EXPECT_EQ(replay({"--rtol", "10"}).exit_code, 0);
}

// y = scale * x + shift; the source initialises the shift.
constexpr const char* kShifted = R"(//! kmux
//! kernel shifted(x: f32[n: i32], out y: f32[n])
//!   constant scale: f32
//!   constant shift: f32 initialised
//!   example n = 16
//!   launch shifted<<<1, n>>>(x, y)
__constant__ float scale;
__constant__ float shift = 5;
__global__ void shifted(const float* x, float* y) { y[threadIdx.x] = scale * x[threadIdx.x] + shift; }
)";

TEST_F(CliReplayTest, RestoresRecordedConstants) {
  session_.write("shifted.cu", kShifted);
  record_constants("full");
  EXPECT_THAT(calls(), AllOf(HasSubstr("\"constants\":{\"scale\":\""), HasSubstr("\"shift\":\"")));
  const ProcessResult replayed = replay();
  EXPECT_EQ(replayed.exit_code, 0) << replayed.standard_error;
  EXPECT_THAT(replayed.standard_output,
              AllOf(HasSubstr("no difference\n"), Not(HasSubstr("0 with results")), Not(HasSubstr("constants"))));
  // Another value changes the result, so the replay sets the recorded values.
  std::string text = calls();
  const std::string scale = digest_of("\"scale\":\""), shift = digest_of("\"shift\":\"");
  for (std::size_t at = text.find(scale); at != std::string::npos; at = text.find(scale, at))
    text.replace(at, 64, shift);
  write_calls(text);
  EXPECT_THAT(replay().standard_output, HasSubstr("first difference: call 1, kernel 1-shifted"));
}

TEST_F(CliReplayTest, ReportsConstantsWithoutRecordedBytes) {
  session_.write("shifted.cu", kShifted);
  record_constants("");
  const ProcessResult replayed = replay();
  EXPECT_EQ(replayed.exit_code, 0) << replayed.standard_error;
  EXPECT_THAT(
      replayed.standard_output,
      AllOf(HasSubstr("0 with results that could be compared"),
            HasSubstr("constants whose bytes were not recorded were zeros, or what their source gives them\n")));
}

TEST_F(CliReplayTest, RejectsConstantsOfWrongSize) {
  session_.write("shifted.cu", kShifted);
  record_constants("full");
  std::string text = calls();
  const std::string scale = digest_of("\"scale\":\""), x = before_of("x");
  text.replace(text.find(scale), 64, x);
  write_calls(text);
  const ProcessResult refused = replay();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.standard_error, HasSubstr("constant \"scale\" has another size"));
}

/// Kernels of an application that records its calls.
class RecordingApplicationTest : public CliReplayTest {
 protected:
  Kernel compiled(const std::string& source, const std::string& signature) const {
    const Program program = kernel_program({.source = source, .signature = signature}).value();
    return compile(*runtime_, program, {.target = "c"}).value();
  }
  /// Checks that a replay prints `text` and returns that exit code.
  void expect(int exit_code, const std::string& text) {
    const ProcessResult replayed = replay();
    EXPECT_EQ(replayed.exit_code, exit_code) << replayed.standard_error;
    EXPECT_THAT(replayed.standard_output, AllOf(HasSubstr(text), Not(HasSubstr("0 with results"))));
  }
  static Environment recording(const std::filesystem::path& folder) {
    Environment environment;
    environment.record_dir = folder;
    environment.record_data = "full";
    environment.disable_cache = true;
    return environment;
  }
  Shared<Runtime> runtime_ = Runtime::create(recording(folder()), {}).value();
};

constexpr const char* kTwice =
    "extern \"C\" void twice(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i] * 2; }";
constexpr const char* kTwiceSignature = "twice(x: f32[n], out y: f32[n])";

TEST_F(RecordingApplicationTest, InPlaceCallsAreReplayedInPlace) {
  const Kernel twice = compiled(kTwice, kTwiceSignature);
  std::vector<float> memory{1, 2, 3, 4};
  const Tensor both = Tensor::borrow(memory.data(), {4}, dtype::kFloat32);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(twice.launch({both, both}).ok());
  expect(0, "no difference\n");
}

TEST_F(RecordingApplicationTest, OverlappingBuffersOverlapInReplay) {
  const Kernel twice = compiled(kTwice, kTwiceSignature);
  std::vector<float> memory{1, 0, 0, 0, 0, 0};
  const Tensor x = Tensor::borrow(memory.data() + 1, {4}, dtype::kFloat32);
  const Tensor y = Tensor::borrow(memory.data() + 2, {4}, dtype::kFloat32);
  memory[1] = 3;
  ASSERT_TRUE(twice.launch({x, y}).ok());
  EXPECT_EQ(memory[5], 48) << "each element is the double of the one before";
  expect(0, "no difference\n");
}

TEST_F(RecordingApplicationTest, UnwrittenOutputElementsAreRestored) {
  const Kernel first =
      compiled("extern \"C\" void first(const float* x, float* y) { y[0] = x[0]; }", "first(x: f32[4], out y: f32[4])");
  std::vector<float> in{1, 2, 3, 4}, out{5, 6, 7, 8};
  const Tensor x = Tensor::borrow(in.data(), {4}, dtype::kFloat32),
               y = Tensor::borrow(out.data(), {4}, dtype::kFloat32);
  ASSERT_TRUE(first.launch({x, y}).ok());
  EXPECT_EQ(out, (std::vector<float>{1, 6, 7, 8}));
  expect(0, "no difference\n");
}

TEST_F(RecordingApplicationTest, UnsetConstantIsRejectedAndNotRecorded) {
  Program program = kernel_program({.source = kShifted}).value();
  const Kernel kernel = compile(*runtime_, program, {.execution_backend = "cpu"}).value();
  const Tensor x = Tensor::zeros({16}, dtype::kFloat32).value(), y = Tensor::zeros({16}, dtype::kFloat32).value();
  const Status refused = kernel.launch({x, y});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("constants have no value on device 0 (\"scale\")"));
  ASSERT_TRUE(kernel.set_constant("scale", Tensor::from({}, std::array{3.0F}).value()).ok());
  ASSERT_TRUE(kernel.launch({x, y}).ok());
  EXPECT_EQ(y.data_as<float>()[0], 5);
  expect(0, "1 call of 1 kernel replayed, 1 with results");  // a refused call is not recorded
}

TEST_F(CliReplayTest, RejectsNewerFormat) {
  record();
  const auto file = process_ / "kernels/1-scale/kernel.json";
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\"format\": 2"));
  std::ofstream(file) << R"({"format": 3, "backend": "cpu"})";
  const ProcessResult refused = replay();
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.standard_error,
              HasSubstr("has format 3 (this kmux reads up to 2). Replay it with a newer kmux."));
}

TEST_F(CliReplayTest, RejectsInvalidMemoryReference) {
  record();
  const std::string whole = calls();
  for (const char* const wrong :
       {"\"memory\": 1", "\"memory\": {\"block\": 0}", "\"memory\": {\"block\": 0, \"offset\": -4}",
        "\"memory\": {\"block\": 0, \"offset\": 4611686018427387904}"}) {
    std::string text = whole;
    text.insert(text.find("\"name\":\"x\""), std::string(wrong) + ",");
    write_calls(text);
    const ProcessResult refused = replay();
    EXPECT_EQ(refused.exit_code, 3) << wrong << refused.standard_output;
    EXPECT_THAT(refused.standard_error, HasSubstr("\"x\" has no such memory")) << wrong;
  }
}

TEST_F(CliReplayTest, RecordsNoBytesByDefault) {
  record("");
  EXPECT_TRUE(std::filesystem::is_empty(process_ / "data"));
  const ProcessResult replayed = replay();
  EXPECT_EQ(replayed.exit_code, 0) << replayed.standard_error;
  EXPECT_THAT(replayed.standard_output,
              AllOf(HasSubstr("0 with results that could be compared"), HasSubstr("with KMUX_RECORD_DATA=full")));
}

TEST_F(CliReplayTest, WarnsOfUnknownRecordDataValue) {
  const ProcessResult run = session_.run({"run", "scale/scale.kmux.json", "--target", "c"},
                                         {{"KMUX_RECORD", folder().string()}, {"KMUX_RECORD_DATA", "all"}});
  EXPECT_THAT(run.standard_error, HasSubstr("KMUX_RECORD_DATA=\"all\" is not known"));
}

TEST_F(CliReplayTest, ReadsTruncatedRecording) {
  record();
  write_calls(calls() + "{\"kernel\": \"1-sc");
  EXPECT_THAT(replay().standard_output, HasSubstr("no difference\n"));
}

TEST_F(CliReplayTest, RejectsDamagedRecording) {
  record();
  const std::string digest = before_of("x");
  std::ofstream(process_ / "data" / digest) << "other";
  const ProcessResult damaged = replay();
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_THAT(damaged.standard_error, HasSubstr("its content has another digest"));
  for (const char* const wrong :
       {"{}\n", "[1]\n", "{\"kernel\": \"../1-scale\", \"args\": []}\n", "{\"kernel\": \"1-scale\"}\n",
        "{\"kernel\": \"1-scale\", \"args\": [{\"name\": \"x\", \"shape\": [1000000000000000]}, {}, {}]}\n"}) {
    write_calls(wrong);
    const ProcessResult refused = replay();
    EXPECT_EQ(refused.exit_code, 3) << wrong << refused.standard_error;
    EXPECT_THAT(refused.standard_error, HasSubstr("is not a recording")) << wrong;
  }
}

TEST_F(CliReplayTest, RejectsFolderWithoutRecording) {
  const ProcessResult refused = session_.run({"replay", "scale"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.standard_error,
              HasSubstr("\"scale\" is not a recording (it has no calls.jsonl). Name a folder that KMUX_RECORD named."));
}

TEST_F(CliReplayTest, NamesUnavailableRecordedBackend) {
  record();
  const auto file = process_ / "kernels/1-scale/kernel.json";
  std::ofstream(file) << R"({"backend": "cutedsl", "target": "cuda:sm_90a"})";
  const ProcessResult refused = replay();
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.standard_error,
              HasSubstr("It was recorded with cutedsl for cuda:sm_90a; --backend chooses another."));
  EXPECT_EQ(replay({"--backend", "cpu"}).exit_code, 0);
}

}  // namespace
}  // namespace kmux::test
