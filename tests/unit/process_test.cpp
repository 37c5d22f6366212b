#include "kmux/plugin/process.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/platform.h"

#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;

Command shell(const std::string& script) { return {.argv = {"/bin/sh", "-c", script}}; }

TEST(ProcessTest, ReturnsExitCodeAndOutputs) {
  const ProcessResult result = run(shell("echo out; echo err >&2; exit 7")).value();
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.standard_output, "out\n");
  EXPECT_EQ(result.standard_error, "err\n");
}

TEST(ProcessTest, ReportsSignalAsShellExitCode) {
  EXPECT_EQ(run(shell("kill -TERM $$")).value().exit_code, 128 + SIGTERM);
}

/// Sets the application's SIGCHLD handler for the time of a test.
class ChildSignal {
 public:
  explicit ChildSignal(void (*handler)(int)) : before_(std::signal(SIGCHLD, handler)) {}
  ~ChildSignal() { std::signal(SIGCHLD, before_); }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;

 private:
  void (*before_)(int);
};

void take_any_child(int) {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

TEST(ProcessTest, ReturnsExitCodeForAnySigchldDisposition) {
  if (is_portable()) GTEST_SKIP() << needs("a fork that tells no SIGCHLD", "the portable way has none");
  for (void (*const handler)(int) : {SIG_IGN, &take_any_child}) {
    const ChildSignal set(handler);
    const ProcessResult result = run(shell("echo out; echo err >&2; exit 7")).value();
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_EQ(result.standard_output + result.standard_error, "out\nerr\n");
    EXPECT_EQ(run(shell("kill -TERM $$")).value().exit_code, 128 + SIGTERM);
    EXPECT_EQ(run(shell("exit 0")).value().exit_code, 0);
    EXPECT_THAT(run({.argv = {"/nothing/here"}}).error().message, HasSubstr("No such file or directory"));
    Command slow = shell("echo $$; sleep 60");
    slow.timeout = 200ms;
    const Error error = run(slow).error();
    EXPECT_EQ(error.code, ErrorCode::kTimedOut);
    const pid_t child = static_cast<pid_t>(std::stol(std::string(error.note("log").value())));
    for (int i = 0; i < 500 && ::kill(child, 0) == 0; ++i) std::this_thread::sleep_for(10ms);
    EXPECT_NE(::kill(child, 0), 0) << "the child is killed, too";
  }
}

// `run` hides the children of this process afterwards.
TEST(ProcessTest, ReturnsExitCodeBesideThreadThatTakesAnyChild) {
  if (is_portable()) GTEST_SKIP() << needs("a fork that tells no SIGCHLD", "the portable way has none");
  std::jthread taker([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (::waitpid(-1, nullptr, WNOHANG) <= 0) std::this_thread::sleep_for(50us);
    }
  });
  for (int i = 0; i < 20; ++i) {
    const ProcessResult result = run(shell("echo out; echo err >&2; exit 7")).value();
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_EQ(result.standard_output + result.standard_error, "out\nerr\n");
  }
}

TEST(ProcessTest, PassesArgumentsVerbatim) {
  const Command command{.argv = {"printf", "%s|", "a b", "$HOME", "'\"", "*"}};
  EXPECT_EQ(run(command).value().standard_output, "a b|$HOME|'\"|*|");
}

TEST(ProcessTest, FeedsStandardInput) {
  Command command{.argv = {"cat"}};
  command.standard_input = std::string(3'000'000, 'x') + "end";
  EXPECT_EQ(run(command).value().standard_output, command.standard_input);
}

TEST(ProcessTest, SurvivesChildThatClosesStandardInput) {
  Command command = shell("exec 0<&-; exit 3");
  command.standard_input = std::string(3'000'000, 'x');
  EXPECT_EQ(run(command).value().exit_code, 3);
}

TEST(ProcessTest, ProvidesEmptyStandardInputByDefault) {
  EXPECT_EQ(run({.argv = {"cat"}}).value().standard_output, "");
}

TEST(ProcessTest, CapturesLargeOutputOnBothPipes) {
  const ProcessResult result = run(shell("head -c 2000000 /dev/zero & head -c 3000000 /dev/zero >&2; wait")).value();
  EXPECT_EQ(result.standard_output.size(), 2'000'000u);
  EXPECT_EQ(result.standard_error.size(), 3'000'000u);
}

