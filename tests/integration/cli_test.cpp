// The kmux command as a user runs it.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kmux/json.h"
#include "kmux/npy.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "integration/cli_session.h"
#include "needs.h"

namespace kmux::test {
namespace {

const char* const kScale = "scale/scale.kmux.json";

/// Returns the JSON document that a command printed.
Json json_of(const ProcessResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  const auto json = parse_json(result.standard_output);
  EXPECT_TRUE(json.ok()) << result.standard_output;
  return json.ok() ? *json : Json();
}

std::string text_in(const Json& json, std::string_view key) {
  const Json* member = json.find(key);
  return member != nullptr && member->as_string() != nullptr ? *member->as_string() : "";
}

TEST(CliTest, HelpNamesEveryCommandAndExitCode) {
  const CliSession session;
  const ProcessResult help = session.run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* word : {"plugins", "devices", "resolve", "compile", "run", "new", "show", "fmt", "pack", "export",
                           "launcher", "source", "cache", "tune", "conformance", "new-plugin", "fleet", "Exit codes"}) {
    EXPECT_THAT(help.standard_output, HasSubstr(word));
  }
  for (const char* command : {"plugins", "devices", "resolve", "compile", "run", "new", "show", "fmt", "pack", "export",
                              "launcher", "source", "cache", "tune"}) {
    const ProcessResult one = session.run({command, "--help"});
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_THAT(one.standard_output, HasSubstr("examples:"));
  }
  EXPECT_THAT(session.run({"--version"}).standard_output, HasSubstr("kmux 0."));
}

TEST(CliTest, RunsSomeCommandsAsSeparatePrograms) {
  const CliSession session;
  const ProcessResult tested = session.run({"conformance", "--plugin", "cpu", "--tags", "load,arguments", "--json"});
  ASSERT_EQ(tested.exit_code, 0) << tested.standard_error;
  const Json report = json_of(tested);
  EXPECT_EQ(text_in(report, "plugin"), "cpu");
  EXPECT_EQ(*report.find("failed")->as_integer(), 0);
  EXPECT_GT(*report.find("passed")->as_integer(), 10);
  const ProcessResult other = session.run({"conformance", "--plugin", "cpu", "--tags", "life,lode"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.standard_error, HasSubstr("there is no group \"lode\", but \""));
  EXPECT_EQ(session.run({"new-plugin", "mine", "--into", session.folder().string()}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(session.folder() / "mine" / "plugin.json.in"));
  const ProcessResult fleet = session.run({"fleet", "status", "run"});  // the wheel's command passes it to Python
  EXPECT_EQ(fleet.exit_code, 4);
  EXPECT_THAT(fleet.standard_error, HasSubstr("Run `python -m kmux.fleet`"));
}

// A shell passes only "kmux" as the first word, and the command may be a link. Both must work: a build with
// KMUX_PORTABLE uses the first word.
TEST(CliTest, FindsSeparateProgramsThroughPathAndLink) {
  const CliSession session;
  const std::string folder = session.folder().string(), command = std::string(KMUX_TEST_BUILD_DIR) + "/bin";
  std::filesystem::create_directory(session.folder() / "links");
  std::filesystem::create_symlink(command + "/kmux", session.folder() / "links/kmux");
  for (const std::string& path : {command, folder + "/links"}) {
    const std::string script = "PATH=" + path + ":$PATH; rm -rf mine; kmux new-plugin mine --into .";
    const ProcessResult made =
        kmux::run(Command{.argv = {"/bin/sh", "-c", script}, .working_directory = folder}).value();
    EXPECT_EQ(made.exit_code, 0) << path << ": " << made.standard_error;
    EXPECT_TRUE(std::filesystem::exists(session.folder() / "mine" / "plugin.json.in")) << path;
  }
}

TEST(CliTest, ConformanceWritesJUnit) {
  const CliSession session;
  const std::string file = (session.folder() / "results.xml").string();
  ASSERT_EQ(session.run({"conformance", "--plugin", "cpu", "--tags", "load", "--junit", file}).exit_code, 0);
  EXPECT_THAT(read_file(file).value(), AllOf(HasSubstr("<testsuites "), HasSubstr("DevicesHaveNameAndArch")));
  EXPECT_EQ(session.run({"conformance", "--plugin", "cpu", "--device", "7"}).exit_code, 1);
  EXPECT_EQ(session.run({"conformance"}).exit_code, 2);
}

TEST(CliTest, ConformanceReportsLimitOnSizeOfJUnitFile) {
  const CliSession session;
  const std::string script = "ulimit -f 1; exec " + std::string(KMUX_TEST_BUILD_DIR) +
                             "/bin/kmux conformance --plugin cpu --tags arguments --junit results.xml";
  const ProcessResult result =
      kmux::run(Command{.argv = {"/bin/sh", "-c", script}, .working_directory = session.folder().string()}).value();
  EXPECT_EQ(result.exit_code, 1) << result.standard_error;
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("cannot write 'results.xml' (File too large)"), HasSubstr("ulimit -f")));
  EXPECT_FALSE(std::filesystem::exists(session.folder() / "results.xml"));
}

TEST(CliTest, ReportsLimitOnSizeOfStandardOutput) {
  const CliSession session;
  std::string source = "//! kmux\n//! kernel k(inout x: f32[64])\n";
  for (int i = 1; i <= 100; ++i) source += "//!   launch k<<<1, " + std::to_string(i) + ">>>(x)\n";
  session.write("k.cu", source + "__global__ void k(float* x) {}\n");
  const std::string script =
      "ulimit -f 1; exec " + std::string(KMUX_TEST_BUILD_DIR) + "/bin/kmux show k.cu > program.txt";
  const ProcessResult result =
      kmux::run(Command{.argv = {"/bin/sh", "-c", script}, .working_directory = session.folder().string()}).value();
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.standard_error, HasSubstr("stdout cannot be written (no space, a limit on the size of files"));
}

