#include "kmux/plugin/dependencies.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "kmux/json.h"
#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/printable.h"
#include "kmux/plugin/sha256.h"

#include "base/json_text.h"

namespace kmux {
namespace {

Error malformed() {
  return make_error(ErrorCode::kInvalidArgument,
                    "a list of dependencies does not have the form {\"absent\": [paths], \"files\": [paths]}, sorted "
                    "(\"complete\": false and \"seen\" may stand there, too).");
}

bool is_absolute(const std::string& path) { return path.starts_with('/'); }

Result<std::vector<std::string>> read_paths(const Json& document, std::string_view key) {
  const Json* list = document.find(key);
  if (list == nullptr || list->as_array() == nullptr) return malformed();
  std::vector<std::string> paths;
  for (const Json& path : *list->as_array()) {
    if (path.as_string() == nullptr || !is_absolute(*path.as_string())) return malformed();
    if (!paths.empty() && paths.back() >= *path.as_string()) return malformed();
    paths.push_back(*path.as_string());
  }
  return paths;
}

Result<DependencySight> read_sight(const Json& document, std::size_t files) {
  const Json* const identities = document.find("files");
  if (identities == nullptr || identities->as_array() == nullptr) return malformed();
  DependencySight sight;
  for (const Json& one : *identities->as_array()) {
    std::string_view text = one.as_string() == nullptr ? std::string_view() : *one.as_string();
    const std::optional<FileIdentity> identity = take_file_identity(text);
    if (!identity || !text.empty()) return malformed();
    sight.files.push_back(*identity);
  }
  KMUX_ASSIGN(sight.passed, read_paths(document, "passed"));
  if (sight.files.size() != files || document.as_object()->size() != 2) return malformed();
  return sight;
}

Json json_of(const DependencySight& sight) {
  std::vector<std::string> identities;
  std::ranges::transform(sight.files, std::back_inserter(identities),
                         [](const FileIdentity& one) { return to_text(one); });
  return Json::Object{{"files", json_list(identities)}, {"passed", json_list(sight.passed)}};
}

void add_sorted(std::vector<std::string>& all, const std::vector<std::string>& more) {
  std::vector<std::string> both;
  std::ranges::set_union(all, more, std::back_inserter(both));
  all = std::move(both);
}

using Identities = std::map<std::string, FileIdentity>;

Identities identities_of(const Dependencies& dependencies) {
  Identities identities;
  for (std::size_t i = 0; i < dependencies.files.size(); ++i)
    identities.emplace(dependencies.files[i], dependencies.seen->files[i]);
  return identities;
}

/// Returns false if a file, or a folder in its place, was seen in two states.
bool agree(const Identities& all, const Dependencies& more) {
  return std::ranges::all_of(identities_of(more), [&](const auto& one) {
    const auto known = all.find(one.first);
    return known == all.end() || known->second == one.second;
  });
}

/// Returns the places of `dependencies` that were folders, among those that `other` saw, too.
std::vector<std::string> passed_of_both(const Dependencies& dependencies, const Dependencies& other) {
  std::vector<std::string> passed;
  std::ranges::copy_if(dependencies.seen->passed, std::back_inserter(passed),
                       [&](const std::string& path) { return std::ranges::binary_search(other.absent, path); });
  return passed;
}

/// Merges both sights; clears `complete` if they differ.
DependencySight joined(const Dependencies& one, const Dependencies& other, bool& complete) {
  Identities identities = identities_of(one);
  complete = complete && agree(identities, other) && passed_of_both(one, other) == passed_of_both(other, one);
  identities.merge(identities_of(other));
  DependencySight sight;
  for (const auto& [path, identity] : identities) sight.files.push_back(identity);
  sight.passed = one.seen->passed;
  add_sorted(sight.passed, other.seen->passed);
  return sight;
}

}  // namespace

void add(Dependencies& dependencies, const Dependencies& more) {
  const bool is_first = dependencies == Dependencies{} && !dependencies.seen && !dependencies.tells_places;
  if (is_first) return void(dependencies = more);
  bool complete = dependencies.complete && more.complete;
  std::optional<DependencySight> seen;
  if (dependencies.seen && more.seen) seen = joined(dependencies, more, complete);
  add_sorted(dependencies.files, more.files);
  add_sorted(dependencies.absent, more.absent);
  dependencies.complete = complete;
  dependencies.seen = std::move(seen);
  dependencies.tells_places = dependencies.tells_places || more.tells_places;
}

std::string to_json(const Dependencies& dependencies) {
  Json document = Json::Object{{"absent", json_list(dependencies.absent)}, {"files", json_list(dependencies.files)}};
  if (!dependencies.complete) document["complete"] = false;
  if (dependencies.seen) document["seen"] = json_of(*dependencies.seen);
  return dump(document);
}

Result<Dependencies> dependencies_from_json(std::string_view json) {
  const Result<Json> parsed = read_json(json);
  if (!parsed && as_utf8(json) != json) {  // JSON has no other text
    return make_error(ErrorCode::kInvalidArgument,
                      "a path that the build read is not UTF-8. Give the folder or file another name.");
  }
  KMUX_TRY(parsed);
  const Json& document = *parsed;
  if (document.as_object() == nullptr) return malformed();
  Dependencies dependencies;
  const Json* complete = document.find("complete");
  if (complete != nullptr && *complete != Json(false)) return malformed();
  dependencies.complete = complete == nullptr;
  const Json* const seen = document.find("seen");
  if (seen != nullptr && seen->as_object() == nullptr) return malformed();
  const std::size_t members = 2U + (complete != nullptr ? 1 : 0) + (seen != nullptr ? 1 : 0);
  if (document.as_object()->size() != members) return malformed();
  KMUX_ASSIGN(dependencies.files, read_paths(document, "files"));
  KMUX_ASSIGN(dependencies.absent, read_paths(document, "absent"));
  if (seen != nullptr) {
    KMUX_ASSIGN(dependencies.seen, read_sight(*seen, dependencies.files.size()));
  }
  return dependencies;
}

std::string file_stamp(const Dependencies& dependencies) {
  if (!dependencies.complete) return "";
  const FileTime now = file_time_now();
  std::string text;
  for (const std::string& path : dependencies.files) {
    const FileIdentity file = FileIdentity::of(path);
    if (!file.is_there() || file.changed_ns() >= now) return "";
    text += path + '\n';
    for (const std::uint64_t number : {file.device, file.inode, file.size}) text += std::to_string(number) + ' ';
    text += std::to_string(file.mtime_ns) + ' ' + std::to_string(file.ctime_ns) + '\n';
  }
  for (const std::string& path : dependencies.absent) text += path + '\n';
  return sha256_hex(text);
}

}  // namespace kmux