TEST(ProcessTest, AddsEnvironmentVariables) {
  Command command = shell("echo $KMUX_TEST_VALUE; test -n \"$PATH\"");
  command.environment = {{"KMUX_TEST_VALUE", "a b"}};
  const ProcessResult result = run(command).value();
  EXPECT_EQ(result.standard_output, "a b\n");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(ProcessTest, InheritsOnlyNamedEnvironmentVariables) {
  setenv("KMUX_TEST_PASSES", "yes", /*overwrite=*/1);
  setenv("KMUX_TEST_STAYS", "no", /*overwrite=*/1);
  Command command{.argv = {"/usr/bin/env"}, .environment = {{"ADDED", "1"}}};
  EXPECT_THAT(run(command).value().standard_output, HasSubstr("KMUX_TEST_STAYS=no\n"));
  command.inherited = {"KMUX_TEST_PASSES", "KMUX_TEST_UNSET"};
  EXPECT_EQ(run(command).value().standard_output, "KMUX_TEST_PASSES=yes\nADDED=1\n");
  EXPECT_EQ(to_string(command), "env -i KMUX_TEST_PASSES=\"$KMUX_TEST_PASSES\" ADDED=1 /usr/bin/env");
  unsetenv("KMUX_TEST_PASSES");
  unsetenv("KMUX_TEST_STAYS");
}

TEST(ProcessTest, RunsInWorkingDirectory) {
  Command command = shell("pwd -P");
  command.working_directory = "/";
  EXPECT_EQ(run(command).value().standard_output, "/\n");
}

// Returns the number of descriptors that this process itself inherited and passes to every child.
std::ptrdiff_t inherited_descriptors() {
  std::ptrdiff_t count = 0;
  for (int i = 0; i < 1024; ++i) {
    const int flags = ::fcntl(i, F_GETFD);
    count += flags >= 0 && (flags & FD_CLOEXEC) == 0 ? 1 : 0;
  }
  return count;
}

TEST(ProcessTest, LeaksNoDescriptorIntoChild) {
  const std::string list = run({.argv = {"ls", "/proc/self/fd"}}).value().standard_output;
  const auto in_child = std::count(list.begin(), list.end(), '\n');
  EXPECT_EQ(in_child, inherited_descriptors() + 1) << "one more is that of ls itself on the folder";
}

TEST(ProcessTest, LeaksNoDescriptorInParent) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = count();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(run({.argv = {"true"}}));
  EXPECT_NE(run({.argv = {"/nonexistent/program"}}).ok(), tells_spawn_errors());
  EXPECT_EQ(count(), before);
}

TEST(ProcessTest, KillsProcessGroupOnTimeout) {
  const TempFolder folder;
  const std::string pipe = folder.path() / "alive";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Descriptor alive(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  Command command = shell("(echo begun; exec sleep 100) >" + pipe + " & echo begun; wait");
  command.timeout = 500ms;
  const auto result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimedOut);
  EXPECT_THAT(result.error().message, HasSubstr("500 ms"));
  EXPECT_EQ(result.error().note("log"), "begun\n");
  std::array<char, 16> text{};
  EXPECT_EQ(read(alive.get(), text.data(), text.size()), 6) << "the grandchild was there";
  pollfd end{alive.get(), 0, 0};
  EXPECT_EQ(poll(&end, 1, 10'000), 1) << "a grandchild lives on, which alone still writes to the pipe";
  EXPECT_NE(end.revents & POLLHUP, 0);
}

TEST(ProcessTest, KillsChildOnStopRequest) {
  Command command = shell("sleep 100");
  int asked = 0;
  command.stopping = [&] { return ++asked > 2; };
  const auto result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(result.error().message, HasSubstr("was killed, as it was not to go on"));
}

TEST(ProcessTest, TimesOutChildWithClosedOutputs) {
  Command command = shell("exec >&- 2>&-; sleep 5");
  command.timeout = 100ms;
  EXPECT_THAT(run(command).error().message, HasSubstr("did not end"));
}

TEST(ProcessTest, ReportsWhyProgramCannotStart) {
  const auto missing = run({.argv = {"kmux-no-such-program"}});
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("not in PATH"));
  EXPECT_THAT(run({.argv = {}}).error().message, HasSubstr("the command is empty"));
  if (!tells_spawn_errors()) GTEST_SKIP() << needs_spawn_errors();
  EXPECT_THAT(run({.argv = {"/nonexistent/x"}}).error().message, HasSubstr("No such file"));
  EXPECT_THAT(run({.argv = {"/etc/passwd"}}).error().message, HasSubstr("Permission denied"));
  EXPECT_THAT(run({.argv = {"true"}, .working_directory = "/nonexistent"}).error().message,
              HasSubstr("working directory \"/nonexistent\""));
}

// Linux reports the program; elsewhere it is found from the first word of the command line, as the shell resolves it.
TEST(ProcessTest, FindsOwnProgram) {
  const TempFolder folder;
  const std::string tool = folder.write("bin/a-tool", "#!/bin/sh\n").string();
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  std::filesystem::create_symlink(tool, folder.path() / "bin/a-link");
  const std::string usual = std::getenv("PATH");
  const std::filesystem::path here = std::filesystem::current_path();
  ::setenv("PATH", ("/nowhere:" + (folder.path() / "bin").string() + ":" + usual).c_str(), 1);
  std::filesystem::current_path(folder.path());
  const bool is_told = std::filesystem::exists(linux_root() / "proc/self/exe");
  const std::string own = is_told ? std::filesystem::read_symlink(linux_root() / "proc/self/exe").string() : tool;
  for (const char* const word : {"a-tool", "a-link", "bin/a-link", "./bin/../bin/a-tool"}) {
    EXPECT_EQ(own_program(word), own) << word;
  }
  for (const char* const word : {"", "kmux-no-such-program", "./a-tool"}) {
    EXPECT_EQ(own_program(word), is_told ? own : "") << word;
  }
  EXPECT_NE(is_told, is_portable());
  std::filesystem::current_path(here);
  ::setenv("PATH", usual.c_str(), 1);
}

TEST(ProcessTest, PrintsCommandWithShellQuoting) {
  const Command command{
      .argv = {"g++", "-DX=1", "a b.cpp", "it's", ""}, .working_directory = "/tmp", .environment = {{"LANG", "C"}}};
  EXPECT_EQ(to_string(command), "cd /tmp && LANG=C g++ -DX=1 'a b.cpp' 'it'\\''s' ''");
}

TEST(ProcessTest, FindsProgramsInPath) {
  const auto found = find_program("sh");
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, EndsWith("/sh"));
  EXPECT_EQ(find_program("kmux-no-such-program"), std::nullopt);
  EXPECT_EQ(find_program(""), std::nullopt);
  EXPECT_EQ(find_program("/bin/sh"), std::nullopt);
}

}  // namespace
}  // namespace kmux
