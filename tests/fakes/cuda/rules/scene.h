#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "driver.h"

namespace kmux::driver_rules {

/// What one rule makes on a driver, with everything released when it ends.
class Scene {
 public:
  explicit Scene(const Driver& driver);
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  /// Ends captures, waits for what the rule's streams have to do, and releases what it made.
  ///
  /// Errors: the first code from 700 to 799, after which the context is of no use; else 0.
  Code end();

  const Driver& cu;

  Handle stream(unsigned flags = kNonBlocking);
  void destroy(Handle stream);
  Handle event();
  /// An own library with the kernel `fill`.
  Handle library();
  Handle kernel_of(Handle library);
  Handle kernel() const { return kernel_; }

  /// Memory from before the rule, zero: nobody has to wait for it.
  Address memory(std::size_t bytes = kBytes);
  /// Memory from the pool, to be freed by the rule or by `end`.
  Code allocate(Address* address, Handle stream, std::size_t bytes = kBytes);
  Code free(Address address, Handle stream);

  /// Writes `value` to the first word when `cycles` have passed.
  Code fill(Handle stream, Address to, unsigned value, std::uint64_t cycles = 0);
  Code fill_slowly(Handle stream, Address to, unsigned value) { return fill(stream, to, value, kSlowCycles); }
  Code fill_by(Handle kernel, Handle stream, Address to, unsigned value, std::uint64_t cycles);
  /// The first word, read on a stream that waits for nothing.
  unsigned read(Address from);
  /// Waits for all streams of the rule, and for the default ones.
  void finish();

  Code begin(Handle stream, int mode);
  /// Ends a capture and keeps its graph to be released.
  Code end_capture(Handle stream, Handle* graph = nullptr);
  int status(Handle stream);
  Code instantiate(Handle* executable, Handle graph, unsigned long long flags = 0);
  /// Calls that end a capture or a graph before the rule does it by itself.
  Code destroy_executable(Handle executable);
  Code unload(Handle library);

  static constexpr std::size_t kBytes = std::size_t{3} << 20;  // so large that the pool has few such blocks
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

/// "alloc 900, end 901"
std::string told(std::initializer_list<std::pair<const char*, long long>> facts);

/// Does `work` on another thread, with the same context current or with none, and waits for it.
void on_other_thread(const Scene& scene, const std::function<void()>& work, bool with_context = true);

}  // namespace kmux::driver_rules
