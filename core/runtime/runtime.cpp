#include "kmux/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "kmux/guarded.h"
#include "kmux/log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/signal_blocked.h"
#include "kmux/registry.h"
#include "kmux/trace.h"
#include "kmux/version.h"

#include "base/immortal.h"
#include "cache/artifact_cache.h"
#include "cache/runtime_cache.h"
#include "compile/kernel_memo.h"
#include "compile/recorder.h"
#include "isolation/isolated_plugins.h"
#include "plugins/plugin_search.h"
#include "pool/compile_pool.h"
#include "resolve/backend_history.h"
#include "resolve/pinning.h"
#include "resolve/resolve_services.h"
#include "system/background.h"
#include "system/fork_guard.h"
#include "system/runtime_impl.h"
#include "system/trace_log.h"

namespace kmux {
namespace {

// Plugins may keep files there: the folder was checked when the cache was opened.
constexpr const char* kCacheDirOption = "kmux.cache_dir";

RegistryOptions with_cache_dir(RegistryOptions options, const ArtifactCache* cache) {
  options.plugin_options.erase(kCacheDirOption);
  if (cache != nullptr && !cache->why_read_only()) options.plugin_options[kCacheDirOption] = cache->folder().string();
  return options;
}

/// Fills in from the environment the fields that `options` leaves empty.
RegistryOptions with_environment(RegistryOptions options, const Environment& environment) {
  if (options.environment_path.empty()) options.environment_path = environment.plugin_path;
  if (options.variables.empty()) options.variables = environment.variables;
  for (const auto& [name, value] : environment.plugin_options) options.plugin_options.emplace(name, value);
  return options;
}

/// Resolves relative paths from the present working directory, as the process may change it.
Environment anchored(Environment environment) {
  for (auto* path : {&environment.lock_file, &environment.trace_file, &environment.record_dir, &environment.cache_dir,
                     &environment.cache_lock_dir, &environment.remote_cache_key_file})
    *path = absolute_path(*path);
  for (auto* paths : {&environment.cache_read_only, &environment.plugin_path})
    std::ranges::transform(*paths, paths->begin(), absolute_path);
  return environment;
}

void warn_of_environment(const Runtime::Impl& runtime) {
  if (runtime.cache() == nullptr && !runtime.environment().disable_cache && runtime.environment().cache_dir.empty())
    log(LogLevel::kWarning, "nothing is cached: " + std::string(kNoFolder));
  for (const std::string& text : environment_warnings(runtime.environment(), runtime.registry().entries()))
    log(LogLevel::kWarning, text);
}

Result<Shared<Runtime>> make_default_runtime() {
  Environment environment = Environment::from_process();
  if (!environment.trace_file.empty()) start_trace();
  KMUX_ASSIGN(Shared<Runtime> runtime, Runtime::create(std::move(environment), {}));
  if (fork_generation() == 0) warn_of_environment(runtime->impl());  // once, not in every child
  return runtime;
}

/// Returns true for a file that does not begin like a trace, which a mistyped variable may name, and for a pipe, which
/// would block.
bool is_another_kind(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_fifo(path, unknown)) return true;
  std::string head(kTraceHead.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return !head.empty() && head != kTraceHead;
}

// Writes the trace that KMUX_TRACE requests.
void write_trace(const std::filesystem::path& path) {
  if (path.empty()) return;
  if (is_another_kind(path)) {
    log(LogLevel::kWarning,
        "the trace is not written to \"" + path.string() + "\" (it is a file of another kind). Name another file.");
    return;
  }
  const SignalBlocked blocked(SIGXFSZ);
  std::ofstream file(path, std::ios::binary);
  stop_trace().write_to(file);
  file << '\n';
  if (!file.flush())
    log(LogLevel::kWarning, "the trace cannot be written to \"" + path.string() + "\". Name another file.");
}

struct DefaultRuntime {
  std::mutex mutex;
  ForkGuard guard{mutex};
  const Result<Shared<Runtime>>* made = nullptr;
  std::uint64_t generation = 0;  // of the process that made it
};

/// Returns the instance, which is never destroyed: it is used while the process ends.
DefaultRuntime& default_instance() { return immortal<DefaultRuntime>(); }

void end_default_runtime() {
  Shared<Runtime> own;
  {
    const std::lock_guard lock(default_instance().mutex);
    const Result<Shared<Runtime>>* const made = default_instance().made;
    if (default_instance().generation == fork_generation() && made != nullptr && *made) own = **made;
  }
  if (own == nullptr) return;
  const Runtime::Impl& runtime = own->impl();
  write_trace(runtime.environment().trace_file);
  if (runtime.cache()) runtime.cache()->flush();
  runtime.isolated_plugins().end_idle();  // so that no worker outlives this process
}

Result<Shared<Runtime>> find_default_runtime() {
  DefaultRuntime& instance = default_instance();
  const std::lock_guard lock(instance.mutex);
  if (!instance.made || instance.generation != fork_generation()) {
    // Never destroyed: its plugins stay open until the process ends. A forked child needs a new one, as it lacks the
    // threads of the parent's.
    instance.made = new auto(make_default_runtime());
    instance.generation = fork_generation();
    static const int ends_at_exit = std::atexit(end_default_runtime);
    static_cast<void>(ends_at_exit);
  }
  return *instance.made;
}

std::shared_ptr<Recorder> recorder_of(const Environment& environment) {
  if (environment.record_dir.empty()) return nullptr;
  const bool is_known = environment.record_data.empty() || environment.record_data == "full";
  if (!is_known) {
    log(LogLevel::kWarning, "KMUX_RECORD_DATA=\"" + environment.record_data +
                                R"(" is not known, and no bytes are kept (it is "full", or not set).)");
  }
  return std::make_shared<Recorder>(environment.record_dir, environment.record_data == "full");
}

}  // namespace

Runtime::Impl::Impl(Environment environment, std::shared_ptr<ArtifactCache> cache, Shared<Registry> registry)
    : environment_(std::move(environment)),
      cache_(std::move(cache)),
      registry_(std::move(registry)),
      isolated_plugins_(std::make_shared<IsolatedPlugins>(*registry_)),
      kernel_memo_(std::make_shared<KernelMemo>()),
      recorder_(recorder_of(environment_)),
      history_(std::make_shared<BackendHistory>(cache_)),
      lock_files_(std::make_shared<LockFiles>()),
      background_(Background::make()),
      compile_pool_(std::make_shared<CompilePool>(cache_.get(), *isolated_plugins_)),
      fork_generation_(kmux::fork_generation()) {
  show_stage_ranges(environment_);
  registry_->on_first_use(
      [environment = environment_, cache = std::weak_ptr(cache_), &registry = *registry_](const PluginEntry& entry) {
        return admit_plugin(entry, registry.plugin_options(), environment, cache.lock().get());
      });
  registry_->on_unload([memo = std::weak_ptr(kernel_memo_)](std::string_view plugin) {
    if (const auto kernels = memo.lock()) kernels->forget(plugin);
  });
}

// A kernel in a call may still own the background, whose jobs use the other members: stop it first.
Runtime::Impl::~Impl() { background_->stop(); }

ResolveServices Runtime::Impl::resolve_services() const {
  return {*isolated_plugins_, *history_, *lock_files_, cache_.get()};
}

Runtime::Runtime(Shared<Impl> impl) : impl_(std::move(impl)) {}
Runtime::~Runtime() = default;
const Environment& Runtime::environment() const { return impl_->environment(); }
Registry& Runtime::registry() const { return impl_->registry(); }

Status Runtime::check_process() const {
  if (impl_->fork_generation() == fork_generation()) return Ok{};
  return make_error(
      ErrorCode::kUnavailable,
      "this runtime cannot compile (it was made before fork(), its threads are in the parent). Make a new "
      "one in the child, or take the default one.");
}

Shared<Runtime> Runtime::with(Environment given, Shared<Registry> registry) {
  Environment environment = anchored(std::move(given));
  std::shared_ptr<ArtifactCache> cache = open_cache_or_warn(environment);
  return Shared<Runtime>(
      new Runtime(Shared<Impl>::make(std::move(environment), std::move(cache), std::move(registry))));
}

const char* version() { return KMUX_VERSION; }

Result<Shared<Runtime>> Runtime::create(Environment given, const RegistryOptions& registry) {
  return guarded([&]() -> Result<Shared<Runtime>> {
    Environment environment = anchored(std::move(given));
    std::shared_ptr<ArtifactCache> cache = open_cache_or_warn(environment);
    const RegistryOptions options = with_cache_dir(with_environment(registry, environment), cache.get());
    KMUX_ASSIGN(std::unique_ptr<Registry> opened, Registry::open(options));
    return Shared<Runtime>(
        new Runtime(Shared<Impl>::make(std::move(environment), std::move(cache), Shared<Registry>(opened.release()))));
  });
}

Result<Shared<Runtime>> Runtime::default_runtime() { return guarded(find_default_runtime); }

}  // namespace kmux
