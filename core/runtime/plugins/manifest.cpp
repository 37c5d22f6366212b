#include "kmux/manifest.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/suggestion.h"

#include "base/json_text.h"

namespace kmux {
namespace {

constexpr std::uint64_t kMaxManifestBytes = 1 << 20;

/// Reads the members of one object and collects every problem.
class ManifestReader {
 public:
  explicit ManifestReader(const Json::Object& object) : object_(object) {}

  void text(const char* key, std::string& value) {
    if (const Json* json = member(key)) assign(key, json->as_string(), "a string", value);
  }
  template <class Integer>
  void integer(const char* key, Integer& value) {
    if (const Json* json = member(key)) integer(key, *json, value);
  }
  void texts(const char* key, std::vector<std::string>& values) {
    each(key, [&](const Json& item) {
      values.emplace_back();
      assign(key, item.as_string(), "a list of strings", values.back());
    });
  }
  void integers(const char* key, std::vector<std::int32_t>& values) {
    each(key, [&](const Json& item) {
      values.emplace_back();
      integer(key, item, values.back());
    });
  }
  void range(const char* key, std::uint32_t& min, std::uint32_t& max) {
    const Json* json = member(key);
    if (json == nullptr) return;
    if (json->as_object() == nullptr) return complain(key, "an object");
    nested(*json->as_object(), [&](ManifestReader& inner) {
      inner.integer("min", min);
      inner.integer("max", max);
    });
  }
  void needs(const char* key, std::vector<NeededLibrary>& values) {
    each(key, [&](const Json& item) {
      values.emplace_back();
      if (item.as_object() == nullptr) return complain(key, "a list of objects");
      nested(*item.as_object(), [&](ManifestReader& inner) {
        inner.text("library", values.back().library);
        inner.text("hint", values.back().hint);
      });
    });
  }
  void lists(const char* key, std::map<std::string, std::vector<std::string>>& values) {
    const Json* json = member(key);
    if (json == nullptr) return;
    if (json->as_object() == nullptr) return complain(key, "an object");
    nested(*json->as_object(), [&](ManifestReader& inner) {
      for (const auto& [name, list] : inner.object_) inner.texts(name.c_str(), values[name]);
    });
  }

  /// Returns the problems; empty if none.
  const std::string& problems() const { return problems_; }

  /// Returns the unknown keys, each with a suggested spelling.
  std::vector<std::string> unknown() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object_) {
      if (!knows(key)) keys.push_back(in_double_quotes(key) + did_you_mean(key, {known_.begin(), known_.end()}));
    }
    return keys;
  }

  /// Checks the keys that a reader must know. Must be called last, after all known keys have been read.
  void critical(const char* key) {
    std::vector<std::string> needed;
    texts(key, needed);
    for (const std::string& one : needed) {
      if (!knows(one)) problems_ += in_double_quotes(one) + " is critical, and this kmux does not know it. ";
    }
  }

 private:
  bool knows(std::string_view key) const { return std::ranges::find(known_, key) != known_.end(); }
  const Json* member(const char* key) {
    known_.emplace_back(key);
    const auto found = object_.find(std::string_view(key));
    return found == object_.end() ? nullptr : &found->second;
  }
  void complain(const char* key, const char* expected) {
    problems_ += "\"" + std::string(key) + "\" is not " + expected + ". ";
  }
  template <class T>
  void assign(const char* key, const T* value, const char* expected, T& to) {
    value == nullptr ? complain(key, expected) : void(to = *value);
  }
  template <class Integer>
  void integer(const char* key, const Json& json, Integer& value) {
    const std::int64_t* number = json.as_integer();
    if (number == nullptr || !std::in_range<Integer>(*number)) return complain(key, "an integer in range");
    value = static_cast<Integer>(*number);
  }
  template <class Function>
  void each(const char* key, Function function) {
    const Json* json = member(key);
    if (json == nullptr) return;
    if (json->as_array() == nullptr) return complain(key, "a list");
    for (const Json& item : *json->as_array()) function(item);
  }
  template <class Function>
  void nested(const Json::Object& object, Function function) {
    ManifestReader inner(object);
    function(inner);
    problems_ += inner.problems();
  }

  const Json::Object& object_;
  std::vector<std::string_view> known_;
  std::string problems_;
};

