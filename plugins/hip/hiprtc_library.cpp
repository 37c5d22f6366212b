#include "hiprtc_library.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <vector>

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/rtc_program.h"
#include "kmux/plugin/word_list.h"

#include "compiler_choice.h"
#include "device.h"

namespace kmux::hip {
namespace {

// Returns true if a library of that name may be of the release of `runtime`. It must be in the same folder or, for a
// runtime without a folder, have the same number.
bool is_beside(const std::string& runtime, const char* name) {
  const std::filesystem::path path(runtime);
  std::error_code error;
  if (path.has_parent_path()) return std::filesystem::exists(path.parent_path() / name, error);
  return path.extension() == std::filesystem::path(name).extension();
}

// Returns the candidates for hiprtc, which must be of the runtime's release: beside the runtime or, in ROCm 5 and in
// stand-ins for ROCm, part of it.
std::vector<std::string> candidates(const HipPlaces& places) {
  const bool is_named = !places.library.empty();
  std::vector<std::string> names;
  for (const std::string& runtime : hip_candidates(places)) {
    const std::filesystem::path folder = std::filesystem::path(runtime).parent_path();
    if (is_named) names.push_back(runtime);
    for (const char* name : {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5"}) {
      if (is_named || is_beside(runtime, name)) names.push_back((folder / name).string());
    }
    if (!is_named) names.push_back(runtime);
  }
  return names;
}

// Returns the first library with hiprtc. It is never closed: the compiler keeps threads and caches.
void* open_with_compiler(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    if (dlsym(handle, "hiprtcCreateProgram") != nullptr) return handle;
    dlclose(handle);
  }
  return nullptr;
}

// Returns the release of the runtime in the same library; for a separate library, the number in its name.
int release_of(void* handle, const std::string& path) {
  using Version = int(int*);
  int version = 0;
  if (auto* const read = reinterpret_cast<Version*>(dlsym(handle, "hipRuntimeGetVersion"))) {
    const HipCall<int(int*)> call(read, reinterpret_cast<int (*)()>(dlsym(handle, "hipGetLastError")));
    if (call(&version) == kHipSuccess && version > 0) return version / 10'000'000 * 100 + version / 100'000 % 100;
  }
  const std::string name = std::filesystem::path(path).filename().string();
  const std::size_t digit = name.find_first_of("0123456789", std::min(name.find(".so"), name.size()));
  return digit == name.npos ? 0 : (name[digit] - '0') * 100;
}

}  // namespace

Result<HiprtcLibrary> HiprtcLibrary::open(const Host& host) {
  const std::vector<std::string> names = candidates(places_of(host));
  void* const handle = open_with_compiler(names);
  if (handle == nullptr) {
    return make_error(ErrorCode::kUnavailable,
                      "hiprtc is not there (tried " + join(names) +
                          "). Install ROCm, on Debian by apt-get install libamdhip64-5 libhiprtc-builtins5, or set "
                          "KMUX_HIP_LIBRARY to its libamdhip64.so.");
  }
  HiprtcLibrary library;
#define KMUX_CALL(name, symbol, params) library.table_.name = reinterpret_cast<int(*) params>(dlsym(handle, #symbol));
  KMUX_HIPRTC_CALLS(KMUX_CALL)
#undef KMUX_CALL
  library.table_.error_string = reinterpret_cast<const char* (*)(int)>(dlsym(handle, "hiprtcGetErrorString"));
  Dl_info info{};
  const bool is_found = dladdr(reinterpret_cast<void*>(library.table_.create), &info) != 0 && info.dli_fname;
  library.path_ = is_found ? info.dli_fname : names.front();
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(library.path_, error);
  if (!error) library.path_ = real.string();  // the resolved name has the version
  library.release_ = release_of(handle, library.path_);
  return library;
}

std::string HiprtcLibrary::name() const {
  if (release_ == 0) return "hiprtc";
  return "hiprtc of HIP " + std::to_string(release_ / 100) + "." + std::to_string(release_ % 100);
}

Error HiprtcLibrary::failure(const std::string& call, int result) const {
  const char* const text = table_.error_string ? table_.error_string(result) : "unknown";
  return make_error(ErrorCode::kCompileFailed, call + " failed with " + std::to_string(result) + " (" + text + "; " +
                                                   name() + "). Correct the sources, or use option engine \"clang\".");
}

bool HiprtcLibrary::knows(std::string_view arch) const {
  return !is_generic(arch) && (release_ == 0 || release_ >= 600 || is_known_to_rocm5(arch));
}

// If the release is unknown, the macro decides.
std::string integers_for_hiprtc(int release) {
  if (release != 0 && release < 700) return "";
  const std::string condition = release == 0 ? "HIP_VERSION_MAJOR >= 7" : "1";
  return "#if " + condition + R"(
using __hip_internal::int8_t; using __hip_internal::int16_t; using __hip_internal::int32_t; using __hip_internal::int64_t;
using __hip_internal::uint8_t; using __hip_internal::uint16_t; using __hip_internal::uint32_t;
using __hip_internal::uint64_t;
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
}
#endif
)";
}

namespace {

// Returns the source with includes of the preludes: hiprtc has no option for them.
std::string text_of(const SourceUnit& unit, int release) {
  std::string text = integers_for_hiprtc(release);
  for (const std::string& prelude : unit.preludes) text += "#include \"" + prelude + "\"\n";
  return text + "#line 1 \"" + unit.path + "\"\n" + unit.text;
}

std::vector<std::string> arguments_of(const Settings& settings, const BuildOptions& options, std::string_view arch) {
  std::vector<std::string> arguments = {"--offload-arch=" + std::string(arch), "-O3"};
  add_standard(arguments, settings, options.compile_flags);
  // hiprtc contracts products and sums by default, and HIP 5.2 rejects the flag that engine clang requires for that.
  if (options.fast_math || settings.fast_math) arguments.emplace_back("-fapprox-func");
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  return arguments;
}

Error compile_failure(const HiprtcLibrary& library, const SourceUnit& unit, int result, const std::string& log) {
  if (result == kHiprtcCompilationError) return compile_error("cannot compile \"" + unit.path + "\"", log);
  return library.failure("hiprtcCompileProgram", result).with("log", log);
}

}  // namespace

Result<Compiled> compile_with_hiprtc(const HiprtcLibrary& library, const SourceUnit& unit, const Settings& settings,
                                     const BuildOptions& options, std::string_view arch,
                                     const std::vector<std::string>& asked) {
  std::vector<std::string> names = asked;
  for (std::string& name : names) {
    if (split_kernel_name(name).parameters) name = kernel_address(name);
  }
  RtcProgram program(library);
  Compiled compiled{.code = {}, .compiler = library.name(), .arguments = arguments_of(settings, options, arch)};
  KMUX_TRY(
      program.create(text_of(unit, library.release()), SourceUnit{unit.path, {}, {}, files_for_hiprtc(unit, options)}));
  KMUX_TRY(program.add_names(names));
  const int result = program.compile(compiled.arguments);
  KMUX_ASSIGN(compiled.log, program.log());
  if (result != 0) return compile_failure(library, unit, result, compiled.log);
  KMUX_ASSIGN(compiled.symbols, program.symbols(names));
  KMUX_ASSIGN(compiled.code, program.code());
  return compiled;
}

}  // namespace kmux::hip
