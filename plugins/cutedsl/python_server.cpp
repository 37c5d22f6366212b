#include "python_server.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/spawn.h"

namespace kmux {

extern const std::string_view cutedsl_serve_script;  // python/serve.py

namespace cutedsl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kServeScript = "kmux_serve.py";
constexpr int kLookIntervalMs = 50;
constexpr int kSocket = 3;  // of the server

// Starts `command` with `socket` as descriptor 3, in a process group of its own; its number, or -1. Its output goes to a file
// of its folder: modules write to stdout when they are imported.
pid_t start_server(const Command& command, const Descriptor& socket) {
  Spawn spawn(Spawn::Group::kOfItsOwn);
  spawn.redirect(socket, kSocket);
  spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawn.open(STDOUT_FILENO, command.working_directory + "/server.log", O_WRONLY | O_CREAT | O_APPEND, 0600);
  spawn.duplicate(STDOUT_FILENO, STDERR_FILENO);
  pid_t process = -1;
  return spawn.start(&process, command.argv[0], command.argv, environment_of(command)) == 0 ? process : -1;
}

}  // namespace

PythonServer::~PythonServer() { end(); }

Result<std::optional<int>> PythonServer::compile(const Python& python, const std::string& arch,
                                                 const std::string& folder, std::chrono::seconds timeout) {
  const std::lock_guard locked(mutex_);
  // Packages may be installed anew meanwhile: what a server has imported is what is in the key, or it is another server.
  std::string serves = dump(identify(python));
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
  // Above what is redirected there: an application may have closed its standard three.
  const Descriptor low(ends[1]);
  const Descriptor theirs(fcntl(low.get(), F_DUPFD_CLOEXEC, kSocket + 1));
  if (!theirs.is_open()) return false;
  Command command = compiler_command({python.program, "-I", "-B", folder->path() + "/" + kServeScript}, folder->path());
  command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  command.environment["CUTE_DSL_ARCH"] = arch;  // without one CuTe DSL takes the newest, and says nothing
  process_ = start_server(command, theirs);
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
