#include "kmux/plugin/meta_reader.h"

namespace kmux {

Error incomplete_artifact(std::string_view what, std::string_view backend) {
  return make_error(ErrorCode::kInvalidArgument, "the artifact has no " + std::string(what) + " (backend " +
                                                     std::string(backend) + " did not make it whole). Build it again.");
}

Result<const std::string*> required_part(const Artifact& artifact, std::string_view name, std::string_view backend) {
  if (const std::string* const part = artifact.find(name)) return part;
  return incomplete_artifact("part \"" + std::string(name) + "\"", backend);
}

Result<MetaReader> MetaReader::parse(std::string_view text, std::string backend) {
  KMUX_ASSIGN(Json meta, parse_json(text));
  return MetaReader(std::move(meta), std::move(backend));
}

Error MetaReader::malformed(const std::string& key) const {
  return make_error(ErrorCode::kInvalidArgument, "the artifact's meta.json has no valid \"" + key + "\" (backend " +
                                                     backend_ + "). Build it again.");
}

Status MetaReader::read(const std::string& key, std::string& text) const {
  const Json* value = meta_.find(key);
  if (!value || !value->as_string()) return malformed(key);
  text = *value->as_string();
  return Ok{};
}

Status MetaReader::read(const std::string& key, bool& choice) const {
  const Json* value = meta_.find(key);
  if (!value || !value->as_bool()) return malformed(key);
  choice = *value->as_bool();
  return Ok{};
}

Status MetaReader::read(const std::string& key, std::vector<std::string>& texts) const {
  const Json* value = meta_.find(key);
  if (!value || !value->as_array()) return malformed(key);
  for (const Json& item : *value->as_array()) {
    if (!item.as_string()) return malformed(key);
    texts.push_back(*item.as_string());
  }
  return Ok{};
}

Status MetaReader::read(const std::string& key, std::map<std::string, std::string>& texts) const {
  const Json* value = meta_.find(key);
  if (!value || !value->as_object()) return malformed(key);
  for (const auto& [name, text] : *value->as_object()) {
    if (!text.as_string()) return malformed(key);
    texts.emplace(name, *text.as_string());
  }
  return Ok{};
}

}  // namespace kmux
