#include <algorithm>
#include <string>
#include <vector>

#include "kmux/device.h"
#include "kmux/json.h"
#include "kmux/plugin/confinement.h"
#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "base/text_table.h"
#include "command.h"
#include "style.h"

namespace kmux::cli {
namespace {

struct State {
  std::string word;    // "ready", "builds only", "refused", ...
  std::string reason;
};

/// Opens and probes the plugin, unless it was rejected already.
State state_of(Registry& registry, const PluginEntry& entry) {
  if (!entry.status) return {"refused", entry.status.error().message};
  const auto plugin = registry.plugin(entry.manifest.name);
  if (!plugin) return {"refused", plugin.error().message};
  const auto& report = (*plugin)->probe();
  if (!report) return {"refused", report.error().message};
  if (report->can_run.ok() && report->can_build.ok()) return {"ready", ""};
  if (report->can_run.ok()) return {"runs only", report->can_build.reason};
  if (report->can_build.ok()) return {"builds only", report->can_run.reason};
  return {"not here", report->can_build.reason};
}

Json to_json(const PluginEntry& entry, const State& state) {
  const Manifest& manifest = entry.manifest;
  return Json::Object{{"name", manifest.name},
                      {"version", manifest.version},
                      {"summary", manifest.summary},
                      {"priority", manifest.priority},
                      {"path", entry.path.string()},
                      {"targets", json_list(manifest.targets)},
                      {"dialects", json_list(manifest.dialects)},
                      {"aliases", json_list(manifest.aliases)},
                      {"features", json_list(manifest.features)},
                      {"ignored_keys", json_list(manifest.ignored)},
                      {"state", state.word},
                      {"reason", state.reason}};
}

std::string styled_state(const State& state) {
  return styled(state.word == "ready"     ? Style::kGood
                : state.word == "refused" ? Style::kBad
                                          : Style::kFaint,
                state.word);
}

/// Returns `reason` on one line, without parenthesized parts.
std::string shortened(const std::string& reason) {
  std::string text;
  int depth = 0;
  for (const char letter : reason) {
    if (letter == '(' && depth++ == 0 && text.ends_with(' ')) text.pop_back();
    if (depth == 0) text += letter == '\n' ? ' ' : letter;
    if (letter == ')' && depth > 0) --depth;
  }
  return text;
}

/// The reasons why plugins are not ready, each once with its plugins; complete, or shortened to a line.
class ReasonList {
 public:
  explicit ReasonList(bool is_whole) : is_whole_(is_whole) {}

  void add(const std::string& name, const std::string& reason) {
    const std::string text = is_whole_ ? reason : shortened(reason);
    auto found = std::ranges::find(reasons_, text, &Reason::text);
    if (found == reasons_.end()) found = reasons_.insert(found, {text, {}});
    found->plugins.push_back(name);
    is_shorter_ = is_shorter_ || text != reason;
  }

  /// Adds the manifest keys that this kmux ignores; only in a complete list.
  void add_ignored(const Manifest& manifest) {
    for (const std::string& key : manifest.ignored) {
      if (is_whole_) add(manifest.name, "a key of its manifest is skipped, as this kmux does not know it: " + key);
    }
  }

  std::string to_string() const {
    std::string text;
    for (const Reason& one : reasons_)
      text += (is_whole_ || text.empty() ? "\n" : "") + join(one.plugins) + ": " + one.text + "\n";
    return text + (is_shorter_ ? "(--verbose has the reasons whole)\n" : "");
  }

 private:
  struct Reason {
    std::string text;
    std::vector<std::string> plugins;
  };
  bool is_whole_;
  bool is_shorter_ = false;
  std::vector<Reason> reasons_ = {};
};

Result<Report> run_plugins(const po::variables_map& arguments) {
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  Registry& registry = runtime->registry();
  if (arguments.count("verify") != 0) KMUX_TRY(registry.verify());
  TextTable table({{"PLUGIN"},
                   {"VERSION"},
                   {"PRIORITY", TextTable::Align::kRight},
                   {"TARGETS"},
                   {"DIALECTS"},
                   {"ALIASES"},
                   {"STATE"}});
  Json::Array plugins;
  ReasonList reasons(arguments.count("verbose") != 0);
  for (const PluginEntry& entry : registry.entries()) {
    const State state = state_of(registry, entry);
    const Manifest& manifest = entry.manifest;
    const std::string name = manifest.name.empty() ? entry.path.string() : manifest.name;
    table.add({name, manifest.version.empty() ? "-" : manifest.version, std::to_string(manifest.priority),
               join(manifest.targets, "-"), join(manifest.dialects, "-"), join(manifest.aliases, "-"),
               styled_state(state)});
    if (!state.reason.empty()) reasons.add(name, state.reason);
    reasons.add_ignored(manifest);
    plugins.push_back(to_json(entry, state));
  }
  std::string text = table.to_string() + reasons.to_string();
  if (plugins.empty()) text = "no plugin found. Set KMUX_PLUGIN_PATH to a folder that holds one.\n";
  const std::string held = confinement_here();
  if (arguments.count("verbose") != 0) text += "\ncompilers that are started are held by: " + held + ", limits\n";
  if (arguments.count("verify") != 0) text += "\nevery recorded SHA-256 agrees\n";
  return Report{std::move(text), Json::Object{{"plugins", std::move(plugins)}, {"confinement", held}}};
}

void describe_plugins(po::options_description& options) {
  options.add_options()("verify", "compare each library with the SHA-256 recorded when it was installed");
}

std::string text_of(const Json& properties, std::string_view key) {
  const Json* value = properties.find(key);
  if (value == nullptr) return "-";
  return value->as_string() != nullptr ? *value->as_string() : dump(*value);
}

std::string memory_of(const Json& properties) {
  const Json* bytes = properties.find("memory_bytes");
  if (bytes == nullptr || !bytes->as_number()) return "-";
  return std::to_string(static_cast<std::int64_t>(*bytes->as_number() / (1 << 30))) + " GiB";
}

Result<Report> run_devices(const po::variables_map&) {
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const auto found, devices(*runtime));
  TextTable table({{"DEVICE"}, {"BACKEND"}, {"ARCH"}, {"MEMORY", TextTable::Align::kRight}, {"NAME"}});
  Json::Array list;
  for (const Device& device : found) {
    KMUX_ASSIGN(const Json properties, device.properties());
    table.add({device.to_string(), device.backend(), text_of(properties, "arch"), memory_of(properties),
               text_of(properties, "name")});
    list.emplace_back(
        Json::Object{{"device", device.to_string()}, {"backend", device.backend()}, {"properties", properties}});
  }
  return Report{table.to_string(), Json::Object{{"devices", std::move(list)}}};
}

void describe_devices(po::options_description&) {}

}  // namespace

const Command kPluginsCommand{"plugins",
                              "list the backends, refused ones with the reason",
                              "plugins [--verify]",
                              "  kmux plugins\n  kmux plugins --json\n",
                              {},
                              describe_plugins,
                              run_plugins};

const Command kDevicesCommand{"devices",  "list the devices of all backends that can run here",
                              "devices",  "  kmux devices\n",
                              {},         describe_devices,
                              run_devices};

}  // namespace kmux::cli
