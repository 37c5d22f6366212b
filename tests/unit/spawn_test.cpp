#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/process.h"

#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

class SpawnTest : public testing::Test {
 protected:
  /// Runs `script` by /bin/sh to its end. Returns its exit code, or minus the errno of the start.
  static int run(const Spawn& spawn, const std::string& script, std::vector<std::string> variables = {}) {
    pid_t child = -1;
    if (const int failure = spawn.start(&child, "/bin/sh", {"sh", "-c", script}, std::move(variables)); failure != 0)
      return -failure;
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string written() const { return read_file(path_).value(); }

  TempFolder folder_;
  const std::string path_ = (folder_.path() / "out").string();
};

TEST_F(SpawnTest, PassesFilesFolderAndVariables) {
  Spawn spawn(Spawn::Group::kOfItsOwn);
  spawn.open(STDOUT_FILENO, path_, O_WRONLY | O_CREAT, 0600);
  spawn.duplicate(STDOUT_FILENO, STDERR_FILENO);
  spawn.work_in("/usr");
  EXPECT_EQ(run(spawn, "pwd; echo $WORD >&2; exit 3", {"WORD=one two"}), 3);
  EXPECT_EQ(written(), "/usr\none two\n");
}

TEST_F(SpawnTest, RedirectsDescriptorAndClosesOthers) {
  const Descriptor low(::open(path_.c_str(), O_WRONLY | O_CREAT, 0600));
  const Descriptor file(fcntl(low.get(), F_DUPFD, 20));
  Spawn spawn(Spawn::Group::kOfItsOwn);
  spawn.redirect(file, 3);
  spawn.close_from(4);
  EXPECT_EQ(run(spawn, "echo kept >&3; test ! -e /proc/self/fd/" + std::to_string(file.get())), 0);
  EXPECT_EQ(written(), "kept\n");
}

TEST_F(SpawnTest, CreatesGroupOrSession) {
  for (const auto group : {Spawn::Group::kOfItsOwn, Spawn::Group::kSessionOfItsOwn}) {
    Spawn spawn(group);
    spawn.open(STDOUT_FILENO, path_, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_EQ(
        run(spawn,
            "read id name state parent group session rest < /proc/$$/stat; echo $(($$ == group)) $(($$ == session))"),
        0);
    EXPECT_EQ(written(), group == Spawn::Group::kOfItsOwn ? "1 0\n" : "1 1\n");
  }
}

TEST_F(SpawnTest, ResetsSignalMaskAndDispositions) {
  sigset_t pipe;
  sigset_t before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const auto had_pipe = std::signal(SIGPIPE, SIG_IGN);
  const auto had_quit = std::signal(SIGQUIT, SIG_IGN);
  EXPECT_EQ(run(Spawn(Spawn::Group::kOfItsOwn), "kill -TERM $$"), 128 + SIGTERM);
  EXPECT_EQ(run(Spawn(Spawn::Group::kOfItsOwn), "kill -PIPE $$"), 128 + SIGPIPE);
  EXPECT_EQ(run(Spawn(Spawn::Group::kOfItsOwn), "kill -QUIT $$"), 0) << "ignored here, so there";
  EXPECT_EQ(run(Spawn(Spawn::Group::kSessionOfItsOwn), "kill -QUIT $$"), 128 + SIGQUIT);
  std::signal(SIGQUIT, had_quit);
  std::signal(SIGPIPE, had_pipe);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(SpawnTest, ReturnsErrnoOnFailure) {
  if (!tells_spawn_errors()) GTEST_SKIP() << needs_spawn_errors();
  pid_t child = -1;
  EXPECT_EQ(Spawn(Spawn::Group::kOfItsOwn).start(&child, "/none", {"none"}, {}), ENOENT);
  EXPECT_EQ(child, -1);
  Spawn spawn(Spawn::Group::kOfItsOwn);
  spawn.work_in("/none");
  EXPECT_EQ(run(spawn, ":"), -ENOENT);
}

}  // namespace
}  // namespace kmux
