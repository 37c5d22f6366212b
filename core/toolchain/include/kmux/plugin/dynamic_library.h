#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/descriptor.h"

namespace kmux {

/// A driver or another shared library, opened at run time (`now`, `local`).
///
/// Threads: any.   Lifetime: closed with the last copy.
class DynamicLibrary {
 public:
  /// Opens the first of `names` that loads.
  ///
  /// Errors: unavailable that lists every name with the loader's own text.
  static Result<DynamicLibrary> open(const std::vector<std::string>& names);

  /// The address of `name`.
  ///
  /// Errors: unavailable that names the symbol and the library.
  Result<void*> symbol(const std::string& name) const;

  /// As `symbol`, typed: `auto init = library.function<int(unsigned)>("cuInit")`.
  template <class Signature>
  Result<Signature*> function(const std::string& name) const {
    KMUX_ASSIGN(void* address, symbol(name));
    return reinterpret_cast<Signature*>(address);
  }

  /// The one of the names given to `open` that loaded.
  const std::string& name() const { return name_; }

 private:
  DynamicLibrary(std::shared_ptr<void> handle, std::string name) : handle_(std::move(handle)), name_(std::move(name)) {}
  std::shared_ptr<void> handle_;
  std::string name_;
};

/// A shared library of this process whose file is in memory: an instance of its own, even of equal bytes.
///
/// Threads: any.   Lifetime: closed with the object. What the dynamic linker does not unload then (a library with symbols
///          that are unique in the process, or with destructors of threads to run) is never taken for a later one.
class MemoryLibrary {
 public:
  /// `what` it is in a word, for the message and for /proc/PID/maps: "kernel" is "memfd:kmux-kernel" there.
  ///
  /// Errors: unavailable with the loader's own text.
  static Result<MemoryLibrary> open(std::string_view bytes, const std::string& what);

  /// The address of `name`, or null.
  void* symbol(const std::string& name) const;

 private:
  struct Closing {
    void operator()(void* handle) const;
  };
  MemoryLibrary(Descriptor file, void* handle) : file_(std::move(file)), handle_(handle) {}
  Descriptor file_;  // open as long as the library, so that no other one has its number
  std::unique_ptr<void, Closing> handle_;
};

/// What identifies the build of a shared library, as hex digits, read from its file without loading it: the GNU build-id in an ELF
/// file's notes, the UUID of a Mach-O file; of a fat file that of its part for this processor. Empty if it has none.
///
/// Errors: invalid_argument if the file is neither (64 bits, least byte first), has no part for this processor or is damaged; unavailable
///         if it cannot be read.
/// Source: System V ABI, chapters 4 and 5 (ELF-64), and NT_GNU_BUILD_ID; LC_UUID of Darwin's <mach-o/loader.h>, and <mach-o/fat.h>.
Result<std::string> read_build_id(const std::filesystem::path& library);

/// The folders of Python packages that a plugin may take libraries from: those of the virtual environment `venv`
/// (lib/python3.11/site-packages), if it is not empty, then the folder of packages that the file with `own_code` is installed
/// in, if it is. Python is not started.
std::vector<std::string> python_packages(const std::string& venv, const void* own_code);

}  // namespace kmux
