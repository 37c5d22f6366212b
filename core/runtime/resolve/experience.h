#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "compile_times.h"
#include "failures.h"

namespace kmux {

/// What a runtime has learned of its backends while it compiled and measured.
///
/// Threads: any.
class Experience {
 public:
  explicit Experience(std::shared_ptr<ArtifactCache> cache) : compile_times(std::move(cache)) {}

  CompileTimes compile_times;
  Failures failures;
  std::mutex measuring;  // held while calls are timed: two measurements at once would measure each other
};

}  // namespace kmux
