#include "kmux/plugin/rtc_program.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The arguments that the compiler of these tests received, and its results.
struct Toy {
  std::vector<std::string> told;
  std::string log;
  std::string code;
  std::string failing;  // the call that returns 7
  int alive = 0;
};
Toy toy;

int answer(const char* call) { return toy.failing == call ? 7 : 0; }

int give(const char* call, const std::string& content, char* text) {
  std::memcpy(text, content.data(), content.size());
  return answer(call);
}

struct ToyTable {
  using Program = Toy*;
  static constexpr std::string_view kPrefix = "toy";
  static constexpr std::string_view kCodeCall = "GetBinary";
  int (*create)(Toy**, const char*, const char*, int, const char**, const char**) =
      [](Toy** program, const char* text, const char* name, int count, const char** contents, const char** paths) {
        *program = &toy;
        ++toy.alive;
        toy.told = {text, name};
        for (int i = 0; i < count; ++i) toy.told.push_back(std::string(paths[i]) + "=" + contents[i]);
        return answer("create");
      };
  int (*destroy)(Toy**) = [](Toy**) { return --toy.alive; };
  int (*compile)(Toy*, int, const char* const*) = [](Toy*, int count, const char* const* options) {
    toy.told.assign(options, options + count);
    return answer("compile");
  };
  int (*log_size)(Toy*, std::size_t*) = [](Toy*, std::size_t* bytes) {
    *bytes = toy.log.size();
    return answer("log_size");
  };
  int (*log)(Toy*, char*) = [](Toy*, char* text) { return give("log", toy.log, text); };
  int (*code_size)(Toy*, std::size_t*) = [](Toy*, std::size_t* bytes) {
    *bytes = toy.code.size();
    return answer("code_size");
  };
  int (*code)(Toy*, char*) = [](Toy*, char* text) { return give("code", toy.code, text); };
  int (*add_name)(Toy*, const char*) = [](Toy*, const char* name) {
    toy.told.emplace_back(name);
    return answer("add_name");
  };
  int (*lowered_name)(Toy*, const char*, const char**) = [](Toy*, const char* name, const char** symbol) {
    *symbol = std::strcmp(name, "scale<float>") == 0 ? "_Z5scaleIfEv" : "_Z3add";
    return answer("lowered_name");
  };
};

struct ToyLibrary {
  ToyTable table;
  const ToyTable& calls() const { return table; }
  Error failure(const std::string& call, int result) const {
    return make_error(ErrorCode::kCompileFailed, call + " gave " + std::to_string(result));
  }
};

class RtcProgramTest : public testing::Test {
 protected:
  RtcProgramTest() { toy = {}; }
  std::string failure(const char* call) {
    toy.failing = call;
    toy.log = toy.code = "x";
    const Status status = use();
    return status ? "it worked" : status.error().message;
  }
  Status use() {
    RtcProgram program(library);
    KMUX_TRY(program.create("text", unit));
    KMUX_TRY(program.add_names({"scale<float>"}));
    KMUX_TRY(program.log());
    KMUX_TRY(program.code());
    KMUX_TRY(program.symbols({"scale<float>"}));
    return Ok{};
  }
  ToyLibrary library;
  SourceUnit unit{.path = "a.cu", .text = "text", .files = {{"b.h", "B"}, {"c.h", "C"}}};
};

TEST_F(RtcProgramTest, PassesTextFilesNamesAndOptions) {
  RtcProgram program(library);
  ASSERT_TRUE(program.create("text", unit));
  EXPECT_THAT(toy.told, ElementsAre("text", "a.cu", "b.h=B", "c.h=C"));
  toy.told.clear();
  ASSERT_TRUE(program.add_names({"scale<float>", "add"}));
  EXPECT_THAT(toy.told, ElementsAre("scale<float>", "add"));
  EXPECT_EQ(program.compile({"-O3", "-w"}), 0);
  EXPECT_THAT(toy.told, ElementsAre("-O3", "-w"));
  EXPECT_THAT(program.symbols({"add", "scale<float>"}).value(), ElementsAre("_Z3add", "_Z5scaleIfEv"));
}

TEST_F(RtcProgramTest, ReturnsCodeVerbatimAndTrimmedLog) {
  RtcProgram program(library);
  toy.code = std::string(
      "\x7f"
      "ELF\0\n\0",
      7);
  EXPECT_EQ(program.code().value(), toy.code);
  toy.log = std::string("a warning\nanother\n\n\0", 20);
  EXPECT_EQ(program.log().value(), "a warning\nanother\n");
  toy.log = std::string("\n\0", 2);
  EXPECT_THAT(program.log().value(), IsEmpty());
  toy.log = "";
  EXPECT_THAT(program.log().value(), IsEmpty());
}

TEST_F(RtcProgramTest, ReturnsResultOfFailedCompile) {
  RtcProgram program(library);
  toy.failing = "compile";
  EXPECT_EQ(program.compile({}), 7);
}

TEST_F(RtcProgramTest, ReportsFailedCall) {
  for (const auto& [call, symbol] : {std::pair("create", "toyCreateProgram"),
                                     {"add_name", "toyAddNameExpression"},
                                     {"log_size", "toyGetProgramLogSize"},
                                     {"log", "toyGetProgramLog"},
                                     {"code_size", "toyGetBinarySize"},
                                     {"code", "toyGetBinary"},
                                     {"lowered_name", "toyGetLoweredName"}}) {
    EXPECT_EQ(failure(call), std::string(symbol) + " gave 7");
  }
  EXPECT_EQ(failure("nothing"), "it worked");
}

TEST_F(RtcProgramTest, IsDestroyedOnceAndOnlyIfCreated) {
  {
    const RtcProgram program(library);
  }
  EXPECT_EQ(toy.alive, 0);
  EXPECT_TRUE(use());
  EXPECT_EQ(toy.alive, 0);
  EXPECT_THAT(failure("add_name"), HasSubstr("gave 7"));
  EXPECT_EQ(toy.alive, 0);
}

}  // namespace
}  // namespace kmux