TEST(CliTest, FlagsAreSplitLikeShellWords) {
  const CliSession session;
  const std::string source =
      "#if X != 1 || Y != (1 + 1)\n#error flags\n#endif\nvoid scale(const float* x, float f, float* y, long long n) "
      "{}\n";
  session.write("flags.c", source);
  std::ifstream file(session.folder() / kScale);
  std::string document{std::istreambuf_iterator<char>(file), {}};
  document.replace(document.find("\"scale.c\""), 9, "\"flags.c\"");
  document.replace(document.find("\"sha256\":\"") + 10, 64, sha256_hex(source));
  session.write("flags.kmux.json", document);
  const auto compiles = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {"compile", "flags.kmux.json", "--target", "c"};
    for (const std::string& flag : flags) words.insert(words.end(), {"--flag", flag});
    return session.run(words).exit_code;
  };
  EXPECT_EQ(compiles({"-DX=1", "-DY=2"}), 0);
  EXPECT_EQ(compiles({"-DX=1 -DY=2"}), 0);
  EXPECT_EQ(compiles({"-O2 -DX=1", "'-DY=(1 + 1)'"}), 0);
  EXPECT_EQ(compiles({"-DX=2 -DY=2"}), 5);
  EXPECT_EQ(compiles({"-DX=1 -DY='2"}), 3);
  EXPECT_EQ(compiles({"-DX=1 -o/tmp/x"}), 3);
}

TEST(CliTest, PluginsListsBuiltPlugins) {
  const CliSession session;
  const Json json = json_of(session.run({"plugins", "--json"}));
  bool cpu = false;
  for (const Json& plugin : *json.find("plugins")->as_array()) {
    if (text_in(plugin, "name") == "cpu") cpu = text_in(plugin, "state") == "ready";
  }
  EXPECT_TRUE(cpu);
  EXPECT_THAT(session.run({"plugins"}).standard_output, HasSubstr("cpu"));
  EXPECT_EQ(session.run({"plugins", "--verify"}).exit_code, 0);
  const std::string held = *json.find("confinement")->as_string();
  EXPECT_THAT(held, HasSubstr("Landlock"));
  EXPECT_THAT(session.run({"plugins", "--verbose"}).standard_output, HasSubstr("are held by: " + held));
}

