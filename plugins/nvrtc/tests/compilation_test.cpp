#include "compilation.h"

#include <thread>

#include <gmock/gmock.h>

#include "nvidia/cubin.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class CompilationTest : public NvrtcTest {
 protected:
  Result<Compiled> compile_text(const std::string& text, std::vector<std::string> names = {},
                                std::vector<std::string> options = {"--gpu-architecture=sm_90a"}) {
    const SourceUnit unit{"<program>/k.cu", text};
    return compile(*NvrtcLibrary::open(find_library(host).value()).value(),
                   {unit, std::move(options), std::move(names)});
  }
};

TEST_F(CompilationTest, GivesCodeWithoutALogWhereThereIsNothingToSay) {
  const Compiled compiled = compile_text(kAddOne).value();
  EXPECT_EQ(nvidia::cubin_kernels(compiled.code).value(), std::vector<std::string>{"k"});
  EXPECT_EQ(compiled.log, "");
  EXPECT_FALSE(compiled.is_about_program);
}

TEST_F(CompilationTest, GivesWarningsWithTheUsersNames) {
  const Compiled compiled =
      compile_text("extern \"C\" __global__ void k(float* x) { int unused; x[0] = 1; }\n").value();
  EXPECT_THAT(compiled.log, StartsWith("k.cu(1): warning"));
  EXPECT_TRUE(compiled.is_about_program);
}

TEST_F(CompilationTest, GivesTheSymbolsOfNamesInTheirOrder) {
  const std::string text = "template <class T> __global__ void k(T* x) { x[0] = 1; }\n";
  EXPECT_THAT(compile_text(text, {"k<int>", "k<float>"}).value().symbols,
              ElementsAre(StartsWith("_Z1kIi"), StartsWith("_Z1kIf")));
}

TEST_F(CompilationTest, AnOptionThatIsNotTakenIsTheCallersMistake) {
  const Error error = compile_text(kAddOne, {}, {"--gpu-architecture=sm_90a", "--no-such-option"}).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("no-such-option"));
  EXPECT_TRUE(error.note("log").has_value());
}

TEST_F(CompilationTest, SeveralThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> succeeded(4);
  for (int& result : succeeded) {
    threads.emplace_back([this, &result] { result = compile_text(kAddOne).ok() ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(succeeded, testing::Each(1));
}

}  // namespace
}  // namespace kmux::nvrtc
