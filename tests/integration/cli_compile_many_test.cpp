// `kmux compile P...`: in a pipe, on a terminal, with failures, and interrupted.
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmux/builder.h"
#include "kmux/json.h"
#include "kmux/program.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

/// Saves a separate program for each `number`; `source` is appended to its source.
void save(const CliSession& session, int number, const std::string& source = "") {
  const std::string name = "add" + std::to_string(number);
  ProgramBuilder builder(name);
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n}).output("B", dtype::kFloat32, {n});
  builder.variant("c").source("add.c",
                              "void add(const float* a, float* b, long long n) {\n  for (long long i = 0; i < "
                              "n; ++i) b[i] = a[i] + " +
                                  std::to_string(number) + ";\n}\n" + source);
  builder.launch("add").args({"A", "B"}).arg(n, dtype::kInt64);
  const std::filesystem::path folder = session.folder() / name;
  std::filesystem::create_directory(folder);
  save_program(builder.build().value(), folder / (name + ".kmux.json")).value();
}

std::string path_of(int number) {
  const std::string name = "add" + std::to_string(number);
  return name + "/" + name + ".kmux.json";
}

class CliCompileManyTest : public testing::Test {
 protected:
  CliCompileManyTest() {
    for (int number = 0; number < 4; ++number) save(session_, number);
    save(session_, 4, "this is no C\n");
    save(session_, 5, "nor is this\n");
  }
  ProcessResult compile(std::vector<std::string> words, const CliSession::Variables& variables = {}) {
    words.insert(words.begin(), "compile");
    return session_.run(words, variables);
  }
  CliSession session_;
};

TEST_F(CliCompileManyTest, LogsOneLinePerProgram) {
  const ProcessResult result = compile({path_of(0), path_of(1), path_of(2), "-j", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error, AllOf(HasSubstr("[3/3] "), HasSubstr(path_of(1) + ": compiled with cpu in "),
                                           Not(HasSubstr("\r")), Not(HasSubstr("\033"))));
  EXPECT_THAT(result.standard_output, HasSubstr("3 of 3 programs are compiled"));
}

TEST_F(CliCompileManyTest, ReportsCachedAndDuplicatePrograms) {
  const CliSession::Variables cache = {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}};
  ASSERT_EQ(compile({path_of(0), path_of(1)}, cache).exit_code, 0);
  const ProcessResult again = compile({path_of(0), path_of(2), path_of(0)}, cache);
  EXPECT_THAT(again.standard_error, AllOf(HasSubstr(path_of(0) + ": found in the cache (cpu)"),
                                          HasSubstr(path_of(0) + ": the same as " + path_of(0)),
                                          HasSubstr(path_of(2) + ": compiled with cpu")));
}