TEST(CliTest, DevicesBeginWithHost) {
  const CliSession session;
  const Json json = json_of(session.run({"devices", "--json"}));
  ASSERT_GE(json.find("devices")->as_array()->size(), 2u);
  EXPECT_EQ(text_in(json.find("devices")->as_array()->front(), "device"), "host");
}

TEST(CliTest, ResolveShowsChosenBackend) {
  const CliSession session;
  const ProcessResult table = session.run({"resolve", kScale});
  EXPECT_EQ(table.exit_code, 0) << table.standard_error;
  EXPECT_THAT(table.standard_output, HasSubstr("cpu"));
  EXPECT_THAT(table.standard_output, HasSubstr("chosen"));
  const Json json = json_of(session.run({"resolve", kScale, "--json", "--backend", "cpu"}));
  EXPECT_EQ(text_in(json, "requested_backend"), "cpu");
}

TEST(CliTest, ResolveFoldsUnsupportedDialects) {
  const CliSession session;
  const std::string portable = std::string(KMUX_TEST_SOURCE_DIR) + "/examples/portable/saxpy.kmux.json";
  const auto rows = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"resolve", portable};
    words.insert(words.end(), more.begin(), more.end());
    const std::string text = session.run(words).standard_output;
    return std::pair(std::ranges::count(text, '\n'), text);
  };
  const auto [few, text] = rows({});
  const auto [many, whole] = rows({"--all"});
  EXPECT_LT(few, many);
  EXPECT_THAT(text,
              AllOf(HasSubstr("takes dialect c, object, cuda, hip, not 'msl', 'cutedsl', 'opencl' (variants 3, 4, 5)"),
                    HasSubstr("(--all has ")));
  EXPECT_THAT(whole, AllOf(HasSubstr("not 'msl'\n"), HasSubstr("not 'cutedsl'\n"), Not(HasSubstr("(--all has "))));
  EXPECT_EQ(json_of(session.run({"resolve", portable, "--json"})),
            json_of(session.run({"resolve", portable, "--json", "--all"})));
}

TEST(CliTest, PluginsShortensReasonsUnlessVerbose) {
  const CliSession session;
  const CliSession::Variables kNowhere = {{"KMUX_PLUGIN_PATH", session.folder().string()}};
  std::filesystem::create_directory(session.folder() / "plugins");
  session.write("broken.plugin.json", "{}");
  session.write("worse.plugin.json", "{}");
  const std::string brief = session.run({"plugins"}, kNowhere).standard_output;
  const std::string whole = session.run({"plugins", "--verbose"}, kNowhere).standard_output;
  EXPECT_THAT(brief, HasSubstr("(--verbose has the reasons whole)\n"));
  EXPECT_THAT(whole, Not(HasSubstr("--verbose has")));
  EXPECT_LT(brief.size(), whole.size());
  const std::size_t begin = brief.find("\n\n");
  EXPECT_THAT(brief.substr(begin, brief.rfind("\n(") - begin), Not(HasSubstr("(")));
}

TEST(CliTest, PluginsReportsFirstManifestProblem) {
  const CliSession session;
  const std::filesystem::path folder = session.folder() / "plugins";
  std::filesystem::create_directory(folder);
  session.write("plugins/broken.plugin.json", R"({"name": "broken", "targets": ["broken"]})");
  const auto ran = session.run({"plugins"}, {{"KMUX_PLUGIN_PATH", folder.string()}});
  EXPECT_THAT(ran.standard_output,
              HasSubstr("broken.plugin.json\" is not valid: \"version\" is missing. Correct the plugin.json.in"));
}

