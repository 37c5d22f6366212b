#include "nvrtc_library.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/file_io.h"

namespace kmux::nvrtc {
namespace {

// The largest measured prelude, CUTLASS's, requires 286 MiB. The heap reserves address space only.
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

// Before 12.3, nvJitLink exports its functions only under the versioned names of its header; all releases of 12 export
// the first version.
template <class Function>
Status find_in_linker(const DynamicLibrary& library, const std::string& symbol, Function*& function) {
  Status found = find(library, symbol.c_str(), function);
  if (!found) find_optional(library, ("__" + symbol + "_12_0").c_str(), function);
  return function ? Status(Ok{}) : found;
}

// NVRTC loads its builtins library by name alone, and the loader does not search PyPI's folder: only an already open
// one is found. If it is not beside NVRTC, the first compilation reports the missing file.
std::vector<DynamicLibrary> open_builtins(const std::string& path) {
  std::vector<DynamicLibrary> opened;
  for (const std::filesystem::path& entry : entries_in(std::filesystem::path(path).parent_path())) {
    if (!entry.filename().string().starts_with("libnvrtc-builtins.so.")) continue;
    if (auto builtins = DynamicLibrary::open({entry.string()})) opened.push_back(*std::move(builtins));
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
  KMUX_NVRTC_LTO_CALLS(KMUX_NVRTC_CALL)
#undef KMUX_NVRTC_CALL
  KMUX_TRY(find(library, "nvrtcGetErrorString", table.error_string));
  if (const NvrtcResult result = table.version(&made->major_, &made->minor_); result != NvrtcResult::kSuccess) {
    return made->failure("nvrtcVersion", result);
  }
  // Must precede the first compilation. Failure only leaves less space for precompiled headers.
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

Result<std::string> JitLinkLibrary::find(const std::string& nvrtc) {
  namespace fs = std::filesystem;
  // PyPI's packages for CUDA 12 have separate folders; otherwise the file is beside NVRTC.
  const fs::path folder = fs::path(nvrtc).parent_path();
  const fs::path folders[] = {folder, folder.parent_path().parent_path() / "nvjitlink" / "lib"};
  for (const fs::path& one : folders) {
    for (const char* name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
      const fs::path file = one / name;
      if (std::error_code error; fs::is_regular_file(file, error)) return file.string();
    }
  }
  return make_error(ErrorCode::kUnavailable,
                    "nvJitLink, which option lto takes, is not there (no libnvJitLink.so.13 or "
                    "libnvJitLink.so.12 in " +
                        folders[0].string() + ", " + folders[1].string() +
                        "). Install the CUDA toolkit, or `pip install nvidia-nvjitlink` beside "
                        "NVRTC.");
}

Result<const JitLinkLibrary*> JitLinkLibrary::open(const std::string& path) {
  static std::mutex& mutex = *new std::mutex;
  static auto& by_path =
      *new std::map<std::string, std::pair<DynamicLibrary, JitLinkLibrary>>;  // outlives every thread
  const std::lock_guard lock(mutex);
  if (const auto known = by_path.find(path); known != by_path.end()) return &known->second.second;
  KMUX_ASSIGN(DynamicLibrary library, DynamicLibrary::open({path}));
  JitLinkLibrary made;
  KMUX_TRY(find_in_linker(library, "nvJitLinkCreate", made.create_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkDestroy", made.destroy_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkAddData", made.add_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkComplete", made.complete_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkGetLinkedCubinSize", made.code_size_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkGetLinkedCubin", made.code_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkGetErrorLogSize", made.error_log_size_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkGetErrorLog", made.error_log_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkGetInfoLogSize", made.info_log_size_));
  KMUX_TRY(find_in_linker(library, "nvJitLinkGetInfoLog", made.info_log_));
  return &by_path.emplace(path, std::pair(std::move(library), made)).first->second.second;
}

// One use of the library. The destructor ends it.
struct JitLinkLibrary::Linking {
  explicit Linking(const JitLinkLibrary& of) : library(of) {}
  Linking(const Linking&) = delete;
  Linking& operator=(const Linking&) = delete;
  ~Linking() {
    if (handle != nullptr) library.destroy_(&handle);
  }

  std::string text(decltype(error_log_size_) size, decltype(error_log_) content) const {
    std::size_t bytes = 0;
    if (handle == nullptr || size(handle, &bytes) != 0) return "";
    std::string text(bytes, '\0');
    if (bytes == 0 || content(handle, text.data()) != 0) return "";
    return text.substr(0, text.find('\0'));
  }

  Error failed(const char* call, int result) const {
    const std::string log = text(library.error_log_size_, library.error_log_);
    return compile_error(
        "cannot link the sources with nvJitLink (" + std::string(call) + " gave " + std::to_string(result) + ")", log);
  }

  const JitLinkLibrary& library;
  Handle handle = nullptr;
};

Result<JitLinkLibrary::Linked> JitLinkLibrary::link(const std::vector<Input>& inputs,
                                                    const std::vector<std::string>& options) const {
  constexpr int kIntermediate = 3;  // NVJITLINK_INPUT_LTOIR
  Linking linking(*this);
  std::vector<const char*> pointers;
  pointers.reserve(options.size());
  for (const std::string& option : options) pointers.push_back(option.c_str());
  int result = create_(&linking.handle, static_cast<std::uint32_t>(pointers.size()), pointers.data());
  if (result != 0) return linking.failed("nvJitLinkCreate", result);
  for (const Input& input : inputs) {
    result = add_(linking.handle, kIntermediate, input.code.data(), input.code.size(), input.name.c_str());
    if (result != 0) return linking.failed("nvJitLinkAddData", result);
  }
  if (result = complete_(linking.handle); result != 0) return linking.failed("nvJitLinkComplete", result);
  std::size_t bytes = 0;
  if (result = code_size_(linking.handle, &bytes); result != 0) {
    return linking.failed("nvJitLinkGetLinkedCubinSize", result);
  }
  Linked linked{std::string(bytes, '\0'), linking.text(info_log_size_, info_log_)};
  result = code_(linking.handle, linked.code.data());
  if (result != 0) return linking.failed("nvJitLinkGetLinkedCubin", result);
  return linked;
}

}  // namespace kmux::nvrtc
