#include "process_session.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace kmux {
namespace {

/// The session of a process, or 0 if it has gone. In /proc/PID/stat it is the sixth field, the fourth after the name,
/// which may contain anything.
pid_t session_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string stat;
  std::getline(file, stat, '\0');
  const std::size_t name_end = stat.rfind(')');
  int session = 0;
  if (name_end == std::string::npos) return 0;
  if (std::sscanf(stat.c_str() + name_end + 1, " %*c %*d %*d %d", &session) != 1) return 0;
  return session;
}

std::vector<pid_t> members_of(pid_t session) {
  std::vector<pid_t> members;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos && session_of(entry.path()) == session) {
      members.push_back(static_cast<pid_t>(std::stol(name)));
    }
  }
  return members;
}

}  // namespace

void end_session(pid_t leader) {
  std::set<pid_t> killed = {getpid()};
  if (killed.insert(leader).second) ::kill(leader, SIGKILL);
  // Again while there are new ones: a process may have started another during the search.
  for (bool more = true; more;) {
    more = false;
    for (const pid_t member : members_of(leader)) {
      if (!killed.insert(member).second) continue;
      ::kill(member, SIGKILL);
      more = true;
    }
  }
}

}  // namespace kmux
