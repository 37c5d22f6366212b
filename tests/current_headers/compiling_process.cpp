#include "compiling_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace kmux::fresh {
namespace {

constexpr int kMillisecondsUntilHung = 60'000;

std::array<Descriptor, 2> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

pid_t spawn(std::vector<std::string> words, int in, int out) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
  return child;
}

}  // namespace

CompilingProcess::CompilingProcess(const std::string& backend, const std::filesystem::path& folder,
                                   const std::vector<std::string>& include_dirs) {
  ::signal(SIGPIPE, SIG_IGN);  // a child that died is an answer
  std::array<Descriptor, 2> requests = make_pipe();
  std::array<Descriptor, 2> answers = make_pipe();
  std::vector<std::string> words = {KMUX_FRESH_WORKER, backend, folder.string()};
  words.insert(words.end(), include_dirs.begin(), include_dirs.end());
  child_ = spawn(std::move(words), requests[0].get(), answers[1].get());
  requests_ = std::move(requests[1]);
  answers_ = std::move(answers[0]);
}

CompilingProcess::~CompilingProcess() {
  requests_ = Descriptor();  // the end of its requests is its own
  int status = 0;
  if (child_ > 0) ::waitpid(child_, &status, 0);
}

void CompilingProcess::kill() {
  ::kill(child_, SIGKILL);
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = -1;
}

int CompilingProcess::send(std::string_view what, int program, int microseconds) {
  const int request = ++last_;
  const std::string line = std::to_string(request) + " " + std::string(what) + " " + std::to_string(program) + " " +
                           std::to_string(microseconds) + "\n";
  if (::write(requests_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    answered_[request] = "died";
  }
  return request;
}

/// False if nothing more comes in time, or ever.
bool CompilingProcess::read_answers() {
  pollfd poll{answers_.get(), POLLIN, 0};
  if (::poll(&poll, 1, kMillisecondsUntilHung) <= 0) return false;
  std::array<char, 4096> bytes;
  const ssize_t count = ::read(answers_.get(), bytes.data(), bytes.size());
  if (count <= 0) return false;
  unread_.append(bytes.data(), static_cast<std::size_t>(count));
  for (std::size_t end = 0; (end = unread_.find('\n')) != unread_.npos; unread_.erase(0, end + 1)) {
    const std::size_t space = unread_.find(' ');
    answered_[std::stoi(unread_)] = unread_.substr(space + 1, end - space - 1);
  }
  return true;
}

std::string CompilingProcess::await(int request) {
  while (!answered_.contains(request)) {
    if (!read_answers()) return "died or hangs";
  }
  return answered_.extract(request).mapped();
}

}  // namespace kmux::fresh
