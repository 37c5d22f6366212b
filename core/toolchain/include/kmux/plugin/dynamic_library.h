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
/// Threads: thread-safe.   Lifetime: closed with the last copy.
class DynamicLibrary {
 public:
  /// Opens the first of `names` that loads.
  ///
  /// Errors: unavailable that lists each name with the loader's message.
  static Result<DynamicLibrary> open(const std::vector<std::string>& names);

  /// Returns the address of `name`.
  ///
  /// Errors: unavailable that names the symbol and the library.
  Result<void*> symbol(const std::string& name) const;

  /// Like `symbol`, but typed. Example: `auto init = library.function<int(unsigned)>("cuInit")`.
  template <class Signature>
  Result<Signature*> function(const std::string& name) const {
    KMUX_ASSIGN(void* address, symbol(name));
    return reinterpret_cast<Signature*>(address);
  }

  /// Returns the name given to `open` that loaded.
  const std::string& name() const { return name_; }

 private:
  DynamicLibrary(std::shared_ptr<void> handle, std::string name) : handle_(std::move(handle)), name_(std::move(name)) {}
  std::shared_ptr<void> handle_;
  std::string name_;
};

/// A shared library loaded from memory. Each object is a separate instance, even of equal bytes.
///
/// Threads: thread-safe.   Lifetime: owns the library; closed with the object. A library that the dynamic linker does
///          not unload (process-unique symbols, pending thread destructors) is never reused for a later one.
class MemoryLibrary {
 public:
  /// Loads the library. `what` is a one-word name for messages and /proc/PID/maps: "kernel" becomes
  /// "memfd:kmux-kernel".
  ///
  /// Errors: unavailable with the loader's message.
  static Result<MemoryLibrary> open(std::string_view bytes, const std::string& what);

  /// Returns the address of `name`, or null.
  void* symbol(const std::string& name) const;

 private:
  struct Closing {
    void operator()(void* handle) const;
  };
  MemoryLibrary(Descriptor file, void* handle) : file_(std::move(file)), handle_(handle) {}
  Descriptor file_;  // open as long as the library, so that its number is not reused
  std::unique_ptr<void, Closing> handle_;
};

/// Returns the build identity of a shared library as hex digits, read from its file without loading it: the GNU
/// build-id in the notes of an ELF file, or the UUID of a Mach-O file; in a fat file that of this processor's part.
/// Empty if it has none.
///
/// Errors: invalid_argument if the file is neither (64 bits, little-endian), has no part for this processor or is
/// damaged; unavailable if it cannot be read.
/// Source: System V ABI, chapters 4 and 5 (ELF-64), and NT_GNU_BUILD_ID; LC_UUID of Darwin's <mach-o/loader.h>, and <mach-o/fat.h>.
Result<std::string> read_build_id(const std::filesystem::path& library);

/// Returns the folders of Python packages in which a plugin may look for libraries: those of the virtual environment
/// `venv` (lib/python3.11/site-packages) unless empty, then the package folder that contains the file of `own_code`, if
/// any. Does not start Python.
std::vector<std::string> python_packages(const std::string& venv, const void* own_code);

}  // namespace kmux