TEST(CliTest, PluginsVerboseNamesSkippedKeys) {
  const CliSession session;
  const std::filesystem::path folder = session.folder() / "plugins";
  std::filesystem::copy(std::filesystem::path(KMUX_TEST_PLUGIN_DIR) / "null", folder);
  const std::filesystem::path manifest = folder / "kmux_null.plugin.json";
  Json json = parse_json(read_file(manifest).value()).value();
  json["prioritie"] = 3;
  ASSERT_TRUE(write_file(manifest, dump(json)).ok());
  const CliSession::Variables kHere = {{"KMUX_PLUGIN_PATH", folder.string()}};
  const std::string skipped =
      "null: a key of its manifest is skipped, as this kmux does not know it: \"prioritie\" Did you mean";
  EXPECT_THAT(session.run({"plugins", "--verbose"}, kHere).standard_output, HasSubstr(skipped));
  EXPECT_THAT(session.run({"plugins"}, kHere).standard_output, Not(HasSubstr("prioritie")));
}

TEST(CliTest, CompileWritesArtifact) {
  const CliSession session;
  const Json json = json_of(session.run({"compile", kScale, "--json", "--output", "scale.artifact"}));
  EXPECT_EQ(text_in(json, "backend"), "cpu");
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(session.folder() / "scale.artifact")),
            *json.find("artifact_bytes")->as_integer());
}

constexpr const char* kShuffle = R"(//! kmux
//! kernel shuffle(inout x: f32[n: i32])
//!   example n = 1000
//!   launch shuffle<<<ceildiv(n, 256), 256>>>(x, n)
__constant__ float table[64];
extern "C" __global__ void __launch_bounds__(512) shuffle(float* x, int n) {
  __shared__ float tile[100];
  if (threadIdx.x < 100) tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[(threadIdx.x * 7) % 100] + table[n & 63];
}
)";

// No device is queried.
TEST(CliTest, CompileReportsKernelResources) {
  const CliSession session;
  session.write("shuffle.cu", kShuffle);
  std::vector<std::string> words = {"compile", "shuffle.cu", "--backend", "nvrtc", "--target", "cuda:sm_90"};
  const ProcessResult plain = session.run(words);
  if (plain.exit_code == 4) GTEST_SKIP() << needs(compiler_of("nvrtc"), plain.standard_error);
  EXPECT_EQ(plain.exit_code, 0) << plain.standard_error;
  EXPECT_THAT(plain.standard_output, Not(HasSubstr("registers")));
  words.emplace_back("--verbose");
  EXPECT_THAT(session.run(words).standard_output,
              testing::ContainsRegex(
                  "\n  shuffle: [1-9][0-9]* registers and 0 bytes of local memory a thread, 400 bytes of shared "
                  "memory a block, 256 bytes of constants, at most 512 threads a block; 8 blocks at once, 100 % "
                  "of the threads \\(limited by threads\\)\n"));
  words.back() = "--json";
  const Json document = json_of(session.run(words));
  ASSERT_NE(document.find("kernels"), nullptr);
  ASSERT_NE(document.find("kernels")->as_array(), nullptr);
  ASSERT_EQ(document.find("kernels")->as_array()->size(), 1U);
  Json::Object kernel = *document.find("kernels")->as_array()->front().as_object();
  EXPECT_GT(*kernel["registers"].as_integer(), 0);
  kernel.erase("registers");
  EXPECT_EQ(dump(kernel), R"({"constant_bytes":256,"kernel":"shuffle","local_bytes":0,"max_threads":512,)"
                          R"("occupancy":{"blocks":8,"limit":"threads","part":1.0},"shared_bytes":400})");
  words = {"compile", kScale, "--json"};
  EXPECT_EQ(*json_of(session.run(words)).find("kernels"), Json()) << "backend cpu says nothing of it";
}

