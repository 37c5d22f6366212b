#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "kmux/plugin/descriptor.h"

namespace kmux::fresh {

/// A child that compiles on request, see fresh_worker.cpp.
///
/// Lifetime: its destructor ends the child.
class CompilingProcess {
 public:
  CompilingProcess(const std::string& backend, const std::filesystem::path& folder,
                   const std::vector<std::string>& include_dirs);
  ~CompilingProcess();
  CompilingProcess(const CompilingProcess&) = delete;
  CompilingProcess& operator=(const CompilingProcess&) = delete;

  /// Begins to compile, or to call, in a thread of the child, and returns the number of the request.
  int send(std::string_view what, int program, int microseconds);
  /// The answer to a request; "died" or "hangs" if none comes.
  std::string await(int request);
  /// Ends the child as a crash does, whatever it is at.
  void kill();

 private:
  bool read_answers();

  pid_t child_ = -1;
  Descriptor requests_;
  Descriptor answers_;
  std::string unread_;
  std::map<int, std::string> answered_;
  int last_ = 0;
};

}  // namespace kmux::fresh
