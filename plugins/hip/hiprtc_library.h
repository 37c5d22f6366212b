#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "kmux/plugin/plugin.hpp"

namespace kmux::hip {

using HiprtcProgram = struct HiprtcProgramState*;

inline constexpr int kHiprtcCompilationError = 6;  // HIPRTC_ERROR_COMPILATION

// X(name in the table, symbol, parameters). Source: ROCm 5.2.3 and 6.0, hiprtc.h.
#define KMUX_HIPRTC_CALLS(X)                                                                       \
  X(create, hiprtcCreateProgram,                                                                   \
    (HiprtcProgram * program, const char* text, const char* name, int count, const char** headers, \
     const char** header_names))                                                                   \
  X(destroy, hiprtcDestroyProgram, (HiprtcProgram * program))                                      \
  X(compile, hiprtcCompileProgram, (HiprtcProgram program, int count, const char** options))       \
  X(log_size, hiprtcGetProgramLogSize, (HiprtcProgram program, std::size_t* bytes))                \
  X(log, hiprtcGetProgramLog, (HiprtcProgram program, char* text))                                 \
  X(code_size, hiprtcGetCodeSize, (HiprtcProgram program, std::size_t* bytes))                     \
  X(code, hiprtcGetCode, (HiprtcProgram program, char* code))                                      \
  X(add_name, hiprtcAddNameExpression, (HiprtcProgram program, const char* expression))            \
  X(lowered_name, hiprtcGetLoweredName, (HiprtcProgram program, const char* expression, const char** symbol))

struct HiprtcTable {
  using Program = HiprtcProgram;
  static constexpr std::string_view kPrefix = "hiprtc";
  static constexpr std::string_view kCodeCall = "GetCode";
#define KMUX_CALL(name, symbol, params) int(*name) params = nullptr;
  KMUX_HIPRTC_CALLS(KMUX_CALL)
#undef KMUX_CALL
  const char* (*error_string)(int result) = nullptr;
};

/// Returns the text before every source for the hiprtc of a release: the fixed-size integers (int32_t, std::uint64_t).
/// From ROCm 7 on, hiprtc has them only in its own namespace. The text aliases that namespace's types, which HIP's
/// functions take. It is empty for earlier releases.
///
/// Source: AMD, "HIP API 7.0 changes", HIPRTC.
std::string integers_for_hiprtc(int release);

/// AMD's compiler in this process, opened at run time. In ROCm 5 it is part of libamdhip64, later a separate library.
///
/// Threads: thread-safe; hiprtc locks internally.
class HiprtcLibrary {
 public:
  /// Opens the hiprtc of the runtime that launches use (`places_of`), or beside it. Never closes it.
  ///
  /// Errors: unavailable that lists every tried name and the packages to install.
  static Result<HiprtcLibrary> open(const Host& host);

  const HiprtcTable& calls() const { return table_; }
  /// Returns the library's file, with links resolved.
  const std::string& path() const { return path_; }
  /// Returns the release, 502 for 5.2; 0 if unknown.
  int release() const { return release_; }
  /// Returns a name for messages, for example "hiprtc of HIP 5.2".
  std::string name() const;
  /// Returns true if it can compile for `arch`.
  bool knows(std::string_view arch) const;
  /// Returns compile_failed "hiprtcX failed with 7 (...)".
  Error failure(const std::string& call, int result) const;

 private:
  HiprtcTable table_;
  std::string path_;
  int release_ = 0;
};

}  // namespace kmux::hip
