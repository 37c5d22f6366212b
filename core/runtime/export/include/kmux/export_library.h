#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/runtime.h"

namespace kmux {

/// What is exported, how, and to where.
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

/// Builds `program` as `build` does, and makes a shared library of it that needs neither kmux nor a compiler nor Python.
/// For a program NAME it exports
///
/// - `__tvm_ffi_NAME`, TVM-FFI's calling convention: all parameters in order, checked as a Kernel checks them;
/// - `int NAME_on_stream(void* stream, const TVMFFIAny* args, int32_t count)`: the same call, in a stream of the device;
/// - `const char* NAME_last_error(void)`: what went wrong in this thread's last call;
/// - `int NAME_prepare(int device)`: what the first call on a device does once;
/// - `void NAME_close(void)`: gives back what it holds; after the last call.
///
/// It links neither libtvm_ffi nor kmux. Where a process has libtvm_ffi, errors are raised through it, and launches go to
/// its current stream.
///
/// Errors: as `build`; unsupported if the backend cannot export; unavailable without a host compiler, with what to install,
///         and where the files cannot be written: nothing is changed then; compile_failed with note "log" if what was
///         printed does not compile, which is a bug; invalid_argument for a missing path or two that are equal.
/// Threads: any.
KMUX_API Result<ExportedLibrary> export_library(Runtime& runtime, const Program& program, const ExportOptions& options);
/// With the default runtime.
KMUX_API Result<ExportedLibrary> export_library(const Program& program, const ExportOptions& options);

}  // namespace kmux
