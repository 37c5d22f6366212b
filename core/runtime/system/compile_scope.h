#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// What the compilation that this thread does is part of: asked before a compiler runs, told what it took.
///
/// A thread has at most one at a time; a compilation by itself has none.
class CompileScope {
 public:
  using Limit = std::optional<std::chrono::milliseconds>;

  virtual ~CompileScope() = default;

  /// Waits until `plugin` may compile, in a process of its own if `isolated`. What is returned is kept while it does.
  ///
  /// Errors: unavailable if the compilation was cancelled.
  virtual Result<std::shared_ptr<void>> admit(const std::string& plugin, bool isolated) = 0;

  /// Does the same call compile others, which wait for this one, or compile at the same time?
  virtual bool has_neighbours() const = 0;
  /// How long the compilation may still take; nothing if there is no limit.
  virtual Limit time_left() const = 0;
  /// Was the compilation cancelled? Threads: any.
  virtual bool is_cancelled() const = 0;
  /// Units: bytes that a worker process has taken at most.
  virtual void took_memory(std::uint64_t bytes) = 0;
  /// How far the backend says it is: what is done, from 0 to 1 (below 0: not known), and what it does. Threads: any.
  virtual void progress(double /*fraction*/, std::string_view /*phrase*/) noexcept {}

  /// The scope of this thread, or null.
  static CompileScope* current();

  /// Makes a scope that of this thread while the object lives.
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

/// The error of a compilation that was cancelled, which is no evidence about backend or program; `problem` is its first sentence.
Error cancellation(std::string problem);

/// The shorter one of `limit` and what this thread's scope has left.
CompileScope::Limit limit_in_scope(const CompileScope::Limit& limit);

}  // namespace kmux
