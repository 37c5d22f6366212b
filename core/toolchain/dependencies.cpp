#include "kmux/plugin/dependencies.h"

#include "kmux/json.h"
#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/sha256.h"

namespace kmux {
namespace {

Error malformed() {
  return make_error(ErrorCode::kInvalidArgument,
                    "a list of dependencies does not have the form {\"absent\": [paths], \"files\": [paths]}, sorted "
                    "(\"complete\": false may stand there, too).");
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

}  // namespace

std::string to_json(const Dependencies& dependencies) {
  Json document = Json::Object{{"absent", json_list(dependencies.absent)}, {"files", json_list(dependencies.files)}};
  if (!dependencies.complete) document["complete"] = false;
  return dump(document);
}

Result<Dependencies> dependencies_from_json(std::string_view json) {
  KMUX_ASSIGN(const Json document, parse_json(json));
  if (document.as_object() == nullptr) return malformed();
  Dependencies dependencies;
  const Json* complete = document.find("complete");
  if (complete != nullptr && *complete != Json(false)) return malformed();
  dependencies.complete = complete == nullptr;
  if (document.as_object()->size() != (dependencies.complete ? 2 : 3)) return malformed();
  KMUX_ASSIGN(dependencies.files, read_paths(document, "files"));
  KMUX_ASSIGN(dependencies.absent, read_paths(document, "absent"));
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
