#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kmux::cpu {

/// Whether code that is loaded from now on is shown to gdb and perf (option "cpu.code_symbols" of the host). Off at first.
void show_code(bool shows);
bool shows_code();

/// A function of loaded code.
struct CodeSymbol {
  std::string name;
  std::uint64_t address;
  std::uint64_t bytes;
};

/// Code in memory, as gdb finds it by its JIT interface: an object file whose sections say where they lie.
///
/// Threads: any.   Lifetime: gdb is told that it is gone by the destructor, which comes before the code is freed.
class ShownCode {
 public:
  /// `object`, an ELF object of 64 bits, of which each section of `sections` has been put at that address.
  ShownCode(std::string object, const std::map<std::string, std::uint64_t>& sections);
  ~ShownCode();
  ShownCode(const ShownCode&) = delete;
  ShownCode& operator=(const ShownCode&) = delete;

 private:
  struct Entry;
  std::unique_ptr<Entry> entry_;
};

/// The file by which perf names the functions of this process: /tmp/perf-PID.map.
///
/// Source: Linux, tools/perf/Documentation/jit-interface.txt.
std::string perf_map();

/// Appends `symbols` to `perf_map`. Writes nothing to a file that is not this user's own.
void add_to_perf_map(const std::vector<CodeSymbol>& symbols);

}  // namespace kmux::cpu
