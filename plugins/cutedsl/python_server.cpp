#include "python_server.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace kmux {

extern const std::string_view cutedsl_serve_script;  // python/serve.py

namespace cutedsl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kServeScript = "kmux_serve.py";
constexpr int kLookIntervalMs = 50;

// Starts `argv` with `socket` as its input and output, in a process group of its own; its number, or -1.
pid_t spawn(std::vector<std::string> argv, std::string environment, const Descriptor& socket) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, socket.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket.get(), STDOUT_FILENO);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  variables.push_back(environment.data());
  variables.push_back(nullptr);
  pid_t process = -1;
  const int failure = posix_spawn(&process, argv[0].c_str(), &actions, &attributes, words.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure == 0 ? process : -1;
}

}  // namespace

PythonServer::~PythonServer() { end(); }

Result<std::optional<int>> PythonServer::compile(const Python& python, const std::string& arch,
                                                 const std::string& folder, std::chrono::seconds timeout) {
  const std::lock_guard locked(mutex_);
  std::string serves = python.program;
  serves.append(" ").append(arch);
  if (serves_ != serves) end();
  if (process_ < 0 && !start(python, arch)) return std::optional<int>();
  serves_ = std::move(serves);
  if (ask(folder)) return answer(timeout);
  end();
  return std::optional<int>();
}

bool PythonServer::start(const Python& python, const std::string& arch) {
  auto folder = PrivateFolder::create("kmux-cutedsl-server");
  int ends[2] = {-1, -1};
  if (!folder || !folder->write(kServeScript, cutedsl_serve_script)) return false;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  socket_ = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  // Without an architecture CuTe DSL takes the newest, and says nothing.
  process_ = spawn({python.program, "-I", "-B", folder->path() + "/" + kServeScript}, "CUTE_DSL_ARCH=" + arch, theirs);
  folder_.emplace(*std::move(folder));
  return process_ > 0;
}

bool PythonServer::ask(const std::string& folder) const {
  const std::string line = folder + "\n";
  return send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
}

Result<std::optional<int>> PythonServer::answer(std::chrono::seconds timeout) {
  const auto deadline = Clock::now() + timeout;
  for (std::string line;;) {
    pollfd reply{socket_.get(), POLLIN, 0};
    ::poll(&reply, 1, kLookIntervalMs);
    if (host_.stopping() || Clock::now() >= deadline) {
      end();
      return make_error(ErrorCode::kUnavailable, "Python did not end within " + std::to_string(timeout.count()) +
                                                     " s and was killed. Set option timeout_s, or find out what it "
                                                     "waits for.");
    }
    if (reply.revents == 0) continue;
    char byte = '\0';
    const ssize_t count = recv(socket_.get(), &byte, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return end(), std::optional<int>();  // it died
    if (byte != '\n') {
      line.push_back(byte);
      continue;
    }
    int code = 1;
    std::from_chars(line.data(), line.data() + line.size(), code);
    return std::optional(code);
  }
}

void PythonServer::end() {
  socket_.close();
  if (process_ > 0) {
    ::kill(-process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
  serves_.clear();
  folder_.reset();
}

}  // namespace cutedsl
}  // namespace kmux
