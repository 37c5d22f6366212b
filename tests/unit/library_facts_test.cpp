#include <cstring>
#include <elf.h>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"

#include "export/library_linker.h"

namespace kmux {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string small_library() {
  const PrivateFolder folder = PrivateFolder::create("kmux-facts").value();
  folder
      .write(
          "a.c",
          "#include <math.h>\nint seen = 1;\nstatic int own = 2;\n__attribute__((visibility(\"hidden\"))) int hidden;\n"
          "double root(double x) { return cbrt(x) + own + hidden; }\n")
      .value();
  const Command command = Command{{find_host_compiler("", "the test").value(), "-x", "c", "-shared", "-fPIC",
                                   "-nostartfiles", "-o", "a.so", "a.c", "-lm"},
                                  folder.path()};
  EXPECT_EQ(run(command).value().exit_code, 0);
  return read_file(folder.path() + "/a.so").value();
}

TEST(LibraryFactsTest, ListExportedSymbolsAndDependencies) {
  const LibraryFacts facts = read_library_facts(small_library()).value();
  EXPECT_THAT(facts.exported, ElementsAre("root", "seen"));
  EXPECT_THAT(facts.needed, Contains("libm.so.6"));
  EXPECT_THAT(facts.exported, Not(Contains("hidden")));
}

TEST(LibraryFactsTest, RejectNonElfAndSurviveDamage) {
  for (const std::string& bytes : {std::string(), std::string("text"), std::string(200, '\x7f')}) {
    const auto facts = read_library_facts(bytes);
    ASSERT_FALSE(facts.ok());
    EXPECT_EQ(facts.error().code, ErrorCode::kInternal);
    EXPECT_THAT(facts.error().message, HasSubstr("not a 64-bit ELF file"));
  }
  const std::string sound = small_library();
  EXPECT_THAT(read_library_facts(std::string_view(sound).substr(0, sound.size() - 100)).error().message,
              HasSubstr("truncated"));
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = sound;
    for (int flips = 0; flips < 8; ++flips) damaged[random() % damaged.size()] = static_cast<char>(random());
    static_cast<void>(read_library_facts(damaged));  // any result is valid, it must only not crash
  }
}

}  // namespace
}  // namespace kmux
