#include "remote_settings.h"

#include <charconv>

#include "remote_secret.h"

namespace kmux {
namespace {

/// The number of `variable`, from 1 to `most`.
Result<std::int64_t> read_number(const char* variable, const std::string& text, std::int64_t most, const char* what) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size() && number >= 1 && number <= most) return number;
  return make_error(ErrorCode::kInvalidArgument, std::string(variable) + " cannot be \"" + text + "\" (it is " + what +
                                                     ", from 1 to " + std::to_string(most) + "). Give such a number.");
}

Error without_a_key() {
  return make_error(
      ErrorCode::kInvalidArgument,
      "KMUX_REMOTE_CACHE: the remote cache has no key (KMUX_REMOTE_CACHE_KEY_FILE is not set, and without a "
      "key whoever can write to the server can have any code run here). Set it to a file with the fleet's "
      "key, see docs/fleet.md, or add ?unsealed=1 to the URL where everybody who reaches the server may do "
      "that.");
}

}  // namespace

Result<std::optional<RemoteSettings>> read_remote_settings(const Environment& environment) {
  if (environment.remote_cache.empty()) return std::optional<RemoteSettings>();
  RemoteSettings settings;
  auto address = parse_remote_address(environment.remote_cache);
  if (!address) {
    address.error().message = "KMUX_REMOTE_CACHE: " + address.error().message;
    return std::move(address).error();
  }
  settings.redis.address = *std::move(address);
  if (const std::string& text = environment.remote_cache_ttl; !text.empty()) {
    constexpr std::int64_t kTenYears = std::int64_t{10} * 366 * 24 * 3600;
    KMUX_ASSIGN(const std::int64_t seconds, read_number("KMUX_REMOTE_CACHE_TTL", text, kTenYears, "in seconds"));
    settings.redis.keep = std::chrono::seconds(seconds);
  }
  if (const std::string& text = environment.remote_cache_timeout; !text.empty()) {
    KMUX_ASSIGN(const std::int64_t milliseconds,
                read_number("KMUX_REMOTE_CACHE_TIMEOUT", text, 60'000, "in milliseconds"));
    settings.redis.timeout = std::chrono::milliseconds(milliseconds);
  }
  if (!environment.remote_cache_key_file.empty()) {
    KMUX_ASSIGN(settings.secret, read_remote_secret(environment.remote_cache_key_file));
  } else if (!settings.redis.address.unsealed) {
    return without_a_key();
  }
  return std::optional(std::move(settings));
}

}  // namespace kmux
