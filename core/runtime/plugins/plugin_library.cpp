#include "plugin_library.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include <boost/dll/shared_library.hpp>

#include "kmux/guarded.h"
#include "kmux/log.h"
#include "kmux/plugin/quoting.h"

#include "base/immortal.h"
#include "plugin_backend.h"
#include "system/host_api.h"

namespace kmux {
namespace {

using Library = boost::dll::shared_library;

/// Libraries that stay open until process exit. Adding one must not allocate, since destructors do it.
struct KeptLibraries {
  std::mutex mutex;
  std::list<Library> all;
};

void keep_open(std::list<Library>& libraries) {
  KeptLibraries& kept = immortal<KeptLibraries>();
  const std::lock_guard lock(kept.mutex);
  kept.all.splice(kept.all.end(), libraries);
}

struct NoMemory {
  Result<ProbeReport> report = out_of_memory();
};

class OpenPlugin final : public PluginLibrary {
 public:
  OpenPlugin(Manifest manifest, std::filesystem::path path, Library library, const kmux_plugin_api& api,
             std::unique_ptr<HostApi> host, void* instance)
      : manifest_(std::move(manifest)),
        path_(std::move(path)),
        api_(api),
        host_(std::move(host)),
        instance_(instance),
        backend_(api, instance, [this](const Options& given) { review_options(given); }) {
    library_.push_back(std::move(library));
  }

  ~OpenPlugin() override {
    api_.destroy(instance_);
    if (!close_) keep_open(library_);
  }

  const Manifest& manifest() const override { return manifest_; }
  const std::filesystem::path& library() const override { return path_; }
  Backend& backend() const override { return backend_; }
  const kmux_plugin_api& api() const override { return api_; }
  const Result<ProbeReport>& probe() const override {
    const std::lock_guard lock(probing_);
    if (report_) return *report_;
    Result<ProbeReport> report = backend_.probe();
    if (!report && report.error().code == ErrorCode::kOutOfMemory)
      return immortal<NoMemory>().report;  // not remembered: memory may be available later
    return report_.emplace(std::move(report));
  }
  void close_when_released() override { close_ = true; }
  void* instance() const override { return instance_; }

 private:
  /// Warns once about environment options that the first build did not look up. Options of the call, `given`, override
  /// the environment; the runtime reads "tier"; options left out of keys are looked up outside of builds.
  void review_options(const Options& given) const {
    if (reviewed_.exchange(true)) return;
    for (const std::string& option : host_->unasked()) {
      const std::string name = option.substr(manifest_.name.size() + 1);
      const bool is_known = given.contains(name) || name == "tier" || manifest_.environment.contains(option) ||
                            std::ranges::find(manifest_.unkeyed, option) != manifest_.unkeyed.end();
      if (is_known) continue;
      log(LogLevel::kWarning, "option \"" + option + "\" is set in the environment, but backend \"" + manifest_.name +
                                  "\" has no such option. Correct its name, or unset the variable.");
    }
  }

