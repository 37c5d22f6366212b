#include "worker_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/process.h"

#include "worker_frame.h"

namespace kmux {
namespace {

constexpr int kSocket = 3;  // in the worker
constexpr std::size_t kKeptOutput = 64 * 1024;
constexpr int kGraceMs = 2000;  // from closing its socket to its end
constexpr std::int32_t kInfo = 1;
constexpr int kGlanceMs = 10;  // the interval at which a waiting call checks whether the application ends

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

Error cannot_start(const std::filesystem::path& program, int number) {
  return make_error(ErrorCode::kUnavailable, "cannot start \"" + program.string() + "\" (" + std::strerror(number) +
                                                 "). Install kmux again, or free what is short.");
}

/// Moves both ends above the worker's own descriptors, so that its redirections cannot overwrite each other.
Ends above_the_workers(const std::array<int, 2>& ends) {
  const Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  return {Descriptor(fcntl(ends[0], F_DUPFD_CLOEXEC, kSocket + 1)),
          Descriptor(fcntl(ends[1], F_DUPFD_CLOEXEC, kSocket + 1))};
}

/// Returns the command of a worker with that plugin. If confined, it may also write to `scratch`.
Command command_of(const std::filesystem::path& program, const std::filesystem::path& plugin,
                   const std::optional<Confinement>& confinement, const std::optional<PrivateFolder>& scratch) {
  Command command{{program.string(), plugin.string()}};
  if (!confinement) return command;
  command.environment = {{"TMPDIR", scratch->path()}};
  command.confinement = *confinement;
  command.confinement->writes.push_back(scratch->path());
  return command;
}

/// Starts the command in a new session without the application's descriptors. Stores its process id in `id`. Returns 0
/// or errno.
int spawn_worker(const Command& command, const Descriptor& socket, const Descriptor& output, pid_t* id) {
  Spawn spawn(Spawn::Group::kSessionOfItsOwn);
  spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawn.redirect(output, STDOUT_FILENO);
  spawn.redirect(output, STDERR_FILENO);
  spawn.redirect(socket, kSocket);
  spawn.close_from(kSocket + 1);
  if (command.confinement) spawn.confine(*command.confinement);
  return spawn.start(id, command.argv[0], command.argv, environment_of(command));
}

/// Returns the name of a signal that ends processes; sig2str of POSIX.1-2024 is not available yet.
const char* signal_name(int signal) {
  struct Named {
    int signal;
    const char* name;
  };
  static constexpr Named kNamed[] = {
      {SIGABRT, "ABRT"}, {SIGALRM, "ALRM"}, {SIGBUS, "BUS"},   {SIGFPE, "FPE"},   {SIGHUP, "HUP"},   {SIGILL, "ILL"},
      {SIGINT, "INT"},   {SIGKILL, "KILL"}, {SIGPIPE, "PIPE"}, {SIGQUIT, "QUIT"}, {SIGSEGV, "SEGV"}, {SIGSYS, "SYS"},
      {SIGTERM, "TERM"}, {SIGTRAP, "TRAP"}, {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}, {SIGXCPU, "XCPU"}, {SIGXFSZ, "XFSZ"}};
  const auto* const found = std::ranges::find(kNamed, signal, &Named::signal);
  return found == std::end(kNamed) ? nullptr : found->name;
}

std::string describe(const siginfo_t& end) {
  if (end.si_code == CLD_EXITED) {
    return "it ended with code " + std::to_string(end.si_status) + " in the middle of the call";
  }
  const char* const name = signal_name(end.si_status);
  return "signal " + std::to_string(end.si_status) + (name == nullptr ? "" : ", SIG" + std::string(name));
}

/// Classifies the end. A process raises some signals by its own actions; others come from outside and may not recur.
WorkerFailure::End end_of(const siginfo_t& end) {
  constexpr std::array kOwn = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGPIPE};
  const bool is_own = end.si_code == CLD_EXITED || std::ranges::find(kOwn, end.si_status) != kOwn.end();
  return is_own ? WorkerFailure::End::kCrashed : WorkerFailure::End::kKilled;
}

/// Waits up to `patience_ms` for the end of `child`, which stays a zombie: its process id is not reused until it is
/// reaped.
std::optional<siginfo_t> wait_for_end(pid_t child, int patience_ms) {
  constexpr int kPauseMs = 2;
  for (int waited = 0;; waited += kPauseMs) {
    siginfo_t end{};
    if (waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == child)
      return end;
    if (waited >= patience_ms) return std::nullopt;
    ::poll(nullptr, 0, kPauseMs);
  }
}

bool is_child(pid_t process) {
  siginfo_t end{};
  return waitid(P_PID, static_cast<id_t>(process), &end, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void reap(pid_t child) {
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void relay(const Frame& frame, const WorkerHost& host) {
  if (frame.parts.size() != 2) return;
  const auto level = read_number(frame.parts[0]);
  if (level) host.log(static_cast<std::int32_t>(*level), frame.parts[1]);
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::filesystem::path& program,
                                                            const std::filesystem::path& plugin,
                                                            const std::optional<Confinement>& confinement) {
  std::optional<PrivateFolder> scratch;
  if (confinement) {
    KMUX_ASSIGN(PrivateFolder made, PrivateFolder::create("kmux-worker"));
    scratch.emplace(std::move(made));
  }
  std::array<int, 2> pair{};
  if (const int error = make_socket_pair(pair); error != 0) return cannot_start(program, error);
  Ends socket = above_the_workers(pair);
  if (const int error = make_pipe(pair); error != 0) return cannot_start(program, error);
  Ends output = above_the_workers(pair);
  for (const Descriptor* end : {&socket.ours, &socket.theirs, &output.ours, &output.theirs})
    if (!end->is_open()) return cannot_start(program, EMFILE);
  fcntl(output.ours.get(), F_SETFL, O_NONBLOCK);
  const Command command = command_of(program, plugin, confinement, scratch);
  pid_t id = -1;
  const int failure = spawn_worker(command, socket.theirs, output.theirs, &id);
  if (failure != 0) return cannot_start(program, failure);
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(id, confinement, std::move(scratch), std::move(socket.ours), std::move(output.ours)));
}

WorkerProcess::WorkerProcess(pid_t id, const std::optional<Confinement>& confinement,
                             std::optional<PrivateFolder> scratch, Descriptor socket, Descriptor output)
    : scratch_(std::move(scratch)),
      confinement_(confinement),
      id_(id),
      owner_(getpid()),
      socket_(std::move(socket)),
      output_(std::move(output)) {}

WorkerProcess::~WorkerProcess() {
  socket_.close();  // the worker ends when its socket is closed
  const bool is_owner = getpid() == owner_;
  if (!reaped_ && is_owner) end(kGraceMs);
  if (scratch_ && !is_owner) scratch_->release();
}

WorkerProcess::Ending WorkerProcess::end(int patience_ms) {
  reaped_ = true;
  // An application that ignores SIGCHLD or waits for any child may have reaped it; its process id may be reused by now.
  if (!is_child(id_)) return {"it ended, and the application has taken its code", WorkerFailure::End::kCrashed};
  const auto end = wait_for_end(id_, patience_ms);
  end_session(id_);
  reap(id_);
  if (end) return {describe(*end), end_of(*end)};
  return {"it closed its socket in the middle of the call", WorkerFailure::End::kCrashed};
}

bool WorkerProcess::is_ready() const {
  if (reaped_ || getpid() != owner_) return false;
  const short gone = hang_up_event();
  pollfd end{socket_.get(), static_cast<short>(POLLIN | gone), 0};
  return ::poll(&end, 1, 0) >= 0 && (end.revents & (POLLHUP | POLLERR | gone)) == 0;
}

std::variant<Frame, WorkerFailure> WorkerProcess::call(std::string_view request, const Deadline& deadline,
                                                       const WorkerHost& host) {
  switch (send_all(socket_.get(), request, deadline)) {
    case Transfer::kTimeUp:
      return time_up();
    case Transfer::kClosed:
      return ended();
    case Transfer::kDone:
      break;
  }
  auto reply = wait_for_reply(deadline, host);
  if (std::holds_alternative<WorkerFailure>(reply)) return reply;
  drain_output();
  if (!written_.empty()) host.log(kInfo, written_);
  written_.clear();
  return reply;
}

Result<std::optional<Frame>> WorkerProcess::next_reply(const WorkerHost& host) {
  for (;;) {
    KMUX_ASSIGN(std::optional<Frame> frame, reader_.next());
    if (!frame || frame->kind == FrameKind::kReply) return frame;
    relay(*frame, host);
  }
}

std::variant<Frame, WorkerFailure> WorkerProcess::wait_for_reply(const Deadline& deadline, const WorkerHost& host) {
  for (;;) {
    auto reply = next_reply(host);
    if (!reply) return failure(WorkerFailure::Kind::kMalformed, reply.error().message);
    if (*reply) return **std::move(reply);
    std::array<pollfd, 2> ends = {pollfd{socket_.get(), POLLIN, 0}, pollfd{output_.get(), POLLIN, 0}};
    ::poll(ends.data(), ends.size(), deadline.poll_ms(kGlanceMs));
    if (ends[1].revents != 0) drain_output();
    if (ends[0].revents != 0 && receive_some(socket_.get(), reader_) == Transfer::kClosed) return ended();
    if (deadline.passed()) return time_up();
    if (host.stopping()) return stopped();
  }
}

void WorkerProcess::drain_output() {
  std::array<char, 16384> buffer;
  while (output_.is_open()) {
    const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
    if (count > 0) {
      written_.append(buffer.data(), static_cast<std::size_t>(count));
      if (written_.size() > kKeptOutput) written_.erase(0, written_.size() - kKeptOutput);
    } else if (count == 0) {
      output_.close();
    } else if (errno != EINTR) {
      return;
    }
  }
}

WorkerFailure WorkerProcess::failure(WorkerFailure::Kind kind, std::string why) {
  drain_output();
  return {kind, std::move(why), written_};
}

WorkerFailure WorkerProcess::ended() {
  Ending ending = end(kGraceMs);
  WorkerFailure ended = failure(WorkerFailure::Kind::kEnded, std::move(ending.why));
  ended.end = ending.end;
  return ended;
}

WorkerFailure WorkerProcess::stopped() {
  end(0);
  return failure(WorkerFailure::Kind::kStopped, "no caller waits for its answer");
}

WorkerFailure WorkerProcess::time_up() {
  end(0);
  return failure(WorkerFailure::Kind::kTimeUp, "");
}

void end_session(pid_t leader) {
  std::set<pid_t> killed = {getpid()};
  if (killed.insert(leader).second) ::kill(leader, SIGKILL);
  // Repeats while new ones appear: a process may have started another during the search.
  for (bool more = true; more;) {
    more = false;
    for (const pid_t member : session_members(leader)) {
      if (!killed.insert(member).second) continue;
      ::kill(member, SIGKILL);
      more = true;
    }
  }
}

}  // namespace kmux
