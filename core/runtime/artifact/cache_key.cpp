#include "cache_key.h"

#include "kmux/dispatch_json.h"
#include "kmux/plugin/sha256.h"

namespace kmux {
namespace {

constexpr int kSchema = 1;  // raise it when a part gets another meaning

}  // namespace

Json options_json(const Options& options) {
  Json::Object object;
  for (const auto& [name, value] : options) object.emplace(name, value);
  return object;
}

Result<CacheKey> cache_key(const Manifest& plugin, Backend& backend, const BuildRequest& request) {
  KMUX_ASSIGN(std::string toolchain, backend.builder().toolchain(request.target, request.options));
  CacheKey key;
  key.parts = Json::Object{
      {"schema", kSchema},
      {"name", request.program.name},
      {"program", digest(request.program)},
      {"variant", static_cast<std::int64_t>(request.variant)},
      {"target", to_string(request.target)},
      {"options", options_json(request.options)},
      {"plugin", Json::Object{{"name", plugin.name}, {"version", plugin.version}, {"build_id", plugin.build_id}}},
      {"toolchain", std::move(toolchain)},
  };
  key.digest = sha256_hex(dump(key.parts));
  return key;
}

}  // namespace kmux
