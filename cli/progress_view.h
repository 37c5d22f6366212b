#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/par_compile.h"

namespace kmux::cli {

/// What a user sees while programs are compiled.
class ProgressView {
 public:
  virtual ~ProgressView() = default;
  virtual void show(const CompileProgress& event) = 0;
  /// Takes away what is not meant to stay.
  virtual void end() = 0;
};

/// A bar where stderr is a terminal, else lines on stderr. `names` are what the programs are called, by index.
std::unique_ptr<ProgressView> progress_on_stderr(std::vector<std::string> names);

}  // namespace kmux::cli
