#include "meta.h"

#include <charconv>

#include "kmux/json.h"
#include "kmux/plugin/meta_reader.h"

namespace kmux::metal {

std::string dump_meta(const Meta& meta) {
  const auto& constants = meta.options.function_constants;
  return dump(Json::Object{{"is_library", meta.is_library},
                           {"fast_math", meta.options.fast_math},
                           {"function_constants", json_list(constants)},
                           {"language_version", std::to_string(meta.options.language_version)}});
}

Result<Meta> parse_meta(std::string_view text) {
  KMUX_ASSIGN(const MetaReader json, MetaReader::parse(text, "metal"));
  Meta meta;
  std::string version;
  KMUX_TRY(json.read("is_library", meta.is_library));
  KMUX_TRY(json.read("fast_math", meta.options.fast_math));
  KMUX_TRY(json.read("function_constants", meta.options.function_constants));
  KMUX_TRY(json.read("language_version", version));
  const char* const end = version.data() + version.size();
  const auto [rest, error] = std::from_chars(version.data(), end, meta.options.language_version);
  if (error == std::errc() && rest == end) return meta;
  return make_error(ErrorCode::kInvalidArgument,
                    "the artifact's meta.json has no number as \"language_version\" (backend metal). Build it again.");
}

}  // namespace kmux::metal
