#include "meta.h"

#include "kmux/json.h"

namespace kmux::nvrtc {
namespace {

Error malformed(const std::string& key) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the artifact's meta.json has no valid \"" + key + "\" (backend nvrtc). Build it again.");
}

Status read(const Json& meta, const std::string& key, std::string& text) {
  const Json* value = meta.find(key);
  if (!value || !value->as_string()) return malformed(key);
  text = *value->as_string();
  return Ok{};
}

Status read(const Json& meta, const std::string& key, bool& choice) {
  const Json* value = meta.find(key);
  if (!value || !value->as_bool()) return malformed(key);
  choice = *value->as_bool();
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

Status read(const Json& meta, const std::string& key, std::map<std::string, std::string>& texts) {
  const Json* value = meta.find(key);
  if (!value || !value->as_object()) return malformed(key);
  for (const auto& [name, text] : *value->as_object()) {
    if (!text.as_string()) return malformed(key);
    texts.emplace(name, *text.as_string());
  }
  return Ok{};
}

}  // namespace

std::string dump_meta(const Meta& meta) {
  Json::Object symbols;
  for (const auto& [kernel, symbol] : meta.symbols) symbols.emplace(kernel, symbol);
  return dump(Json::Object{{"arch", meta.arch},
                           {"form", meta.form},
                           {"compiler", meta.compiler},
                           {"graph", meta.graph},
                           {"symbols", std::move(symbols)},
                           {"arguments", Json::Array(meta.arguments.begin(), meta.arguments.end())}});
}

Result<Meta> parse_meta(std::string_view text) {
  KMUX_ASSIGN(const Json json, parse_json(text));
  if (!json.as_object()) return malformed("arch");
  Meta meta;
  KMUX_TRY(read(json, "arch", meta.arch));
  KMUX_TRY(read(json, "form", meta.form));
  KMUX_TRY(read(json, "compiler", meta.compiler));
  KMUX_TRY(read(json, "graph", meta.graph));
  KMUX_TRY(read(json, "symbols", meta.symbols));
  KMUX_TRY(read(json, "arguments", meta.arguments));
  return meta;
}

}  // namespace kmux::nvrtc
