#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kmux::simt {

/// Sets whether code that is loaded from now on is shown to gdb and perf (option "cpu.code_symbols" of the host). Off
/// initially.
void show_code(bool shows);
bool shows_code();

/// A function of loaded code.
struct CodeSymbol {
  std::string name;
  std::uint64_t address;
  std::uint64_t bytes;
};

/// Code in memory, registered with gdb's JIT interface: an object file whose section headers have the load addresses.
///
/// Threads: any.   Lifetime: the destructor unregisters the code. It must run before the code is freed.
class ShownCode {
 public:
  /// Registers `object`, an ELF object of 64 bits. `sections` has the load addresses of its sections.
  ShownCode(std::string object, const std::map<std::string, std::uint64_t>& sections);
  ~ShownCode();
  ShownCode(const ShownCode&) = delete;
  ShownCode& operator=(const ShownCode&) = delete;

 private:
  struct Entry;
  std::unique_ptr<Entry> entry_;
};

/// Returns the file from which perf reads the names of this process's functions: /tmp/perf-PID.map.
///
/// Source: Linux, tools/perf/Documentation/jit-interface.txt.
std::string perf_map();

/// Appends `symbols` to `perf_map`. Writes nothing to a file that is not owned by this user.
void add_to_perf_map(const std::vector<CodeSymbol>& symbols);

}  // namespace kmux::simt