TEST(CliTest, LauncherAndSourceArePrinted) {
  const CliSession session;
  EXPECT_THAT(session.run({"launcher", kScale}).standard_output, HasSubstr("extern \"C\""));
  // C2.20: text that is the same in every launcher is printed only on request.
  const std::string layer = "union kmux_slot {";
  EXPECT_THAT(session.run({"launcher", kScale}).standard_output,
              AllOf(Not(HasSubstr(layer)), HasSubstr("lines, the same in every launcher)")));
  EXPECT_THAT(session.run({"launcher", kScale, "--whole"}).standard_output, HasSubstr(layer));
  EXPECT_THAT(text_in(json_of(session.run({"launcher", kScale, "--json"})), "launcher"), HasSubstr(layer));
  EXPECT_THAT(session.run({"source", kScale}).standard_output, HasSubstr("void scale("));
}

TEST(CliTest, RunWritesAndChecksOutput) {
  const CliSession session;
  const ProcessResult run =
      session.run({"run", kScale, "--in", "x=x8.npy", "--scalar", "factor=2", "--out", "y=y.npy"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  EXPECT_EQ(run.standard_error, "");
  EXPECT_THAT(run.standard_output, HasSubstr("float32[8]"));
  const Tensor y = load_npy(session.folder() / "y.npy").value();
  const auto* data = y.data_as<float>();
  EXPECT_THAT(std::vector<float>(data, data + 8), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  const ProcessResult check =
      session.run({"run", kScale, "--in", "x=x8.npy", "--scalar", "factor=2", "--check", "y=y.npy"});
  EXPECT_EQ(check.exit_code, 0) << check.standard_error;
  EXPECT_THAT(check.standard_output, HasSubstr("correct"));
}

TEST(CliTest, RunReportsWrongElements) {
  const CliSession session;
  const ProcessResult run =
      session.run({"run", kScale, "--in", "x=x8.npy", "--scalar", "factor=1", "--check", "y=wrong8.npy"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.standard_output, HasSubstr("8 of 8 elements differ"));
  EXPECT_THAT(run.standard_output, HasSubstr("at [0]: 0, expected 100"));
  const ProcessResult loose = session.run(
      {"run", kScale, "--in", "x=x8.npy", "--scalar", "factor=1", "--check", "y=wrong8.npy", "--atol", "100"});
  EXPECT_EQ(loose.exit_code, 0);
}

TEST(CliTest, RunGeneratesInputs) {
  const CliSession session;
  const auto scaled = [&](const std::string& source, const std::string& file) {
    const ProcessResult run =
        session.run({"run", kScale, "--in", "x=" + source, "--symbol", "n=5", "--out", "y=" + file, "--repeat", "3"});
    EXPECT_EQ(run.exit_code, 0) << run.standard_error;
    EXPECT_THAT(run.standard_output, HasSubstr("median call"));
    const Tensor y = load_npy(session.folder() / file).value();
    return std::vector<float>(y.data_as<float>(), y.data_as<float>() + y.element_count());
  };
  EXPECT_EQ(scaled("random:7", "a.npy"), scaled("random:7", "b.npy"));
  EXPECT_NE(scaled("random:7", "a.npy"), scaled("random:8", "b.npy"));
  EXPECT_THAT(scaled("arange", "c.npy"), ElementsAre(0, 1.5, 3, 4.5, 6));
  EXPECT_THAT(scaled("ones", "d.npy"), testing::Each(1.5f));
}

TEST(CliTest, VerboseLogsToStderrOnly) {
  const CliSession session;
  const ProcessResult run = session.run({"run", kScale, "--in", "x=x8.npy", "--verbose"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.standard_error, HasSubstr("Execution backend resolved -> 'cpu'"));
  EXPECT_THAT(run.standard_output, testing::Not(HasSubstr("resolved ->")));
}

}  // namespace
}  // namespace kmux::test