TEST_F(CliCompileManyTest, StopsAtFirstFailureAndReportsIt) {
  const ProcessResult result = compile({path_of(4), path_of(0), path_of(1), path_of(2), "-j", "1"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.standard_error, AllOf(HasSubstr("kmux: error: " + path_of(4) + ": compile_failed"),
                                           HasSubstr("this is no C"), HasSubstr(path_of(2) + ": cancelled")));
  EXPECT_THAT(result.standard_output, HasSubstr("0 of 4 programs are compiled; 1 failed; 3 cancelled"));
}

TEST_F(CliCompileManyTest, ContinuesAfterFailuresWithKeepGoing) {
  const ProcessResult result = compile({path_of(4), path_of(0), path_of(5), path_of(1), "-j", "2", "--keep-going"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.standard_error, AllOf(HasSubstr("kmux: error: " + path_of(4)), HasSubstr("this is no C"),
                                           HasSubstr("kmux: error: " + path_of(5)), HasSubstr("nor is this")));
  EXPECT_THAT(result.standard_output, HasSubstr("2 of 4 programs are compiled; 2 failed"));
}

TEST_F(CliCompileManyTest, ReportsUnreadablePrograms) {
  const ProcessResult result = compile({path_of(0), "nowhere.kmux.json"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error, HasSubstr("kmux: error: nowhere.kmux.json: "));
  EXPECT_THAT(result.standard_output, HasSubstr("0 of 2 programs are compiled; 1 failed; 1 cancelled"));
  const ProcessResult going = compile({path_of(0), "nowhere.kmux.json", "-k"});
  EXPECT_EQ(going.exit_code, 3);
  EXPECT_THAT(going.standard_output, HasSubstr("1 of 2 programs are compiled; 1 failed"));
}

TEST_F(CliCompileManyTest, PrintsJsonDocument) {
  const ProcessResult result = compile({path_of(0), path_of(4), "-k", "--json"});
  const Json json = parse_json(result.standard_output).value();
  const Json::Array& programs = *json.find("programs")->as_array();
  EXPECT_EQ(*programs[0].find("state"), Json("done"));
  EXPECT_EQ(*programs[0].find("backend"), Json("cpu"));
  EXPECT_EQ(*programs[1].find("program"), Json(path_of(4)));
  EXPECT_EQ(*programs[1].find("error")->find("code"), Json("compile_failed"));
  EXPECT_EQ(*programs[1].find("error")->find("notes")->as_array()->at(0).find("kind"), Json("log"))
      << "as of one program";
}

TEST_F(CliCompileManyTest, RejectsOutputOptionAndInvalidJobCount) {
  const ProcessResult output = compile({path_of(0), path_of(1), "--output", "x"});
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_THAT(output.standard_error, HasSubstr("--output is for one program (there are 2)"));
  const ProcessResult jobs = compile({path_of(0), path_of(1), "-j", "-1"});
  EXPECT_EQ(jobs.exit_code, 3);
  EXPECT_THAT(jobs.standard_error, HasSubstr("--jobs is -1"));
}

TEST_F(CliCompileManyTest, PrintsUsualOutputForOneProgram) {
  const ProcessResult result = compile({path_of(0), "-j", "2"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.standard_error, "");
  EXPECT_THAT(result.standard_output, HasSubstr("compiled for "));
}

/// A kmux process whose stderr is a terminal of 60 columns.
class Terminal {
 public:
  Terminal(const std::filesystem::path& folder, const std::vector<std::string>& words) {
    main_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    grantpt(main_), unlockpt(main_);
    const std::string name = ptsname(main_);
    const int other = open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // used to set its size
    const winsize size{.ws_row = 24, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(other, TIOCSWINSZ, &size);
    std::vector<std::string> all = {std::string(KMUX_TEST_BUILD_DIR) + "/bin/kmux", "compile"};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> variables = {"TERM=xterm", "KMUX_DISABLE_CACHE=1", "NO_COLOR=1", "PATH=/usr/bin:/bin",
                                          "HOME=/nowhere"};
    for (const char* const sanitizer : {"ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
      if (const char* const set = std::getenv(sanitizer)) variables.push_back(std::string(sanitizer) + "=" + set);
    }
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_adddup2(&actions, other, 1);
    posix_spawn_file_actions_adddup2(&actions, other, 2);
    EXPECT_EQ(posix_spawn(&id_, argv[0], &actions, nullptr, argv.data(), environment.data()), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(other);
  }
  ~Terminal() { close(main_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Reads the output until it contains `text` or ends. Returns the whole output so far.
  std::string read_until(const std::string& text) {
    char buffer[4096];
    while (written_.find(text) == std::string::npos) {
      const ssize_t count = ::read(main_, buffer, sizeof buffer);
      if (count <= 0) break;  // EIO: the other end is closed
      written_.append(buffer, static_cast<std::size_t>(count));
    }
    return written_;
  }
  std::string read_all() { return read_until(std::string(1, '\0')); }
  void interrupt() const { kill(id_, SIGINT); }
  int exit_code() const {
    int status = 0;
    waitpid(id_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  int main_ = -1;
  pid_t id_ = -1;
  std::string written_;
};

TEST_F(CliCompileManyTest, DrawsAndClearsProgressBarOnTerminal) {
  Terminal terminal(session_.folder(), {path_of(0), path_of(1), path_of(2), path_of(3), "-j", "2"});
  const std::string written = terminal.read_all();
  EXPECT_EQ(terminal.exit_code(), 0);
  EXPECT_THAT(written, AllOf(HasSubstr("\r[....................] 0/4"), HasSubstr("\r\033[K"),
                             Not(HasSubstr("compiled with cpu in"))));
  const std::size_t cleared = written.rfind("\r\033[K");
  EXPECT_THAT(written.substr(cleared), HasSubstr("4 of 4 programs are compiled"));
  std::size_t begin = 0;
  while ((begin = written.find("\r[", begin)) != std::string::npos) {
    const std::size_t end = written.find("\033[K", begin);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LT(end - begin - 1, 60U);
    begin = end;
  }
}

TEST_F(CliCompileManyTest, IsCancelledByInterrupt) {
  save(session_, 6, "#include \"endless.h\"\n");
  std::vector<std::string> words = {"--isolation", "process", "-j", "1", "-I", "endless"};
  for (int i = 0; i < 4; ++i) words.push_back(path_of(i));
  // A header that is a pipe without a writer: its compiler blocks until it is stopped.
  std::filesystem::create_directory(session_.folder() / "endless");
  ASSERT_EQ(mkfifo((session_.folder() / "endless" / "endless.h").c_str(), 0600), 0);
  words.insert(words.begin(), path_of(6));
  Terminal terminal(session_.folder(), words);
  terminal.read_until("add6");
  terminal.interrupt();
  const std::string written = terminal.read_all();
  EXPECT_EQ(terminal.exit_code(), 130);
  EXPECT_THAT(written, HasSubstr("0 of 5 programs are compiled; 5 cancelled"));
}

}  // namespace
}  // namespace kmux::test
