#include "runtime_cache.h"

#include <optional>

#include "kmux/log.h"

#include "artifact_cache.h"
#include "cache/remote/remote_settings.h"
#include "system/byte_size.h"

namespace kmux {
namespace {

/// Nothing if there is to be none, or none that can be trusted: the log says why.
std::optional<RemoteOptions> remote_options(const Environment& environment) {
  Result<std::optional<RemoteSettings>> settings = read_remote_settings(environment);
  if (!settings) {
    log(LogLevel::kWarning, "there is no remote cache: " + settings.error().message);
    return std::nullopt;
  }
  if (!*settings) return std::nullopt;
  return RemoteOptions{.tier = std::make_shared<RedisTier>((*settings)->redis),
                       .name = to_string((*settings)->redis.address),
                       .secret = std::move((*settings)->secret),
                       .read_only = environment.remote_cache_read_only};
}

}  // namespace

Result<std::shared_ptr<ArtifactCache>> open_cache(const Environment& environment) {
  if (environment.disable_cache || environment.cache_dir.empty()) return std::shared_ptr<ArtifactCache>();
  CacheOptions options{.folder = environment.cache_dir,
                       .read_only = environment.cache_read_only,
                       .lock_folder = environment.cache_lock_dir,
                       .log = [](const std::string& text) { log(LogLevel::kWarning, text); }};
  if (!environment.cache_max_bytes.empty()) {
    KMUX_ASSIGN(options.max_bytes, parse_byte_size("KMUX_CACHE_MAX_BYTES", environment.cache_max_bytes));
  }
  options.remote = remote_options(environment);
  return ArtifactCache::open(std::move(options));
}

std::shared_ptr<ArtifactCache> open_cache_or_warn(const Environment& environment) {
  auto opened = open_cache(environment);
  if (opened) return *std::move(opened);
  log(LogLevel::kWarning, "nothing is cached: " + opened.error().message);
  return nullptr;
}

}  // namespace kmux
