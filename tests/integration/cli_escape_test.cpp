// SPDX-License-Identifier: Apache-2.0
// A program's control characters must not reach the user's terminal.

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmux/json.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

constexpr const char* kTitle = "\033]0;owned\a";
constexpr const char* kRed =
    "\x9b"
    "31m";  // 8-bit C1

class CliEscapeTest : public testing::Test {
 protected:
  CliEscapeTest() {
    session_.write("said.c", std::string("#error ") + kTitle + kRed + "\nvoid said(const float* x) {}\n");
    session_.write(
        "said.kmux",
        "kernel said(x: f32[n: i32])\n  description \"a \\u001b]0;owned\\u0007\"\n  example n = 8\n  dialect c\n"
        "  sources \"said.c\"\n  assert n > 8, \"few \\u001b]0;owned\\u0007\"\n  launch said(x)\n");
    session_.write("fine.c", "void fine(const float* x) {}\n");
    session_.write("fine.kmux",
                   "kernel fine(x: f32[n: i32])\n  example n = 8\n  dialect c\n  sources \"fine.c\"\n"
                   "  assert n > 8, \"few \\u001b]0;owned\\u0007\"\n  launch fine(x)\n");
  }
  static void expect_harmless(const std::string& text, const std::string& part) {
    EXPECT_THAT(text, AllOf(HasSubstr(part), Not(HasSubstr("\033")), Not(HasSubstr("\a")), Not(HasSubstr("\x9b"))));
  }
  CliSession session_;
};

TEST_F(CliEscapeTest, EscapesAssertMessage) {
  const ProcessResult run = session_.run({"run", "fine.kmux", "--target", "c"});
  EXPECT_NE(run.exit_code, 0);
  expect_harmless(run.standard_error, "few \\x1b]0;owned\\x07");
}

// Clang escapes its output, GCC does not.
TEST_F(CliEscapeTest, EscapesCompilerOutput) {
  for (const char* const engine : {"engine=clang", "engine=host"}) {
    for (const char* const second : {"--verbose", "fine.kmux"}) {
      const ProcessResult compiled =
          session_.run({"compile", "said.kmux", "--target", "c", "--backend", "cpu", "--option", engine, second});
      EXPECT_NE(compiled.exit_code, 0);
      expect_harmless(compiled.standard_error, "]0;owned");
    }
  }
}

TEST_F(CliEscapeTest, EscapesNamesAndPaths) {
  const std::string path = std::string("a") + kTitle + ".kmux";
  for (const char* const command : {"show", "run", "compile", "fmt", "new", "replay", "bench"}) {
    const ProcessResult refused = session_.run({command, path});
    EXPECT_NE(refused.exit_code, 0) << command;
    expect_harmless(refused.standard_error, "a\\x1b]0;owned\\x07");
  }
  expect_harmless(session_.run({"run", "fine.kmux", std::string("--") + kTitle}).standard_error, "\\x1b");
  session_.write(path, "kernel fine(x: f32[n: i32])\n  dialect c\n  sources \"fine.c\"\n  launch   fine(x)\n");
  const ProcessResult unformatted = session_.run({"fmt", "--check", path});
  EXPECT_EQ(unformatted.exit_code, 1);
  expect_harmless(unformatted.standard_output, "a\\x1b]0;owned\\x07.kmux: not in canonical form");
}

TEST_F(CliEscapeTest, JsonUsesUnicodeEscapes) {
  const ProcessResult refused = session_.run({"run", "fine.kmux", "--target", "c", "--json"});
  expect_harmless(refused.standard_output, "few \\u001b]0;owned\\u0007");
}

