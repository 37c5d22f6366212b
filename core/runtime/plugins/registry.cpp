#include "kmux/registry.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "kmux/guarded.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

#include "plugin_library.h"
#include "plugin_search.h"

namespace kmux {
namespace {

constexpr std::uint64_t kMaxLibraryBytes = std::uint64_t{4} << 30;

Error unknown_plugin(std::string_view name, const std::vector<Manifest>& known) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const Manifest& manifest : known) names.push_back(manifest.name);
  return make_error(ErrorCode::kInvalidArgument, "no plugin \"" + std::string(name) + "\"." +
                                                     did_you_mean(name, names) + " There are: " + join(names, "none") +
                                                     ".");
}

/// Adds the options that `manifest` takes from the environment, unless they are already set.
void add_environment_options(const Manifest& manifest, const std::map<std::string, std::string>& variables,
                             Options& options) {
  for (const auto& [option, names] : manifest.environment) {
    if (options.contains(option)) continue;
    for (const std::string& name : names) {
      const auto found = variables.find(name);
      if (found == variables.end() || found->second.empty()) continue;
      options[option] = found->second;
      break;
    }
  }
}

class SearchedRegistry final : public Registry {
 public:
  explicit SearchedRegistry(const RegistryOptions& options)
      : options_(options.plugin_options), folders_(search_folders(options)), entries_(search_plugins(options)) {
    for (const PluginEntry& entry : entries_) {
      if (!entry.status) continue;
      manifests_.push_back(entry.manifest);
      add_environment_options(entry.manifest, options.variables, options_);
    }
    std::ranges::sort(manifests_, [](const Manifest& a, const Manifest& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.name < b.name;
    });
  }

  std::vector<std::filesystem::path> search_path() const override { return folders_; }
  const std::vector<PluginEntry>& entries() const override { return entries_; }
  Options plugin_options() const override { return options_; }
  const std::vector<Manifest>& manifests() const override { return manifests_; }

  Result<Shared<Plugin>> plugin(std::string_view name) override {
    return guarded([&] { return opened(name); });
  }

  Status unload(std::string_view name) override {
    return guarded_but_callers([&] { return closed(name); });
  }

  Result<Shared<Plugin>> opened(std::string_view name) {
    const PluginEntry* entry = find(name);
    if (entry == nullptr) return unknown_plugin(name, manifests_);
    if (!entry->status) return entry->status.error();
    const std::lock_guard lock(mutex_);
    auto& slot = opened_[entry->manifest.name];
    if (!slot) {
      auto opened = open_checked(*entry);
      if (!opened && may_pass(opened.error())) return std::move(opened).error();
      slot = std::move(opened);
    }
    if (!*slot) return slot->error();
    return Shared<Plugin>(**slot);
  }

  Status closed(std::string_view name) {
    if (find(name) == nullptr) return unknown_plugin(name, manifests_);
    if (listener_) listener_(name);
    const std::lock_guard lock(mutex_);
    const auto found = opened_.find(name);
    if (found == opened_.end() || !found->second) return Ok{};
    if (*found->second) {
      const Shared<PluginLibrary>& library = **found->second;
      if (const long holders = library.use_count() - 1; holders > 0) return still_held(name, holders);
      library->close_when_released();
    }
    opened_.erase(found);
    return Ok{};
  }

  void on_unload(std::function<void(std::string_view)> listener) override { listener_ = std::move(listener); }

  void on_first_use(std::function<Status(const PluginEntry&)> ask) override { ask_ = std::move(ask); }

  Status verify() const override {
    for (const PluginEntry& entry : entries_) {
      if (!entry.status || entry.manifest.sha256.empty()) continue;
      KMUX_ASSIGN(const std::string bytes, read_file(library_of(entry), kMaxLibraryBytes));
      if (sha256_hex(bytes) == entry.manifest.sha256) continue;
      return make_error(ErrorCode::kUnavailable, "\"" + library_of(entry).string() +
                                                     "\" is not the library that was installed (its SHA-256 differs). "
                                                     "Install the plugin again.");
    }
    return Ok{};
  }

 private:
  /// Opens the plugin. Checks the file again, as it may have changed since the search.
  Result<Shared<PluginLibrary>> open_checked(const PluginEntry& entry) const {
    KMUX_TRY(check_library(entry));
    if (ask_) KMUX_TRY(ask_(entry));
    return open_plugin(entry.manifest, library_of(entry), options_);
  }
  /// Returns true if the error is temporary and not the plugin's fault: memory or processes ran out, so it was not
  /// tried.
  static bool may_pass(const Error& error) {
    return error.code == ErrorCode::kOutOfMemory || error.note(kTrialNote) == kNotTried;
  }
  static Error still_held(std::string_view name, long holders) {
    return make_error(ErrorCode::kUnavailable, "plugin \"" + std::string(name) + "\" cannot be unloaded (" +
                                                   std::to_string(holders) +
                                                   " kernels, tensors, streams or devices still hold it). Let go of "
                                                   "them first.");
  }
  /// Returns true if `entry` has that name. The file name stands in for the name of an unreadable manifest.
  static bool is_called(const PluginEntry& entry, std::string_view name) {
    if (!entry.manifest.name.empty()) return entry.manifest.name == name;
    return entry.path.filename() == "kmux_" + std::string(name) + std::string(kManifestSuffix);
  }
  /// Returns the usable entry of that name, else a refused one, else null.
  const PluginEntry* find(std::string_view name) const {
    const PluginEntry* refused = nullptr;
    for (const PluginEntry& entry : entries_) {
      if (!is_called(entry, name)) continue;
      if (entry.status) return &entry;
      refused = &entry;
    }
    return refused;
  }

  Options options_;
  std::vector<std::filesystem::path> folders_;
  std::vector<PluginEntry> entries_;
  std::vector<Manifest> manifests_;
  std::function<void(std::string_view)> listener_;
  std::function<Status(const PluginEntry&)> ask_;
  std::mutex mutex_;
  // Keeps the error of a plugin that could not be opened, so that it is tried once.
  std::map<std::string, std::optional<Result<Shared<PluginLibrary>>>, std::less<>> opened_;
};

}  // namespace

Result<std::unique_ptr<Registry>> Registry::open(const RegistryOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Registry>> {
    return std::unique_ptr<Registry>(std::make_unique<SearchedRegistry>(options));
  });
}

}  // namespace kmux
