#include "runtime_cache.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "kmux/log.h"

#include "cache/artifact_cache.h"
#include "remote_settings.h"

namespace kmux {
namespace {

/// Bits by which a unit shifts: "" is bytes, "K" 1024 of them.
std::optional<int> shift_of(std::string_view unit) {
  constexpr std::string_view kUnits = "KMGT";
  if (unit.empty()) return 0;
  const std::size_t index = kUnits.find(unit);
  return unit.size() == 1 && index != std::string_view::npos ? std::optional<int>(10 * (static_cast<int>(index) + 1))
                                                             : std::nullopt;
}

Result<std::uint64_t> parse_bytes(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::optional<int> shift = shift_of({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  if (problem == std::errc() && shift && number <= std::numeric_limits<std::uint64_t>::max() >> *shift) {
    return number << *shift;
  }
  return make_error(ErrorCode::kInvalidArgument, "KMUX_CACHE_MAX_BYTES cannot be \"" + text +
                                                     "\" (it is a number of bytes, with K, M, G or T for 1024 of the "
                                                     "one before). Use one like 4G.");
}

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
    KMUX_ASSIGN(options.max_bytes, parse_bytes(environment.cache_max_bytes));
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
