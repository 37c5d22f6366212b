#include "kmux/dependencies.h"

#include <algorithm>

#include "kmux/json.h"

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
  const auto list = [](const std::vector<std::string>& paths) { return Json::Array(paths.begin(), paths.end()); };
  Json document = Json::Object{{"absent", list(dependencies.absent)}, {"files", list(dependencies.files)}};
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

}  // namespace kmux