  Manifest manifest_;
  std::filesystem::path path_;
  std::list<Library> library_;  // this one
  const kmux_plugin_api& api_;
  std::unique_ptr<HostApi> host_;
  void* instance_;
  mutable PluginBackend backend_;
  mutable std::mutex probing_;
  mutable std::optional<Result<ProbeReport>> report_;
  bool close_ = false;
  mutable std::atomic<bool> reviewed_ = false;
};

/// Returns the manifest's hints for the libraries that the loader's message names.
std::string hints(const Manifest& manifest, std::string_view loader_text) {
  std::string text;
  for (const NeededLibrary& need : manifest.needs) {
    if (loader_text.find(need.library) == std::string_view::npos) continue;
    text += " Install " + need.library + ": " + need.hint + ".";
  }
  return text.empty() ? " Install what is missing, or build the plugin again." : text;
}

Error unusable(const std::filesystem::path& path, const std::string& why, const std::string& advice) {
  return make_error(ErrorCode::kUnavailable, "plugin \"" + path.string() + "\" cannot be used (" + why + ")." + advice);
}

Result<Library> open_library(const Manifest& manifest, const std::filesystem::path& path) {
  try {
    // Now and local: an undefined symbol fails here and not in a call, and no symbol is visible to other libraries.
    return Library(path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  } catch (const std::exception& error) {  // the throwing overload has the loader's message
    return unusable(path, error.what(), hints(manifest, error.what()));
  }
}

Result<const kmux_plugin_api*> query(const Library& library, const std::filesystem::path& path) {
  if (!library.has(KMUX_PLUGIN_QUERY_SYMBOL)) {
    return unusable(path, "it does not export " KMUX_PLUGIN_QUERY_SYMBOL, " It is not a plugin of kmux.");
  }
  const auto query_function = reinterpret_cast<kmux_plugin_query_fn>(dlsym(library.native(), KMUX_PLUGIN_QUERY_SYMBOL));
  ByteSink reason;
  const kmux_plugin_api* api = query_function(KMUX_PLUGIN_ABI_VERSION, reason.get());
  if (api == nullptr) return unusable(path, reason.text().empty() ? "it gave no reason" : reason.text(), "");
  return api;
}

/// Returns the difference between table and manifest, which `auto` chose by; empty if they agree.
std::string contradiction(const kmux_plugin_api& api, const Manifest& manifest) {
  const auto in_table = [](const char* text) { return in_quotes(text == nullptr ? "" : text); };
  if (api.name == nullptr || manifest.name != api.name) {
    return "it calls itself " + in_table(api.name) + ", its manifest " + in_quotes(manifest.name);
  }
  if (api.version == nullptr || manifest.version != api.version) {
    return "its version is " + in_table(api.version) + ", its manifest has " + in_quotes(manifest.version);
  }
  const std::string own = std::to_string(api.devices->device_type);
  const std::string said = std::to_string(manifest.device_types.front());  // never empty
  return own == said ? "" : "its memory is of DLPack device type " + own + ", its manifest's first is " + said;
}

/// The name of a table's function, and true if the table has it.
using Function = std::pair<const char*, bool>;

/// Returns the first missing one of `functions`; empty if none is missing.
std::string first_missing(std::span<const Function> functions) {
  const auto found = std::ranges::find(functions, false, &Function::second);
  return found == functions.end() ? "" : found->first;
}

/// Returns the first required device function that is missing, "devices" if the table is too small, or "".
std::string missing_device_function(const kmux_device_api& api) {
  if (api.struct_size < KMUX_DEVICE_API_LEAST) return "devices";
  const Function functions[] = {
      {"count", api.count != nullptr},
      {"properties", api.properties != nullptr},
      {"allocate", api.allocate != nullptr},
      {"free", api.free != nullptr},
      {"copy", api.copy != nullptr},
      {"memset", api.memset != nullptr},
      {"memory_info", api.memory_info != nullptr},
      {"stream_create", api.stream_create != nullptr},
      {"stream_destroy", api.stream_destroy != nullptr},
      {"stream_synchronize", api.stream_synchronize != nullptr},
      {"event_create", api.event_create != nullptr},
      {"event_destroy", api.event_destroy != nullptr},
      {"event_record", api.event_record != nullptr},
      {"event_elapsed", api.event_elapsed != nullptr},
      {"stream_wait_event", api.stream_wait_event != nullptr},
      {"host_free", api.host_free != nullptr || api.host_allocate == nullptr},
  };
  return first_missing(functions);
}

/// Returns the first required function that is missing; empty if none is missing.
std::string missing_function(const kmux_plugin_api& api) {
  const Function functions[] = {
      {"create", api.create != nullptr},     {"destroy", api.destroy != nullptr},
      {"probe", api.probe != nullptr},       {"resolve_target", api.resolve_target != nullptr},
      {"supports", api.supports != nullptr}, {"toolchain", api.toolchain != nullptr},
      {"wrap", api.wrap != nullptr},         {"build", api.build != nullptr},
      {"load", api.load != nullptr},         {"prepare", api.prepare != nullptr},
      {"launch", api.launch != nullptr},     {"unload", api.unload != nullptr},
      {"devices", api.devices != nullptr},
  };
  const std::string missing = first_missing(functions);
  return missing.empty() ? missing_device_function(*api.devices) : missing;
}

Status check_table(const kmux_plugin_api& api, const Manifest& manifest, const std::filesystem::path& path) {
  const char* const again = " Build or install the plugin for this release.";
  if (api.abi_version > KMUX_PLUGIN_ABI_VERSION) {
    return unusable(path, "its table has version " + std::to_string(api.abi_version), again);
  }
  if (api.struct_size < KMUX_PLUGIN_API_LEAST) {
    return unusable(path, "its table is too small: " + std::to_string(api.struct_size) + " bytes", again);
  }
  if (const std::string missing = missing_function(api); !missing.empty()) {
    return unusable(path, "its table has no function \"" + missing + "\"", again);
  }
  const std::string wrong = contradiction(api, manifest);
  if (!wrong.empty()) return unusable(path, wrong, again);
  return Ok{};
}

}  // namespace

Result<Shared<PluginLibrary>> open_plugin(const Manifest& manifest, const std::filesystem::path& path,
                                          const Options& options) {
  KMUX_ASSIGN(Library library, open_library(manifest, path));
  KMUX_ASSIGN(const kmux_plugin_api* const api, query(library, path));
  KMUX_TRY(check_table(*api, manifest, path));
  auto host = std::make_unique<HostApi>(manifest.name, options);
  void* instance = nullptr;
  KMUX_TRY(call_plugin(api->name, [&](kmux_sink error) { return api->create(host->get(), &instance, error); }));
  return Shared<PluginLibrary>(
      Shared<OpenPlugin>::make(manifest, path, std::move(library), *api, std::move(host), instance));
}

}  // namespace kmux
