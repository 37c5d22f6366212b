// The meaning of `auto` and of targets in every command that takes a program.

#include <filesystem>

#include "kmux/compile.h"
#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"
#include "kmux/program.h"

#include "integration/cli_session.h"
#include "needs.h"

namespace kmux::test {
namespace {

using ::testing::StartsWith;

const std::filesystem::path kPortable =
    std::filesystem::path(KMUX_TEST_SOURCE_DIR) / "examples/portable/saxpy.kmux.json";

/// A session that runs a program with a variant for every kind of device.
class CliAutoTest : public testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> words, const CliSession::Variables& variables = {}) const {
    return session_.run(words, variables);
  }
  ProcessResult run_portable(const std::string& command, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {command, kPortable.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  /// Returns the value of `key` in the document that the command prints.
  std::string said(const std::string& key, const std::string& command, std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    const ProcessResult result = run_portable(command, more);
    EXPECT_EQ(result.exit_code, 0) << command << ": " << result.standard_error;
    const auto json = parse_json(result.standard_output);
    const Json* const member = json ? json->find(key) : nullptr;
    return member != nullptr && member->as_string() != nullptr ? *member->as_string() : "";
  }
  /// Writes the program with only the variant of `dialect`, and with these sources if they are not empty.
  void write_for(const std::string& dialect, const std::string& file, const std::string& sources = "") const {
    Json json = parse_json(read_file(kPortable).value()).value();
    Json::Array& variants = *json["variants"].as_array();
    std::erase_if(variants, [&](const Json& one) { return *one.find("dialect")->as_string() != dialect; });
    if (!sources.empty()) variants.front()["sources"] = parse_json(sources).value();
    session_.write(file, dump(json));
  }
  /// Writes the program with only its MSL, which no machine of these tests can run.
  void write_for_metal_alone() const {
    write_for("msl", "metal.kmux.json");
    session_.write("saxpy.metal", read_file(kPortable.parent_path() / "saxpy.metal").value());
  }
  CliSession session_;
};

TEST_F(CliAutoTest, ChoosesSameBackendForEveryCommand) {  // C2.1
  const std::string chosen = said("chosen", "resolve");
  for (const char* command : {"source", "launcher", "compile"}) EXPECT_EQ(said("backend", command), chosen) << command;
  EXPECT_EQ(said("backend", "export", {"-o", "saxpy.so"}), chosen);
  EXPECT_EQ(said("chosen", "resolve", {"--build"}), chosen);
  EXPECT_EQ(said("reach", "source"), "run");
}

TEST_F(CliAutoTest, AcceptsBuildOnlyBackendWhenNamed) {  // C2.1
  for (const std::vector<std::string>& named : {std::vector<std::string>{"-b", "metal"}, {"-t", "metal"}}) {
    EXPECT_EQ(said("backend", "source", named), "metal");
    EXPECT_EQ(said("backend", "compile", named), "metal");
    EXPECT_EQ(run_portable("source", named).standard_error, "") << "it was asked for";
  }
}

TEST_F(CliAutoTest, ReportsProgramThatCannotRunHere) {  // C2.1
  write_for_metal_alone();
  const ProcessResult compiled = run({"compile", "metal.kmux.json"});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.standard_error;
  EXPECT_THAT(compiled.standard_output,
              StartsWith("saxpy: target 'auto', backend 'auto' -> metal for metal (nothing here runs it)\n"));
  for (const char* command : {"source", "launcher"}) {
    const ProcessResult printed = run({command, "metal.kmux.json"});
    EXPECT_THAT(printed.standard_error, AllOf(StartsWith("kmux: note: nothing here runs program 'saxpy'. Taken: metal"),
                                              HasSubstr("cannot run here: Metal needs macOS")));
    EXPECT_THAT(printed.standard_output, Not(HasSubstr("nothing here"))) << "it may be written to a file";
  }
  EXPECT_THAT(run({"compile", "metal.kmux.json", kPortable.string()}).standard_output,
              HasSubstr("nothing here runs 1 of them"));
}

TEST_F(CliAutoTest, AcceptsArchitecturesAsTargets) {  // C2.4
  for (const char* target : {"gfx942", "rocm:gfx942", "hip:gfx942"}) {
    EXPECT_EQ(said("target", "source", {"-t", target}), "hip:gfx942");
    EXPECT_EQ(said("backend", "source", {"-t", target}), "hip");
  }
  for (const std::string arch : {"sm_90", "sm_90a", "compute_90"}) {
    for (const std::string& target : {arch, "cuda:" + arch}) {
      EXPECT_EQ(said("target", "source", {"-t", target}), "cuda:" + arch);
    }
  }
}

TEST_F(CliAutoTest, AsksForArchitectureWithoutDevice) {  // C2.5, C3.7
  const ProcessResult devices = run({"devices", "--json"});
  for (const auto& [kind, line] :
       {std::pair("cuda", "--target cuda:sm_90a"), std::pair("hip", "--target hip:gfx942")}) {
    if (devices.standard_output.find(std::string("\"") + kind + ":0\"") != std::string::npos) continue;
    const std::string backend = kind == std::string("cuda") ? "nvrtc" : kind;
    for (const std::vector<std::string>& asked : {std::vector<std::string>{"-t", kind}, {"-b", backend}}) {
      const ProcessResult printed = run_portable("launcher", asked);
      EXPECT_EQ(printed.exit_code, 4) << asked[1];
      const std::string first = printed.standard_error.substr(0, printed.standard_error.find('\n'));
      EXPECT_THAT(first, AllOf(HasSubstr("names no architecture"), HasSubstr(line), Not(HasSubstr("Pass an ordinal"))));
    }
  }
}

// The command has no option for target_host, so this tests the library.
TEST_F(CliAutoTest, AcceptsDocumentedTargetHosts) {  // C1.1
  const auto runtime = Runtime::default_runtime().value();
  const Program program = load_program(session_.folder() / "scale/scale.kmux.json").value();
  const auto compiled = [&](const std::string& host) {
    return compile(*runtime, program, {.target = "c", .target_host = host, .use_cache = false});
  };
  for (const char* host : {"c", "llvm", "cpu", "llvm -mcpu=x86-64-v2", R"({"kind": "llvm"})"})
    EXPECT_TRUE(compiled(host).ok()) << host << ": " << compiled(host).error().explain();
  const Error error = compiled("cuda:sm_90").error();
  EXPECT_THAT(error.message, HasSubstr("cpu: takes target_host cpu, c, llvm (target_host is 'cuda:sm_90')"));
}

TEST_F(CliAutoTest, TvmFfiIsAliasForMetal) {  // C2.10
  EXPECT_EQ(said("backend", "source", {"-t", "metal", "-b", "tvm_ffi"}), "metal");
  EXPECT_THAT(run_portable("source", {"-t", "metal", "-b", "mteal"}).standard_error,
              HasSubstr("Allowed: metal. Aliases of these: torch, tvm_ffi."));
}

TEST_F(CliAutoTest, NamesVariableOfMalformedTarget) {  // C2.11
  const ProcessResult result = run({"resolve", kPortable.string()}, {{"TILELANG_TARGET", R"({"kind": cuda})"}});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr(R"(malformed target "{\"kind\": cuda}" (malformed JSON at line 1)"),
                    HasSubstr("It comes from the variable TILELANG_TARGET.")));
}

TEST_F(CliAutoTest, CompilesHipWithCompilerThatHasHeaders) {  // C2.2: hiprtc has neither file
  session_.write("with.hip",
                 "#include <hip/hip_runtime.h>\n#include <cstdint>\n"
                 "extern \"C\" __global__ void saxpy(const float* x, const float* y, float* z, float a, int n) {\n"
                 "  const std::int32_t i = blockIdx.x * 256 + threadIdx.x;\n"
                 "  if (i < n) z[i] = a * x[i] + y[i];\n}\n");
  const std::string digest = sha256_hex(read_file(session_.folder() / "with.hip").value());
  write_for("hip", "with.kmux.json", R"([{"path": "with.hip", "sha256": ")" + digest + R"("}])");
  if (const ProcessResult tried = run({"compile", "with.kmux.json", "-t", "gfx90a", "--option", "engine=clang"});
      tried.exit_code != 0)
    GTEST_SKIP() << needs("Clang 19 and lld", tried.standard_error);
  for (const char* target : {"hip:gfx90a", "hip:gfx942"}) {
    EXPECT_EQ(run_portable("compile", {"-t", target}).exit_code, 0) << target;
    const ProcessResult compiled = run({"compile", "with.kmux.json", "-t", target});
    EXPECT_EQ(compiled.exit_code, 0) << target << ": " << compiled.standard_error;
  }
}

}  // namespace
}  // namespace kmux::test
