#include "nvrtc_library.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

namespace kmux::nvrtc {
namespace {

// The largest prelude that was measured, CUTLASS's, needs 286 MiB; address space is all that this takes.
constexpr std::size_t kPchHeapBytes = std::size_t{1} << 30;

template <class Function>
Status find(const DynamicLibrary& library, const char* symbol, Function*& function) {
  KMUX_ASSIGN(function, library.function<Function>(symbol));
  return Ok{};
}

template <class Function>
void find_optional(const DynamicLibrary& library, const char* symbol, Function*& function) {
  if (auto found = library.function<Function>(symbol)) function = *found;
}

// NVRTC asks the loader for its second library by name alone, and the loader does not look into PyPI's folder: one that is
// open already is found. Where it is not beside NVRTC, the first compilation says what is missing.
std::vector<DynamicLibrary> open_builtins(const std::string& path) {
  std::vector<DynamicLibrary> opened;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path(), error)) {
    if (!entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) continue;
    if (auto builtins = DynamicLibrary::open({entry.path().string()})) opened.push_back(*std::move(builtins));
  }
  return opened;
}

}  // namespace

Result<const NvrtcLibrary*> NvrtcLibrary::open(const std::string& path) {
  struct Opened {
    std::mutex mutex;
    std::map<std::string, const NvrtcLibrary*> by_path;
  };
  static Opened& opened = *new Opened;  // outlives every thread
  const std::lock_guard lock(opened.mutex);
  const NvrtcLibrary*& library = opened.by_path[path];
  if (!library) {
    KMUX_ASSIGN(library, open_new(path));
  }
  return library;
}

Result<const NvrtcLibrary*> NvrtcLibrary::open_new(const std::string& path) {
  KMUX_ASSIGN(const DynamicLibrary library, DynamicLibrary::open({path}));
  std::unique_ptr<NvrtcLibrary> made(new NvrtcLibrary);
  made->libraries_ = open_builtins(path);
  made->libraries_.push_back(library);
  NvrtcTable& table = made->table_;
#define KMUX_NVRTC_CALL(name, symbol, params) KMUX_TRY(find(library, #symbol, table.name));
  KMUX_NVRTC_CALLS(KMUX_NVRTC_CALL)
#undef KMUX_NVRTC_CALL
#define KMUX_NVRTC_CALL(name, symbol, params) find_optional(library, #symbol, table.name);
  KMUX_NVRTC_PCH_CALLS(KMUX_NVRTC_CALL)
#undef KMUX_NVRTC_CALL
  KMUX_TRY(find(library, "nvrtcGetErrorString", table.error_string));
  if (const NvrtcResult result = table.version(&made->major_, &made->minor_); result != NvrtcResult::kSuccess) {
    return made->failure("nvrtcVersion", result);
  }
  // Only before the first compilation, and only for headers in advance: without it those are fewer.
  if (made->has_pch() && table.set_pch_heap_size(kPchHeapBytes) != NvrtcResult::kSuccess) {
    table.set_pch_heap_size = nullptr;
  }
  return made.release();
}

Error NvrtcLibrary::failure(const std::string& call, NvrtcResult result) const {
  return make_error(ErrorCode::kCompileFailed, call + " failed with " + std::to_string(static_cast<int>(result)) + " " +
                                                   table_.error_string(result) + " (NVRTC " + version() +
                                                   "). See the log, if there is one, or try backend cuda.");
}

}  // namespace kmux::nvrtc
