#include "kmux/plugin/meta_reader.h"

namespace kmux {

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
