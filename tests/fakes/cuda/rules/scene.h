#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "driver.h"

namespace kmux::driver_rules {

/// The objects that one rule creates on a driver. Owns them and releases them when it ends.
class Scene {
 public:
  explicit Scene(const Driver& driver);
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  /// Ends captures, waits for the streams of the rule, and releases its objects.
  ///
  /// Errors: the first code from 700 to 799, after which the context is invalid; else 0.
  Code end();

  const Driver& cu;

  Handle stream(unsigned flags = kNonBlocking);
  void destroy(Handle stream);
  Handle event();
  /// Loads a separate library with the kernel `fill`.
  Handle library();
  Handle kernel_of(Handle library);
  Handle kernel() const { return kernel_; }

  /// Returns zeroed memory from before the rule, usable without waiting.
  Address memory(std::size_t bytes = kBytes);
  /// Allocates memory from the pool. The rule or `end` must free it.
  Code allocate(Address* address, Handle stream, std::size_t bytes = kBytes);
  Code free(Address address, Handle stream);

  /// Writes `value` to the first word after `cycles` have passed.
  Code fill(Handle stream, Address to, unsigned value, std::uint64_t cycles = 0);
  Code fill_slowly(Handle stream, Address to, unsigned value) { return fill(stream, to, value, kSlowCycles); }
  Code fill_by(Handle kernel, Handle stream, Address to, unsigned value, std::uint64_t cycles);
  /// Returns the first word, read on a stream that waits for no other.
  unsigned read(Address from);
  /// Waits for all streams of the rule and for the default streams.
  void finish();

  Code begin(Handle stream, int mode);
  /// Ends a capture and keeps its graph until `end` releases it.
  Code end_capture(Handle stream, Handle* graph = nullptr);
  int status(Handle stream);
  Code instantiate(Handle* executable, Handle graph, unsigned long long flags = 0);
  /// Destroys an object before the end of the rule.
  Code destroy_executable(Handle executable);
  Code unload(Handle library);

  static constexpr std::size_t kBytes = std::size_t{3} << 20;  // so large that the pool has few blocks of this size
  static constexpr std::uint64_t kSlowCycles = 200'000'000;    // about a tenth of a second

 private:
  Handle kernel_ = nullptr;
  Handle reader_ = nullptr;
  std::vector<Handle> streams_;
  std::vector<Handle> events_;
  std::vector<Handle> libraries_;
  std::vector<Handle> graphs_;
  std::vector<Handle> executables_;
  std::vector<Address> blocks_;
};

/// Example: "alloc 900, end 901"
std::string told(std::initializer_list<std::pair<const char*, long long>> facts);

/// Calls `work` on another thread, with the same context current or with none, and waits for it.
void on_other_thread(const Scene& scene, const std::function<void()>& work, bool with_context = true);

}  // namespace kmux::driver_rules
