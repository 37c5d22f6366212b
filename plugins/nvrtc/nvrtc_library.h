#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/dynamic_library.h"

namespace kmux::nvrtc {

/// What kmux needs of NVRTC's interface.
///
/// Source: NVRTC 12.0 to 13.0, nvrtc.h.
// clang-format off
enum class NvrtcResult : int {
  kSuccess = 0, kOutOfMemory = 1, kInvalidOption = 5, kCompilation = 6, kInternalError = 11,
  kNoPchCreateAttempted = 13, kPchHeapExhausted = 14, kPchCreate = 15,
};
// clang-format on
using NvrtcProgram = struct NvrtcProgramState*;

// KMUX_NVRTC_CALL(name in the table, exported symbol, parameters). The second list came with 12.8: null before.
#define KMUX_NVRTC_CALLS(KMUX_NVRTC_CALL)                                                                             \
  KMUX_NVRTC_CALL(version, nvrtcVersion, (int* major, int* minor))                                                    \
  KMUX_NVRTC_CALL(create, nvrtcCreateProgram,                                                                         \
                  (NvrtcProgram * program, const char* text, const char* name, int header_count,                      \
                   const char* const* headers, const char* const* header_names))                                      \
  KMUX_NVRTC_CALL(destroy, nvrtcDestroyProgram, (NvrtcProgram * program))                                             \
  KMUX_NVRTC_CALL(compile, nvrtcCompileProgram, (NvrtcProgram program, int option_count, const char* const* options)) \
  KMUX_NVRTC_CALL(log_size, nvrtcGetProgramLogSize, (NvrtcProgram program, std::size_t* bytes))                       \
  KMUX_NVRTC_CALL(log, nvrtcGetProgramLog, (NvrtcProgram program, char* text))                                        \
  KMUX_NVRTC_CALL(code_size, nvrtcGetCUBINSize, (NvrtcProgram program, std::size_t* bytes))                           \
  KMUX_NVRTC_CALL(code, nvrtcGetCUBIN, (NvrtcProgram program, char* code))                                            \
  KMUX_NVRTC_CALL(ptx_size, nvrtcGetPTXSize, (NvrtcProgram program, std::size_t* bytes))                              \
  KMUX_NVRTC_CALL(ptx, nvrtcGetPTX, (NvrtcProgram program, char* code))                                               \
  KMUX_NVRTC_CALL(add_name, nvrtcAddNameExpression, (NvrtcProgram program, const char* expression))                   \
  KMUX_NVRTC_CALL(lowered_name, nvrtcGetLoweredName,                                                                  \
                  (NvrtcProgram program, const char* expression, const char** symbol))
#define KMUX_NVRTC_PCH_CALLS(KMUX_NVRTC_CALL)                                  \
  KMUX_NVRTC_CALL(set_pch_heap_size, nvrtcSetPCHHeapSize, (std::size_t bytes)) \
  KMUX_NVRTC_CALL(pch_create_status, nvrtcGetPCHCreateStatus, (NvrtcProgram program))

struct NvrtcTable {
  using Program = NvrtcProgram;
  static constexpr std::string_view kPrefix = "nvrtc";
  static constexpr std::string_view kCodeCall = "GetCUBIN";
#define KMUX_NVRTC_CALL(name, symbol, params) NvrtcResult(*name) params = nullptr;
  KMUX_NVRTC_CALLS(KMUX_NVRTC_CALL)
  KMUX_NVRTC_PCH_CALLS(KMUX_NVRTC_CALL)
#undef KMUX_NVRTC_CALL
  const char* (*error_string)(NvrtcResult result) = nullptr;
};

/// NVRTC, opened at run time.
///
/// Threads: any. NVRTC has a lock of its own.
class NvrtcLibrary {
 public:
  /// The library at `path`, opened by the first call and never closed: it keeps threads and headers.
  ///
  /// Errors: unavailable with the loader's text, or the symbol that it lacks.
  static Result<const NvrtcLibrary*> open(const std::string& path);

  const NvrtcTable& calls() const { return table_; }
  int major() const { return major_; }
  int minor() const { return minor_; }
  std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  bool is_at_least(int major, int minor) const { return major_ != major ? major_ > major : minor_ >= minor; }
  /// Can headers be compiled in advance?
  bool has_pch() const { return table_.set_pch_heap_size && table_.pch_create_status; }

  /// compile_failed "nvrtcX failed with 7 NVRTC_ERROR_...".
  Error failure(const std::string& call, NvrtcResult result) const;

 private:
  NvrtcLibrary() = default;
  static Result<const NvrtcLibrary*> open_new(const std::string& path);
  NvrtcTable table_;
  std::vector<DynamicLibrary> libraries_;  // that stay open with it
  int major_ = 0;
  int minor_ = 0;
};

}  // namespace kmux::nvrtc
