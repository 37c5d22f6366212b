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

/// What comes before every source for the hiprtc of a release: the integers of a size (int32_t, std::uint64_t), which from ROCm 7 on
/// hiprtc has in a namespace of its own alone. Empty before. They are that namespace's types, as HIP's functions take them.
///
/// Source: AMD, "HIP API 7.0 changes", HIPRTC.
std::string integers_for_hiprtc(int release);

/// AMD's compiler in this process, opened at run time. In ROCm 5 it is part of libamdhip64, later a library of its own.
///
/// Threads: any: hiprtc has a lock of its own.
class HiprtcLibrary {
 public:
  /// hiprtc of the runtime that launches would use (`places_of`), or beside it.
  ///
  /// Errors: unavailable with every name that was tried and what to install.
  static Result<HiprtcLibrary> open(const Host& host);

  const HiprtcTable& calls() const { return table_; }
  /// The file that it is in.
  const std::string& path() const { return path_; }
  /// 502 is 5.2; 0: unknown.
  int release() const { return release_; }
  /// "hiprtc of HIP 5.2"
  std::string name() const;
  /// Does it compile for `arch`?
  bool knows(std::string_view arch) const;
  /// compile_failed "hiprtcX failed with 7 (...)".
  Error failure(const std::string& call, int result) const;

 private:
  HiprtcTable table_;
  std::string path_;
  int release_ = 0;
};

}  // namespace kmux::hip
