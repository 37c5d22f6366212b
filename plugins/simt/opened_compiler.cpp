// The plugin's side of clang_api.h: implements compiler.h by calls of the library.
#include <filesystem>
#include <mutex>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/file_io.h"

#include "simt/compiler_api.h"
#include "simt/frontend/installation.h"

namespace kmux::simt {
namespace {

// Called for each cache key, so the path is computed once.
const std::string& clang_library() {
  static const std::string path = (std::filesystem::path(own_library()).parent_path() / kClangLibrary).string();
  return path;
}

Result<const CompilerApi*> open_clang() {
  if (!is_there(clang_library())) {
    return make_error(ErrorCode::kUnavailable, "\"" + clang_library() +
                                                   "\" is not there, which makes what the cache does not have. Install "
                                                   "kmux again, or fill the cache where it is.");
  }
  // Never closed: LLVM does not support that, least of all while the process ends.
  static auto& library = *new Result<DynamicLibrary>(DynamicLibrary::open({clang_library()}));
  KMUX_TRY(library);
  KMUX_ASSIGN(const auto query, library->function<decltype(kmux_cpu_clang_query)>(kClangQuery));
  const CompilerApi* api = query();
  if (std::string_view(api->version) == KMUX_PLUGIN_VERSION) return api;
  return make_error(ErrorCode::kUnavailable, "\"" + clang_library() + "\" is of version " + api->version +
                                                 " (the cpu plugin is of " KMUX_PLUGIN_VERSION
                                                 "). Install the two together.");
}

const Result<const CompilerApi*>& clang_api() {
  static const Result<const CompilerApi*> api = open_clang();
  return api;
}

}  // namespace

struct Compiler::Impl {
  std::once_flag once;
  Compiler* real = nullptr;

  Result<const CompilerApi*> open() {
    KMUX_ASSIGN(const CompilerApi* const api, clang_api());
    std::call_once(once, [&] { real = api->create(); });
    return api;
  }
  ~Impl() {
    if (real != nullptr) (*clang_api())->destroy(real);
  }
};

Compiler::Compiler() : impl_(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;

Result<CompiledObject> Compiler::compile(const CompileJob& job) {
  KMUX_ASSIGN(const CompilerApi* const api, impl_->open());
  return api->compile(*impl_->real, job);
}

Result<std::vector<std::string>> Compiler::system_folders(const CompileJob& job, Language language) {
  KMUX_ASSIGN(const CompilerApi* const api, impl_->open());
  return api->system_folders(*impl_->real, job, language);
}

Result<SourceFunctions> Compiler::functions(const CompileJob& job) {
  KMUX_ASSIGN(const CompilerApi* const api, impl_->open());
  return api->functions(*impl_->real, job);
}

std::optional<Processor> find_cpu(std::string_view name) {
  const auto& api = clang_api();
  return api ? (*api)->find_cpu(name) : std::nullopt;
}

std::vector<std::string> compiler_libraries() { return {clang_library()}; }

}  // namespace kmux::simt
