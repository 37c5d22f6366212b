#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/private_folder.h"

namespace kmux::nvidia {

/// Compilers at work in a folder of their own, which goes away with all that they leave.
class Compilation {
 public:
  /// `backend` is in the name of the folder.   Errors: unavailable if no folder can be made.
  static Result<Compilation> begin(const Host& host, const std::string& backend);

  const PrivateFolder& folder() const { return folder_; }

  /// Runs `program` in the folder, without a shell; its temporary files lie in the folder, too. Gives what it said.
  ///
  /// Errors: compile_failed, "cannot WHAT (the first error)", with notes "log" and "command"; unavailable if the program
  ///         cannot be started, or the process is about to end.
  Result<std::string> run(std::string_view what, const std::string& program, std::vector<std::string> arguments) const;

 private:
  Compilation(Host host, PrivateFolder folder) : host_(host), folder_(std::move(folder)) {}
  Host host_;
  PrivateFolder folder_;
};

}  // namespace kmux::nvidia
