#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/start_thread.h"

namespace kmux {
namespace {

// Returns a null-terminated array of pointers for execve; `strings` must stay valid.
std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::atomic<bool> children_are_hidden = false;

// If an application ignores SIGCHLD, the exit codes of its children are lost; a handler may reap any child.
bool application_hears_of_children() {
  if (children_are_hidden.load(std::memory_order_relaxed)) return true;
  struct sigaction action{};
  ::sigaction(SIGCHLD, nullptr, &action);
  return action.sa_handler != SIG_DFL || (action.sa_flags & SA_NOCLDWAIT) != 0;
}

}  // namespace

Spawn::Spawn(Group group) : group_(group) {
  const bool has_session = group == Group::kSessionOfItsOwn;
  posix_spawn_file_actions_init(&actions_);
  posix_spawnattr_init(&attributes_);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  has_session ? sigfillset(&defaults) : sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &defaults);
  posix_spawnattr_setpgroup(&attributes_, 0);
  const int apart = has_session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes_, static_cast<short>(apart | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
}

Spawn::~Spawn() {
  posix_spawn_file_actions_destroy(&actions_);
  posix_spawnattr_destroy(&attributes_);
}

void Spawn::redirect(const Descriptor& from, int to) { duplicate(from.get(), to); }

void Spawn::duplicate(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }

void Spawn::open(int to, const std::string& path, int flags, mode_t mode) {
  posix_spawn_file_actions_addopen(&actions_, to, path.c_str(), flags, mode);
}

void Spawn::close_from(int first) { add_close_from(actions_, first); }

void Spawn::work_in(const std::string& folder) { posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()); }

// Children inherit the confinement of their thread from their first instruction, so a thread is started for this
// purpose. If no thread can be started, an intermediate process does it.
int Spawn::start(pid_t* child, const std::string& program, std::vector<std::string> words,
                 std::vector<std::string> variables) const {
  const std::vector<char*> argv = pointers_to(words);
  const std::vector<char*> envp = pointers_to(variables);
  if (confinement_ == nullptr) return start_here(child, program.c_str(), argv.data(), envp.data());
  const PreparedConfinement prepared(*confinement_);
  int failure = EAGAIN;
  auto thread = start_thread([&] {
    prepared.apply();
    failure = start_here(child, program.c_str(), argv.data(), envp.data());
  });
  if (thread) {
    thread->join();
  } else {
    failure = start_kept(child, program.c_str(), argv.data(), envp.data(), &prepared).value_or(EAGAIN);
  }
  if (failure == 0) limit_process(*child, confinement_->is_timed);
  return failure;
}

bool Spawn::hide_children() noexcept { return !children_are_hidden.exchange(true, std::memory_order_relaxed); }

int Spawn::start_here(pid_t* child, const char* program, char* const* argv, char* const* envp) const {
  if (group_ == Group::kOfItsOwn && application_hears_of_children()) {
    if (const std::optional<int> failure = start_kept(child, program, argv, envp)) return *failure;
  }
  return posix_spawn(child, program, &actions_, &attributes_, argv, envp);
}

/// Starts the child below an intermediate process, stored in `child`, whose end only the caller can see and which ends
/// as the child does. Returns nothing if that process cannot be started.
std::optional<int> Spawn::start_kept(pid_t* child, const char* program, char* const* argv, char* const* envp,
                                     const PreparedConfinement* confinement) const {
  std::array<int, 2> ends{};
  if (make_pipe(ends) != 0) return std::nullopt;
  const Descriptor report(ends[0]);
  Descriptor told(ends[1]);
  const pid_t keeper = fork_unheard();
  if (keeper < 0) return std::nullopt;
  if (keeper == 0) {
    if (confinement != nullptr) confinement->apply();
    keep(told.get(), program, argv, envp);
  }
  told.close();
  int failure = EIO;
  while (::read(report.get(), &failure, sizeof failure) < 0 && errno == EINTR) {
  }
  if (failure != 0) ::waitpid(keeper, nullptr, any_child());
  *child = keeper;
  return failure;
}

/// Runs in the intermediate process. Must not allocate: a thread that was not forked may have held a lock.
void Spawn::keep(int told, const char* program, char* const* argv, char* const* envp) const {
  ::signal(SIGCHLD, SIG_DFL);
  ::setpgid(0, 0);
  posix_spawnattr_t attributes = attributes_;
  posix_spawnattr_setpgroup(&attributes, ::getpid());  // a signal to the group reaches both
  pid_t child = 0;
  const int failure = posix_spawn(&child, program, &actions_, &attributes, argv, envp);
  if (failure == 0 && confinement_ != nullptr) limit_process(child, confinement_->is_timed);
  const bool is_told = ::write(told, &failure, sizeof failure) == sizeof failure;
  close_all();  // readers of the child's output wait for its end
  int status = 0;
  while (failure == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::_exit(!is_told ? EXIT_FAILURE : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

}  // namespace kmux
