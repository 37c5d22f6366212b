// The terminal output while kmux bench measures: the command runs on a pseudo-terminal.

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;

constexpr std::size_t kWidth = 60;

/// Returns all output of `terminal`, read until its last writer closes it.
std::string read_all(int terminal) {
  std::string text;
  char part[4096];
  for (ssize_t size = 0; (size = ::read(terminal, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  return text;
}

[[noreturn]] void run_kmux(const std::filesystem::path& folder, const char* terminal) {
  const std::string kmux = std::string(KMUX_TEST_BUILD_DIR) + "/bin/kmux";
  if (chdir(folder.c_str()) != 0) _exit(126);
  setenv("TERM", terminal, 1);
  setenv("KMUX_DISABLE_CACHE", "1", 1);
  execl(kmux.c_str(), "kmux", "bench", "scale/scale.kmux.json", "--backends", "cpu,cpu:engine=host", "--time", "0.3",
        "--repetitions", "1", static_cast<char*>(nullptr));
  _exit(127);
}

/// Returns the output of `kmux bench` on a terminal of that kind.
std::string shown_on(const char* terminal) {
  const CliSession session;
  winsize size{.ws_row = 24, .ws_col = kWidth, .ws_xpixel = 0, .ws_ypixel = 0};
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) run_kmux(session.folder(), terminal);
  std::string text = read_all(master);
  close(master);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << text;
  return text;
}

/// Returns the lines that were drawn over each other.
std::vector<std::string> drawn_in(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = text.find("\r["); at != std::string::npos; at = text.find("\r[", at + 1)) {
    lines.push_back(text.substr(at + 1, text.find("\033[K", at) - at - 1));
  }
  return lines;
}

TEST(CliProgressTest, ShowsBarOnTerminal) {
  const std::string text = shown_on("xterm");
  const std::vector<std::string> lines = drawn_in(text);
  ASSERT_GE(lines.size(), 7U) << text;
  EXPECT_THAT(lines.front(), AllOf(HasSubstr("[....................]   0 %"), HasSubstr("scale: compile and check")));
  for (const char* what : {"compile on cpu", "device, hot", "device, cold", "host, a call", "end to end"}) {
    EXPECT_THAT(text, HasSubstr(std::string("scale: ") + what));
  }
  EXPECT_THAT(text, ContainsRegex("scale: compile o(n cpu:engi|[.][.][.])"));  // shorter if the time left is shown
  for (const std::string& line : lines) EXPECT_LT(line.size(), kWidth) << line;
  EXPECT_THAT(lines.back(), ContainsRegex("#################.*[]] +(8|9|10)[0-9] %"));
}

TEST(CliProgressTest, IsClearedAtEnd) {
  const std::string text = shown_on("xterm");
  const std::size_t last_bar = text.rfind("\r[");
  ASSERT_NE(last_bar, std::string::npos);
  EXPECT_THAT(text.substr(text.find("\033[K", last_bar)), testing::StartsWith("\033[K\r\033[Kscale: baseline cpu"));
}

TEST(CliProgressTest, IsNotDrawnWithoutCapableTerminal) {
  EXPECT_THAT(shown_on("dumb"), Not(HasSubstr("\033")));
  const CliSession session;
  const ProcessResult bench =
      session.run({"bench", "scale/scale.kmux.json", "--backends", "cpu", "--time", "0.02", "--repetitions", "1"},
                  {{"TERM", "xterm"}});
  EXPECT_EQ(bench.exit_code, 0);
  EXPECT_EQ(bench.standard_error, "") << "no terminal";
}

}  // namespace
}  // namespace kmux::test
