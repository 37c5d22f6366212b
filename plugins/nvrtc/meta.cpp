#include "meta.h"

#include <charconv>

#include "kmux/json.h"
#include "kmux/plugin/meta_reader.h"

namespace kmux::nvrtc {

std::string dump_meta(const Meta& meta) {
  Json::Object symbols;
  for (const auto& [kernel, symbol] : meta.symbols) symbols.emplace(kernel, symbol);
  return dump(Json::Object{{"arch", meta.arch},
                           {"form", meta.form},
                           {"compiler", meta.compiler},
                           {"graph", meta.graph},
                           {"symbols", std::move(symbols)},
                           {"arguments", json_list(meta.arguments)},
                           {"shared_carveout", std::to_string(meta.shared_carveout)}});
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
  std::string carveout;
  KMUX_TRY(json.read("shared_carveout", carveout));
  std::from_chars(carveout.data(), carveout.data() + carveout.size(), meta.shared_carveout);
  return meta;
}

Result<std::vector<std::string>> symbols_of(const std::vector<std::string>& kernels, const Meta& meta) {
  std::vector<std::string> symbols;
  for (const std::string& kernel : kernels) {
    const auto found = meta.symbols.find(kernel);
    if (found == meta.symbols.end()) {
      return make_error(ErrorCode::kInvalidArgument, "the artifact's meta.json has no symbol of kernel \"" + kernel +
                                                         "\" (backend nvrtc). Build it again.");
    }
    symbols.push_back(found->second);
  }
  return symbols;
}

}  // namespace kmux::nvrtc
