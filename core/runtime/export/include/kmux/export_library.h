#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/runtime.h"

namespace kmux {

/// The options of an export: how to compile, and the paths to write.
struct ExportOptions {
  CompileOptions compile = {};     // `execution_backend` is exact, as everywhere
  std::string library = {};        // the path of the shared library
  std::string header = {};         // the path of a C header for it; empty: none
  std::string host_compiler = {};  // a name or a path; empty: the first of c++, g++, clang++ in PATH
};

/// A library that runs a program without kmux.
struct ExportedLibrary {
  std::string library;  // path that was written
  std::string header;  // path that was written, or empty
  std::string backend;  // whose launcher is inside
  Target target;  // of the device code
  std::size_t bytes = 0;             // of the library
  std::vector<std::string> symbols;  // that it exports, in order
  bool from_cache = false;           // the program had been built before
  Resolution resolution = {};        // why this backend
};

/// Builds `program` as `build` does and links a shared library that needs neither kmux nor a compiler nor Python.
/// For a program NAME it exports
///
/// - `__tvm_ffi_NAME`, TVM-FFI's calling convention: all parameters in order, checked as a Kernel checks them;
/// - `int NAME_on_stream(void* stream, const TVMFFIAny* args, int32_t count)`: the same call, in a stream of the device;
/// - `const char* NAME_last_error(void)`: the error text of this thread's last failed call;
/// - `int NAME_prepare(int device)`: the one-time work of the first call on a device;
/// - `void NAME_close(void)`: releases the library's resources; must come after the last call.
///
/// The library links neither libtvm_ffi nor kmux. In a process that has libtvm_ffi, errors are raised through it, and
/// launches go to its current stream.
///
/// Errors: as `build`; unsupported if the backend cannot export; unavailable without a host compiler, with advice to
///         install one, or if the files cannot be written, which leaves both unchanged; compile_failed with note "log"
///         if the printed code does not compile, which is a bug; invalid_argument if a path is missing or both are
///         equal.
/// Threads: any.
KMUX_API Result<ExportedLibrary> export_library(Runtime& runtime, const Program& program, const ExportOptions& options);
/// As above, with the default runtime.
KMUX_API Result<ExportedLibrary> export_library(const Program& program, const ExportOptions& options);

}  // namespace kmux