TEST_F(CliEscapeTest, JsonIsUtf8ForAnyName) {
  using Words = std::vector<std::string>;
  session_.write("named\xff.cu",
                 "//! kmux\n//! kernel named(x: f32[n: i32])\n//!   example n = 8\n"
                 "//!   launch named<<<1, n>>>(x)\n__global__ void named(const float* x) {}\n");
  for (const Words& words : {Words{"run", "named\xff.cu"},
                             {"run", "nope\xff.cu"},
                             {"compile", "named\xff.cu", "nope\xff.cu"},
                             {"resolve", "named\xff.cu"},
                             {"show", "named\xff.cu"},
                             {"run", "fine.kmux", "--in", "x=nope\xff.npy"},
                             {"compile", "fine.kmux", "--target", "cpu\xff"},
                             {"cache", "stats"},
                             {"cache", "ls"}}) {
    Words command = words;
    command.emplace_back("--json");
    const std::string cache = session_.folder().string() + "/cache\xff";
    const ProcessResult result = session_.run(command, {{"KMUX_CACHE_DIR", cache}});
    EXPECT_TRUE(parse_json(result.standard_output).ok()) << words[0] << " " << result.standard_output;
  }
  EXPECT_THAT(session_.run({"run", "nope\xff.cu", "--json"}).standard_output, HasSubstr("nope\\\\xff.cu"));
}

TEST_F(CliEscapeTest, NamesWordInInvalidUtf8) {
  const auto expect = [&](const std::vector<std::string>& words, const std::string& part) {
    const ProcessResult refused = session_.run(words);
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.standard_error, HasSubstr(part));
  };
  session_.write("n\xff.cu", "__global__ void n(float* x) { x[0] = 1; }\n");
  expect({"compile", "fine.kmux", "--include", "inc\xff"}, R"(the include folder "inc\xff" is not UTF-8)");
  expect({"compile", "fine.kmux", "--flag", "-DA=\xff"}, R"(the flag "-DA=\xff" is not UTF-8)");
  expect({"new", "n\xff.cu", "--write"}, R"(the name of source "n\xff.cu" is not UTF-8)");
  expect({"new", "fine.c", "--include", "inc\xff"}, R"(the include folder "inc\xff" is not UTF-8)");
}

/// Returns the output of `kmux WORDS` on its terminal, run in `folder`.
std::string shown_on_a_terminal(const std::filesystem::path& folder, std::vector<std::string> words) {
  const std::string program = std::string(KMUX_TEST_BUILD_DIR) + "/bin/kmux";
  words.insert(words.begin(), "kmux");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    if (chdir(folder.c_str()) == 0 && setenv("KMUX_DISABLE_CACHE", "1", 1) == 0)
      execv(program.c_str(), arguments.data());
    _exit(126);
  }
  std::string text;
  char part[4096];
  for (ssize_t size = 0; (size = ::read(terminal, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  close(terminal);
  waitpid(child, nullptr, 0);
  return text;
}

TEST_F(CliEscapeTest, TerminalShowsOnlyStylesOfKmux) {
  session_.write("red.c", "// \033[31m red\nvoid fine(const float* x) {}\n");
  session_.write("red.kmux",
                 "kernel fine(x: f32[n: i32])\n  example n = 8\n  dialect c\n  sources \"red.c\"\n  launch fine(x)\n");
  EXPECT_THAT(shown_on_a_terminal(session_.folder(), {"source", "red.kmux", "--target", "c"}),
              AllOf(HasSubstr("// \\x1b[31m red"), Not(HasSubstr("\033"))));
  EXPECT_THAT(shown_on_a_terminal(session_.folder(), {"run", "red.kmux", "--target", "c"}),
              HasSubstr("\033[1mfine\033[0m on cpu"));
}

TEST_F(CliEscapeTest, RedirectedFormFeedIsNotEscaped) {
  session_.write("page.c", "// a \f page\nvoid fine(const float* x) {}\n");
  session_.write("page.kmux", "kernel fine(x: f32[n: i32])\n  dialect c\n  sources \"page.c\"\n  launch fine(x)\n");
  EXPECT_THAT(session_.run({"source", "page.kmux", "--target", "c"}).standard_output, HasSubstr("a \f page"));
}

}  // namespace
}  // namespace kmux::test
