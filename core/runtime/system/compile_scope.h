#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// The context of the compilation on this thread: admits compilers before they run and records their memory.
///
/// A thread has at most one at a time; a standalone compilation has none.
class CompileScope {
 public:
  using Limit = std::optional<std::chrono::milliseconds>;

  virtual ~CompileScope() = default;

  /// Blocks until `plugin` may compile, in a separate process if `isolated`. The caller must keep the result while it
  /// compiles.
  ///
  /// Errors: cancelled if the compilation was cancelled.
  virtual Result<std::shared_ptr<void>> admit(const std::string& plugin, bool isolated) = 0;

  /// Returns true if the same call compiles other programs, which wait for this one or compile concurrently.
  virtual bool has_neighbours() const = 0;
  /// Returns the time that the compilation has left; nothing if it has no limit.
  virtual Limit time_left() const = 0;
  /// Returns true if the compilation was cancelled. Threads: any.
  virtual bool is_cancelled() const = 0;
  /// Records the peak memory of a worker process.
  ///
  /// Units: bytes.
  virtual void took_memory(std::uint64_t bytes) = 0;
  /// Reports progress of the backend: the completed fraction from 0 to 1 (below 0: unknown) and the current activity.
  /// Threads: any.
  virtual void progress(double /*fraction*/, std::string_view /*phrase*/) noexcept {}

  /// Returns the scope of this thread, or null.
  static CompileScope* current();

  /// Sets the scope of this thread for the lifetime of the object.
  class Entered {
   public:
    explicit Entered(CompileScope& scope);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    CompileScope* outer_;
  };
};

/// Returns the error of a cancelled compilation, which is not evidence about backend or program. `problem` is its first
/// sentence.
Error cancellation(std::string problem);

/// Returns the shorter of `limit` and the time left in this thread's scope.
CompileScope::Limit limit_in_scope(const CompileScope::Limit& limit);

}  // namespace kmux
