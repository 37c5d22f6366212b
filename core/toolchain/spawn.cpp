#include "kmux/plugin/spawn.h"

#include <csignal>

namespace kmux {
namespace {

// The pointers of an array that ends with null, as execve takes it; `strings` stay where they are.
std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Spawn::Spawn(Group group) {
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

void Spawn::close_from(int first) { posix_spawn_file_actions_addclosefrom_np(&actions_, first); }

void Spawn::work_in(const std::string& folder) { posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()); }

int Spawn::start(pid_t* child, const std::string& program, std::vector<std::string> words,
                 std::vector<std::string> variables) const {
  return posix_spawn(child, program.c_str(), &actions_, &attributes_, pointers_to(words).data(),
                     pointers_to(variables).data());
}

}  // namespace kmux
