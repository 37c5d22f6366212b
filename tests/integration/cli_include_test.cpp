// Quoted includes of a source that the command names, relative to the including file.
#include <filesystem>
#include <utility>

#include "file_tick.h"
#include "integration/cli_session.h"

namespace kmux::test {
namespace {

constexpr const char* kTriple =
    "//! kmux\n//! kernel triple(inout x: f32[n: i32])\n//!   example n = 4\n//!   launch triple<<<1, 4>>>(x, n)\n"
    "#include \"../inc/factor.h\"\n"
    "__global__ void triple(float* x, int n) { x[threadIdx.x] *= FACTOR; }\n";
constexpr const char* kTripleOfC =
    "//! kmux\n//! kernel triple(inout x: f32[n: i32])\n//!   example n = 4\n//!   launch triple(x, n)\n"
    "#include \"../inc/factor.h\"\n"
    "void triple(float* x, int n) { for (int i = 0; i < n; ++i) x[i] *= FACTOR; }\n";

class CliIncludeTest : public testing::Test {
 protected:
  CliIncludeTest() {
    for (const char* const name : {"rel/src", "rel/inc"}) std::filesystem::create_directories(session_.folder() / name);
    session_.write("rel/inc/factor.h", "#include \"three.h\"\n#define FACTOR THREE\n");
    session_.write("rel/inc/three.h", "#define THREE 3\n");
  }
  ProcessResult run(const std::vector<std::string>& words) {
    return session_.run(words, {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}});
  }

  CliSession session_;
};

TEST_F(CliIncludeTest, FindsHeadersAboveTheSource) {
  for (const auto& [name, text] : {std::pair{"rel/src/a.cu", kTriple}, std::pair{"rel/src/a.c", kTripleOfC}}) {
    session_.write(name, text);
    const ProcessResult result =
        run({"run", name, "--backend", "cpu", "--in", "x=ones", "--out", "x=y.npy", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    EXPECT_EQ(run({"run", name, "--backend", "cpu", "--in", "x=ones", "--check", "x=y.npy"}).exit_code, 0);
    EXPECT_EQ(run({"compile", name, "--backend", "cpu"}).exit_code, 0);
    EXPECT_THAT(run({"compile", name, "--backend", "cpu"}).standard_output, HasSubstr("found in the cache"));
  }
}

TEST_F(CliIncludeTest, EditedHeaderCompilesAgain) {
  session_.write("rel/src/a.cu", kTriple);
  EXPECT_EQ(run({"compile", "rel/src/a.cu", "--backend", "cpu"}).exit_code, 0);
  session_.write("rel/inc/three.h", "#define THREE 4\n");
  EXPECT_THAT(run({"compile", "rel/src/a.cu", "--backend", "cpu"}).standard_output, Not(HasSubstr("in the cache")));
}

TEST_F(CliIncludeTest, TextWithoutFileReadsNoHeaders) {
  const ProcessResult result = session_.pipe(kTriple, {"compile", "-", "--backend", "cpu"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.standard_error, HasSubstr("'../inc/factor.h' file not found"));
}

TEST_F(CliIncludeTest, PathOutOfTheProgramIsCachedWithFolder) {
  session_.write("rel/inc/a.kmux",
                 "program triple(inout x: f32[n: i32])\n  variant cuda\n    sources \"a.cu\"\n"
                 "    launch triple<<<1, 4>>>(x, n)\n");
  session_.write("rel/inc/a.cu",
                 "#include \"../src/four.h\"\n__global__ void triple(float* x, int n) { x[0] = FOUR; }\n");
  session_.write("rel/src/four.h", "#define FOUR 4\n");
  next_file_tick();  // what has just changed is not cached
  const std::vector<std::string> words = {"compile", "rel/inc/a.kmux", "--backend", "cpu", "-I", "rel/inc"};
  const ProcessResult first = run(words);
  EXPECT_EQ(first.exit_code, 0) << first.standard_error;
  EXPECT_THAT(first.standard_error, IsEmpty());
  EXPECT_THAT(run(words).standard_output, HasSubstr("found in the cache"));
  session_.write("rel/src/four.h", "#define FOUR 5\n");
  EXPECT_THAT(run(words).standard_output, Not(HasSubstr("found in the cache")));
}

TEST_F(CliIncludeTest, NewReadsHeadersAboveTheSource) {
  session_.write("rel/src/b.cu",
                 "#include \"../inc/factor.h\"\n__global__ void triple(float* x, int n) {\n"
                 "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= FACTOR;\n}\n");
  EXPECT_EQ(run({"new", "rel/src/b.cu", "--write"}).exit_code, 0);
  EXPECT_EQ(run({"run", "rel/src/b.cu", "--backend", "cpu"}).exit_code, 0);
}

}  // namespace
}  // namespace kmux::test
