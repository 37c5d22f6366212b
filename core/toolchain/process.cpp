#include "kmux/plugin/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/signal_blocked.h"

namespace kmux {
namespace {

using Clock = std::chrono::steady_clock;

// Decides when to stop waiting for a child.
class Patience {
 public:
  explicit Patience(const Command& command)
      : deadline_(command.timeout.count() > 0 ? std::optional(Clock::now() + command.timeout) : std::nullopt),
        stopping_(command.stopping) {}

  bool is_endless() const { return !deadline_ && !stopping_; }
  bool is_over() const { return (deadline_ && Clock::now() >= *deadline_) || (stopping_ && stopping_()); }
  // Returns the time-out for poll; -1 for none.
  int poll_ms() const {
    if (is_endless()) return -1;
    const std::int64_t most = stopping_ ? kStopIntervalMs : 3'600'000;
    if (!deadline_) return static_cast<int>(most);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, most));
  }

 private:
  static constexpr std::int64_t kStopIntervalMs = 10;
  std::optional<Clock::time_point> deadline_;
  std::function<bool()> stopping_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Error system_error(const std::string& what, int number) {
  return make_error(ErrorCode::kUnavailable,
                    what + " (" + std::strerror(number) + "). Close files or raise the limit.");
}

// Makes a pipe with ends above the standard three, so that the child's redirections cannot overwrite each other.
Result<Pipe> high_pipe() {
  std::array<int, 2> ends{};
  if (const int error = make_pipe(ends); error != 0) return system_error("cannot make a pipe", error);
  const Descriptor read(ends[0]);
  const Descriptor write(ends[1]);
  Pipe pipe{Descriptor(fcntl(ends[0], F_DUPFD_CLOEXEC, 3)), Descriptor(fcntl(ends[1], F_DUPFD_CLOEXEC, 3))};
  if (!pipe.read.is_open() || !pipe.write.is_open()) return system_error("cannot make a pipe", errno);
  return pipe;
}

void set_nonblocking(const Descriptor& descriptor) {
  fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

// Returns the folders to search for programs. Under AT_SECURE, PATH comes from a user with possibly fewer rights.
std::string search_path() {
  constexpr const char* kOfTheSystem = "/usr/bin:/bin";
  if (has_added_rights()) return kOfTheSystem;
  const char* const path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

bool is_list_of_folders(std::string_view name) { return name == "PATH" || name == "LD_LIBRARY_PATH"; }

bool is_inherited(const Command& command, const std::string& name) {
  if (command.environment.contains(name)) return false;
  return !command.inherited || std::ranges::find(*command.inherited, name) != command.inherited->end();
}

struct Child {
  pid_t id = -1;
  Descriptor input;
  Descriptor output;
  Descriptor error;
};

Error cannot_start(const Command& command, const std::string& why) {
  const std::string program = command.argv.empty() ? "" : command.argv[0];
  return make_error(ErrorCode::kUnavailable,
                    "cannot start \"" + program + "\" (" + why + "). Install it or correct the path.")
      .with("command", to_string(command));
}

Result<std::string> program_of(const Command& command) {
  if (command.argv.empty() || command.argv[0].empty()) return cannot_start(command, "the command is empty");
  if (command.argv[0].find('/') != std::string::npos) return command.argv[0];
  if (auto found = find_program(command.argv[0])) return *found;
  return cannot_start(command, "it is not in PATH");
}

Result<Child> start(const Command& command) {
  KMUX_ASSIGN(const std::string program, program_of(command));
  std::error_code unknown;
  if (!command.working_directory.empty() && !std::filesystem::is_directory(command.working_directory, unknown)) {
    return cannot_start(command, "the working directory \"" + command.working_directory + "\" does not exist");
  }
  KMUX_ASSIGN(Pipe input, high_pipe());
  KMUX_ASSIGN(Pipe output, high_pipe());
  KMUX_ASSIGN(Pipe error, high_pipe());
  Spawn spawn(Spawn::Group::kOfItsOwn);
  spawn.redirect(input.read, STDIN_FILENO);
  spawn.redirect(output.write, STDOUT_FILENO);
  spawn.redirect(error.write, STDERR_FILENO);
  if (!command.working_directory.empty()) spawn.work_in(command.working_directory);
  if (command.confinement) spawn.confine(*command.confinement);
  Child child{-1, std::move(input.write), std::move(output.read), std::move(error.read)};
  const int failure = spawn.start(&child.id, program, command.argv, environment_of(command));
  if (failure != 0) return cannot_start(command, std::strerror(failure));
  for (const Descriptor* end : {&child.input, &child.output, &child.error}) set_nonblocking(*end);
  return child;
}

// Reads all available bytes; closes at the end of the stream.
void drain(Descriptor& from, std::string& into) {
  std::array<char, 65536> buffer;
  while (from.is_open()) {
    const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
    if (count > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      from.close();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

// Writes as much as the pipe accepts; closes when all is written or the reader has closed it.
void feed(Descriptor& to, std::string_view& rest) {
  while (to.is_open() && !rest.empty()) {
    const ssize_t count = ::write(to.get(), rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      rest = {};
    }
  }
  to.close();
}

// Transfers bytes until the child has closed both outputs; returns false if the wait is over first.
bool converse(Child& child, std::string_view input, ProcessResult& result, const Patience& patience) {
  const SignalBlocked blocked(SIGPIPE);
  feed(child.input, input);
  while (child.output.is_open() || child.error.is_open()) {
    // A closed descriptor is -1, which poll skips.
    std::array<pollfd, 3> ends = {pollfd{child.input.get(), POLLOUT, 0}, pollfd{child.output.get(), POLLIN, 0},
                                  pollfd{child.error.get(), POLLIN, 0}};
    ::poll(ends.data(), ends.size(), patience.poll_ms());
    if (ends[0].revents != 0) feed(child.input, input);
    if (ends[1].revents != 0) drain(child.output, result.standard_output);
    if (ends[2].revents != 0) drain(child.error, result.standard_error);
    if (patience.is_over()) return false;
  }
  child.input.close();
  return true;
}

constexpr int kTaken = -1;  // the application has consumed the exit code (see Spawn)

// Returns the exit code or kTaken, or nothing if the wait is over first. A child can outlive its outputs.
std::optional<int> wait_for(pid_t child, const Patience& patience) {
  constexpr int kPollIntervalMs = 2;
  int status = 0;
  for (;;) {
    const pid_t done = waitpid(child, &status, any_child() | (patience.is_endless() ? 0 : WNOHANG));
    if (done == child) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (done < 0 && errno != EINTR) return kTaken;
    if (patience.is_over()) return std::nullopt;
    if (done == 0) ::poll(nullptr, 0, kPollIntervalMs);
  }
}

std::string why_killed(const Command& command, bool is_cancelled) {
  if (is_cancelled) return "\" was killed, as it was not to go on. Run it again.";
  return "\" did not end within " + std::to_string(command.timeout.count()) +
         " ms and was killed. Allow more time or find out what it waits for.";
}

// Kills the group: a compiler driver's children would otherwise keep running.
Error give_up(const Command& command, Child& child, ProcessResult& result) {
  ::kill(-child.id, SIGKILL);
  wait_for(child.id, Patience(Command{}));
  drain(child.output, result.standard_output);
  drain(child.error, result.standard_error);
  const bool is_cancelled = command.stopping && command.stopping();
  return make_error(is_cancelled ? ErrorCode::kCancelled : ErrorCode::kTimedOut,
                    "\"" + command.argv[0] + why_killed(command, is_cancelled))
      .with("command", to_string(command))
      .with("log", result.standard_output + result.standard_error);
}

bool is_executable(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Returns "env -i PATH=... ", so that the command in a shell gets no other variables than it got here.
std::string inherited_text(const Command& command) {
  if (!command.inherited) return "";
  std::string text = "env -i ";
  for (const std::string& name : *command.inherited) {
    if (std::getenv(name.c_str()) != nullptr) text.append(name).append("=\"$").append(name).append("\" ");
  }
  return text;
}

// Runs the command once. Its exit code may be kTaken.
Result<ProcessResult> run_once(const Command& command) {
  const Patience patience(command);
  KMUX_ASSIGN(Child child, start(command));
  ProcessResult result;
  if (!converse(child, command.standard_input, result, patience)) return give_up(command, child, result);
  const auto exit_code = wait_for(child.id, patience);
  if (!exit_code) return give_up(command, child, result);
  result.exit_code = *exit_code;
  return result;
}

}  // namespace

Result<ProcessResult> run(const Command& command) {
  KMUX_ASSIGN(ProcessResult result, run_once(command));
  if (result.exit_code == kTaken && Spawn::hide_children()) {
    KMUX_ASSIGN(result, run_once(command));
  }
  if (result.exit_code == kTaken) result.exit_code = 0;  // callers see what the program wrote
  return result;
}

std::vector<std::string> absolute_folders_in(std::string_view list) {
  std::vector<std::string> folders;
  for (bool more = true; more;) {
    const std::size_t colon = list.find(':');
    const std::string_view folder = list.substr(0, colon);
    more = colon != list.npos;
    if (more) list.remove_prefix(colon + 1);
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

std::string absolute_folders(std::string_view list) {
  std::string kept;
  for (const std::string& folder : absolute_folders_in(list)) kept.append(kept.empty() ? "" : ":").append(folder);
  return kept;
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> entries;
  for (char** entry = process_environment(); *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (!is_inherited(command, name)) continue;
    const std::string value = name == "PATH" ? search_path() : text.substr(std::min(name.size() + 1, text.size()));
    if (!is_list_of_folders(name)) {
      entries.push_back(text);
    } else if (const std::string folders = absolute_folders(value); !folders.empty()) {
      entries.push_back(std::string(name).append("=").append(folders));
    }
  }
  for (const auto& [name, value] : command.environment) {
    entries.push_back(std::string(name).append("=").append(value));
  }
  return entries;
}

std::string to_string(const Command& command) {
  std::string text;
  if (!command.working_directory.empty()) text = "cd " + quoted_for_shell(command.working_directory) + " && ";
  text += inherited_text(command);
  for (const auto& [name, value] : command.environment) text += name + "=" + quoted_for_shell(value) + " ";
  for (std::size_t i = 0; i < command.argv.size(); ++i) text += (i == 0 ? "" : " ") + quoted_for_shell(command.argv[i]);
  return text;
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  for (std::string& folder : absolute_folders_in(search_path())) {
    folder.append("/").append(name);
    if (is_executable(folder)) return std::move(folder);
  }
  return std::nullopt;
}

std::string own_program(const std::string& first_word) {
  std::error_code error;
  const std::filesystem::path told = std::filesystem::read_symlink(linux_root() / "proc/self/exe", error);
  if (!error) return told.string();
  const bool is_path = first_word.find('/') != std::string::npos;
  const std::string named = is_path ? first_word : find_program(first_word).value_or("");
  const std::filesystem::path found = std::filesystem::canonical(named, error);
  return error ? "" : found.string();
}

}  // namespace kmux