std::string missing_parts(const Manifest& manifest) {
  std::string text;
  if (manifest.name.empty()) text += "\"name\" is missing. ";
  if (manifest.version.empty()) text += "\"version\" is missing. ";
  if (manifest.library.empty()) text += "\"library\" is missing. ";
  if (manifest.build_id.empty()) text += "\"build_id\" is missing. ";
  const bool is_folder = manifest.library == "." || manifest.library == "..";
  if (is_folder || manifest.library.find('/') != std::string::npos) text += "\"library\" is not a plain file name. ";
  if (manifest.targets.empty()) text += "\"targets\" is missing. ";
  if (manifest.dialects.empty()) text += "\"dialects\" is missing. ";
  if (manifest.device_types.empty()) text += "\"device_types\" is missing. ";
  return text;
}

std::string wrong_parts(const Manifest& manifest) {
  std::string text;
  const auto check = [&text](const char* key, const std::string& value, const char* known) {
    if (value.empty() || value == known) return;
    text += "\"" + std::string(key) + R"(" is ")" + value + R"(" (there is ")" + known + R"("). )";
  };
  check("parallel", manifest.parallel, kParallelProcess);
  check("background", manifest.background, kBackgroundProcess);
  check("builds", manifest.builds, kConfinedBuilds);
  check("arch_match", manifest.arch_match, kArchMatchSupports);
  const auto check_dialects = [&](const char* key, const std::vector<std::string>& dialects) {
    for (const std::string& dialect : dialects) {
      if (std::ranges::find(manifest.dialects, dialect) != manifest.dialects.end()) continue;
      text += "\"" + std::string(key) + R"(" has ")" + dialect + R"(", which "dialects" lacks. )";
    }
  };
  check_dialects("foreign_dialects", manifest.foreign_dialects);
  check_dialects("ready_dialects", manifest.ready_dialects);
  return text;
}

/// Returns the error of an invalid manifest. Lists of plugins show the first problem in one line, without the others.
Error refuse(const std::filesystem::path& path, std::string problems) {
  problems.resize(problems.find_last_not_of(". ") + 1);
  if (const std::size_t end = problems.find(". "); end != std::string::npos) {
    problems = problems.substr(0, end) + " (and: " + problems.substr(end + 2) + ")";
  }
  return make_error(
      ErrorCode::kInvalidArgument,
      "manifest \"" + path.string() + "\" is not valid: " + problems +
          ". Correct the plugin.json.in that it is made of (docs/plugin-abi.md has the keys), or update kmux.");
}

}  // namespace

Result<Manifest> read_manifest(const std::filesystem::path& path) {
  KMUX_ASSIGN(const std::string text, read_file(path, kMaxManifestBytes));
  const auto json = read_json(text);
  if (!json) return refuse(path, json.error().message);
  if (json->as_object() == nullptr) return refuse(path, "it is not an object");
  Manifest manifest;
  ManifestReader reader(*json->as_object());
  reader.text("name", manifest.name);
  reader.text("version", manifest.version);
  reader.text("summary", manifest.summary);
  reader.text("library", manifest.library);
  reader.range("abi", manifest.abi_min, manifest.abi_max);
  reader.text("build_id", manifest.build_id);
  reader.text("sha256", manifest.sha256);
  reader.integer("priority", manifest.priority);
  reader.texts("targets", manifest.targets);
  reader.texts("architectures", manifest.architectures);
  reader.text("arch_match", manifest.arch_match);
  reader.texts("target_hosts", manifest.target_hosts);
  reader.texts("dialects", manifest.dialects);
  reader.texts("foreign_dialects", manifest.foreign_dialects);
  reader.texts("ready_dialects", manifest.ready_dialects);
  reader.texts("aliases", manifest.aliases);
  reader.texts("features", manifest.features);
  reader.texts("tiers", manifest.tiers);
  reader.integer("compile_ms", manifest.compile_ms);
  reader.text("parallel", manifest.parallel);
  reader.text("background", manifest.background);
  reader.text("builds", manifest.builds);
  reader.integers("device_types", manifest.device_types);
  reader.needs("needs", manifest.needs);
  reader.lists("environment", manifest.environment);
  reader.texts("unkeyed", manifest.unkeyed);
  reader.critical("critical");
  manifest.ignored = reader.unknown();
  const std::string problems = reader.problems() + missing_parts(manifest) + wrong_parts(manifest);
  if (!problems.empty()) return refuse(path, problems);
  return manifest;
}

}  // namespace kmux
