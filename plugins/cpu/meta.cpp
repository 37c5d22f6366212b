#include "meta.h"

#include "kmux/json.h"

namespace kmux::cpu {
namespace {

Error malformed(const std::string& key) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the artifact's meta.json has no valid \"" + key + "\" (backend cpu). Build it again.");
}

Json list(const std::vector<std::string>& texts) { return Json::Array(texts.begin(), texts.end()); }

Status read(const Json& meta, const std::string& key, std::string& text) {
  const Json* value = meta.find(key);
  if (!value || !value->as_string()) return malformed(key);
  text = *value->as_string();
  return Ok{};
}

Status read(const Json& meta, const std::string& key, std::vector<std::string>& texts) {
  const Json* value = meta.find(key);
  if (!value || !value->as_array()) return malformed(key);
  for (const Json& item : *value->as_array()) {
    if (!item.as_string()) return malformed(key);
    texts.push_back(*item.as_string());
  }
  return Ok{};
}

}  // namespace

std::string dump_meta(const Meta& meta) {
  return dump(Json::Object{{"engine", meta.engine},
                           {"entry", meta.entry},
                           {"triple", meta.triple},
                           {"cpu", meta.cpu},
                           {"features", list(meta.features)},
                           {"compiler", meta.compiler},
                           {"tier", meta.tier},
                           {"flags", list(meta.flags)}});
}

Result<Meta> parse_meta(std::string_view text) {
  KMUX_ASSIGN(const Json json, parse_json(text));
  if (!json.as_object()) return malformed("engine");
  Meta meta;
  KMUX_TRY(read(json, "engine", meta.engine));
  KMUX_TRY(read(json, "entry", meta.entry));
  KMUX_TRY(read(json, "triple", meta.triple));
  KMUX_TRY(read(json, "cpu", meta.cpu));
  KMUX_TRY(read(json, "features", meta.features));
  KMUX_TRY(read(json, "compiler", meta.compiler));
  KMUX_TRY(read(json, "tier", meta.tier));
  KMUX_TRY(read(json, "flags", meta.flags));
  return meta;
}

}  // namespace kmux::cpu
