#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/dynamic_library.h"

namespace kmux::nvrtc {

/// The part of NVRTC's interface that kmux uses.
///
/// Source: NVRTC 12.0 to 13.0, nvrtc.h.
// clang-format off
enum class NvrtcResult : int {
  kSuccess = 0, kOutOfMemory = 1, kInvalidOption = 5, kCompilation = 6, kInternalError = 11,
  kNoPchCreateAttempted = 13, kPchHeapExhausted = 14, kPchCreate = 15,
};
// clang-format on
using NvrtcProgram = struct NvrtcProgramState*;

// KMUX_NVRTC_CALL(name in the table, exported symbol, parameters). The second list is null before NVRTC 12.8. The third
// may be null if NVRTC is part of another library.
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
#define KMUX_NVRTC_LTO_CALLS(KMUX_NVRTC_CALL)                                                       \
  KMUX_NVRTC_CALL(intermediate_size, nvrtcGetLTOIRSize, (NvrtcProgram program, std::size_t* bytes)) \
  KMUX_NVRTC_CALL(intermediate, nvrtcGetLTOIR, (NvrtcProgram program, char* code))

struct NvrtcTable {
  using Program = NvrtcProgram;
  static constexpr std::string_view kPrefix = "nvrtc";
  static constexpr std::string_view kCodeCall = "GetCUBIN";
#define KMUX_NVRTC_CALL(name, symbol, params) NvrtcResult(*name) params = nullptr;
  KMUX_NVRTC_CALLS(KMUX_NVRTC_CALL)
  KMUX_NVRTC_PCH_CALLS(KMUX_NVRTC_CALL)
  KMUX_NVRTC_LTO_CALLS(KMUX_NVRTC_CALL)
#undef KMUX_NVRTC_CALL
  const char* (*error_string)(NvrtcResult result) = nullptr;
};

/// NVRTC, opened at run time.
///
/// Threads: thread-safe; NVRTC locks internally.
class NvrtcLibrary {
 public:
  /// Returns the library at `path`, opened by the first call and never closed: it keeps threads and headers.
  ///
  /// Errors: unavailable with the loader's text, or with the missing symbol.
  static Result<const NvrtcLibrary*> open(const std::string& path);

  const NvrtcTable& calls() const { return table_; }
  int major() const { return major_; }
  int minor() const { return minor_; }
  std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  bool is_at_least(int major, int minor) const { return major_ != major ? major_ > major : minor_ >= minor; }
  /// Returns true if this release can make intermediate code for link-time optimization.
  bool has_lto() const { return table_.intermediate_size && table_.intermediate; }
  /// Returns true if this release can precompile headers.
  bool has_pch() const { return table_.set_pch_heap_size && table_.pch_create_status; }

  /// Returns compile_failed "nvrtcX failed with 7 NVRTC_ERROR_...".
  Error failure(const std::string& call, NvrtcResult result) const;

 private:
  NvrtcLibrary() = default;
  static Result<const NvrtcLibrary*> open_new(const std::string& path);
  NvrtcTable table_;
  std::vector<DynamicLibrary> libraries_;  // NVRTC and its builtins, which stay open
  int major_ = 0;
  int minor_ = 0;
};

/// nvJitLink, opened at run time: it links and optimizes NVRTC's intermediate code.
///
/// Threads: any.   Source: nvJitLink 12.0 to 13.0, nvJitLink.h.
class JitLinkLibrary {
 public:
  /// Returns the file for NVRTC `nvrtc`, of the same toolkit or of PyPI's nvidia-nvjitlink beside it.
  ///
  /// Errors: unavailable that lists the searched folders and the packages to install.
  static Result<std::string> find(const std::string& nvrtc);

  /// Returns the library at `path`, opened by the first call and never closed.
  ///
  /// Errors: unavailable with the loader's text, or with the missing symbol.
  static Result<const JitLinkLibrary*> open(const std::string& path);

  /// Intermediate code of one source.
  struct Input {
    std::string name;  // of the source, for messages
    std::string code;
  };
  struct Linked {
    std::string code;  // a cubin
    std::string log;  // warnings; empty if there are none
  };
  /// Links `inputs` to a cubin.
  ///
  /// Errors: compile_failed with nvJitLink's log as note "log".
  Result<Linked> link(const std::vector<Input>& inputs, const std::vector<std::string>& options) const;

 private:
  using Handle = struct JitLinkState*;
  struct Linking;
  int (*create_)(Handle* handle, std::uint32_t option_count, const char** options) = nullptr;
  int (*destroy_)(Handle* handle) = nullptr;
  int (*add_)(Handle handle, int kind, const void* data, std::size_t bytes, const char* name) = nullptr;
  int (*complete_)(Handle handle) = nullptr;
  int (*code_size_)(Handle handle, std::size_t* bytes) = nullptr;
  int (*code_)(Handle handle, void* code) = nullptr;
  int (*error_log_size_)(Handle handle, std::size_t* bytes) = nullptr;
  int (*error_log_)(Handle handle, char* text) = nullptr;
  int (*info_log_size_)(Handle handle, std::size_t* bytes) = nullptr;
  int (*info_log_)(Handle handle, char* text) = nullptr;
};

}  // namespace kmux::nvrtc
