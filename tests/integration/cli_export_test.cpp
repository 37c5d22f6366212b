// `kmux export` as a user runs it.
#include "kmux/json.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using testing::Contains;

constexpr const char* kExportedScale = "scale/scale.kmux.json";

TEST(CliExportTest, WritesLibraryAndHeader) {
  const CliSession session;
  const ProcessResult result =
      session.run({"export", kExportedScale, "--backend", "cpu", "-o", "libscale.so", "--header", "scale.h"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_output,
              AllOf(HasSubstr("libscale.so: "), HasSubstr("by cpu\n"), HasSubstr("it exports __tvm_ffi_scale, "),
                    HasSubstr("scale.h: declares them")));
  EXPECT_THAT(session.files(), AllOf(Contains("libscale.so"), Contains("scale.h")));
}

TEST(CliExportTest, MissingOutputIsWrongCommandLine) {
  const ProcessResult result = CliSession().run({"export", kExportedScale});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_error, HasSubstr("Give the library's path: -o FILE."));
}

TEST(CliExportTest, PrintsJsonReport) {
  const CliSession session;
  const ProcessResult result = session.run({"export", kExportedScale, "--backend", "cpu", "-o", "a.so", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  const Json json = parse_json(result.standard_output).value();
  EXPECT_EQ(*json.find("library")->as_string(), "a.so");
  EXPECT_EQ(*json.find("backend")->as_string(), "cpu");
  EXPECT_EQ(json.find("symbols")->as_array()->size(), 5U);
  EXPECT_GT(*json.find("bytes")->as_integer(), 1000);
}

// Macros of C and its library, functions that the header calls, and types that it uses.
TEST(CliExportTest, HeaderCompilesForAnyParameterName) {
  const CliSession session;
  for (const std::string name : {"NULL", "INT64_MAX", "memset", "DLTensor", "args", "function", "stream"}) {
    session.write("named.kmux", "kernel named(" + name +
                                    ": f32[n: i32], inout y: f32[n])\n  dialect c\n  sources \"n.c\"\n" +
                                    "  launch named(" + name + ", y, n)\n");
    session.write("n.c", "void named(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }\n");
    const ProcessResult made =
        session.run({"export", "named.kmux", "--backend", "cpu", "-o", "n.so", "--header", "named.h"});
    ASSERT_EQ(made.exit_code, 0) << made.standard_error;
    for (const char* const language : {"c", "c++"}) {
      const ProcessResult compiled = kmux::run({.argv = {"g++", "-x", language, "-fsyntax-only", "named.h"},
                                                .working_directory = session.folder().string()})
                                         .value();
      EXPECT_EQ(compiled.exit_code, 0) << name << compiled.standard_error;
    }
  }
}

TEST(CliExportTest, NamesMissingWorkingDirectory) {
  const CliSession session;
  const std::string program = (session.folder() / kExportedScale).string();
  const std::string script = "mkdir gone && cd gone && rmdir ../gone && '" KMUX_TEST_BUILD_DIR "/bin/kmux' export '" +
                             program + "' --backend cpu -o a.so";
  const Command command{.argv = {"/bin/sh", "-c", script}, .working_directory = session.folder().string()};
  EXPECT_THAT(kmux::run(command).value().standard_error,
              HasSubstr("(the working directory is gone). Name an absolute path."));
}

TEST(CliExportTest, NeverReplacesNamedBackend) {
  const CliSession session;
  const ProcessResult result = session.run({"export", kExportedScale, "--backend", "nvrtc", "-o", "a.so"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(session.files(), Not(Contains("a.so")));
}

TEST(CliExportTest, NamesPackageWhenCompilerIsMissing) {
  const CliSession session;
  const ProcessResult result =
      session.run({"export", kExportedScale, "--backend", "cpu", "-o", "a.so", "--host-compiler", "no-such-c++"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.standard_error, AllOf(HasSubstr("exporting needs one"), HasSubstr("apt-get install g++")));
  EXPECT_THAT(session.files(), Not(Contains("a.so")));
}

}  // namespace
}  // namespace kmux::test
