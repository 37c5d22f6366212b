#include "meta.h"

#include "kmux/json.h"
#include "kmux/meta_reader.h"

namespace kmux::nvrtc {

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
  KMUX_ASSIGN(const MetaReader json, MetaReader::parse(text, "nvrtc"));
  Meta meta;
  KMUX_TRY(json.read("arch", meta.arch));
  KMUX_TRY(json.read("form", meta.form));
  KMUX_TRY(json.read("compiler", meta.compiler));
  KMUX_TRY(json.read("graph", meta.graph));
  KMUX_TRY(json.read("symbols", meta.symbols));
  KMUX_TRY(json.read("arguments", meta.arguments));
  return meta;
}

}  // namespace kmux::nvrtc
