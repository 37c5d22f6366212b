#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "objective_c.h"

namespace kmux::metal {

/// The handler that every command buffer calls when the device is done with it: counts them, and keeps what the first
/// failed one says. It is a block of Objective-C written by hand, since only Apple's compilers make them.
///
/// Threads: any.   Lifetime: to the last command buffer that has it, see `drain`. The block itself stays for good: Metal reads
///          its flags once more when it lets it go, after the handler has returned.
/// Source: "Block Implementation Specification" of Clang: a global block, which is not copied.
class Completion {
 public:
  explicit Completion(const ObjectiveC& objc);
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Adds the handler to a command buffer and commits that.
  void commit(Id command_buffer) noexcept;
  /// What a command buffer failed with since this was last asked.
  std::optional<std::string> take_failure();
  /// Waits until every command buffer is done.
  void drain() const noexcept;

 private:
  struct Descriptor {
    unsigned long reserved;
    unsigned long size;
  };
  static const Descriptor kDescriptor;
  struct Literal {
    void* isa;
    int flags;
    int reserved;
    void (*invoke)(Literal* self, Id command_buffer) noexcept;
    const Descriptor* descriptor;
    Completion* owner;
  };
  static Literal& immortal(const Literal& literal);
  static void done(Literal* self, Id command_buffer) noexcept;
  void finish(Id command_buffer) noexcept;

  const ObjectiveC& objc_;
  Literal& literal_;
  std::atomic<long> pending_{0};
  std::mutex mutex_;
  std::optional<std::string> failure_;
};

}  // namespace kmux::metal
