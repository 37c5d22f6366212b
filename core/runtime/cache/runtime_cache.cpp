#include "runtime_cache.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "kmux/log.h"

#include "artifact_cache.h"
#include "cache/disk/file_descriptor.h"
#include "system/environment_variables.h"

namespace kmux {
namespace {

/// Returns the value of `variable`, which must be from 1 to `most`.
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
      "key anyone who can write to the server can run any code here). Set it to a file with the fleet's "
      "key, see docs/fleet.md, or add ?unauthenticated=1 to the URL where anyone who reaches the server may do "
      "that.");
}

/// Returns nothing without a remote cache, or if it cannot be trusted, which is logged.
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
  } else if (!settings.redis.address.unauthenticated) {
    return without_a_key();
  }
  return std::optional(std::move(settings));
}

namespace {

constexpr std::size_t kMinBytes = 16;
constexpr std::size_t kMaxBytes = 4096;

/// Returns why the file must not hold a secret, or "".
std::string why_refused(const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return "it is not a regular file). Name a file";
  if (info.st_uid != 0 && info.st_uid != ::geteuid()) {
    return "it belongs to user " + std::to_string(info.st_uid) + "). Use a copy of your own";
  }
  // Root controls the group of its file; containers receive secrets this way.
  const mode_t forbidden = info.st_uid == 0 ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO;
  if ((info.st_mode & forbidden) != 0) return "others may read or change it). Run `chmod 600` on it";
  return "";
}

}  // namespace

Result<std::string> read_remote_secret(const std::filesystem::path& file) {
  const auto refused = [&](ErrorCode code, const std::string& why_and_advice) {
    return make_error(code, "the key of the remote cache '" + file.string() + "' is refused (" + why_and_advice + ".");
  };
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (!opened.ok() || ::fstat(opened.get(), &info) != 0) {
    return refused(ErrorCode::kUnavailable, errno_text(errno) + "). Check the path");
  }
  if (const std::string why = why_refused(info); !why.empty()) return refused(ErrorCode::kInvalidArgument, why);
  std::array<char, kMaxBytes + 1> bytes{};
  const ssize_t size = ::read(opened.get(), bytes.data(), bytes.size());
  if (size < 0) return refused(ErrorCode::kUnavailable, errno_text(errno) + "). Check the file");
  const auto count = static_cast<std::size_t>(size);
  if (count < kMinBytes || count > kMaxBytes) {
    return refused(ErrorCode::kInvalidArgument, "it has " + std::string(count > kMaxBytes ? "more than " : "") +
                                                    std::to_string(std::min(count, kMaxBytes)) +
                                                    " bytes). Make it of 16 to 4096, say with "
                                                    "`head -c 32 /dev/urandom`");
  }
  return std::string(bytes.data(), count);
}

Result<std::shared_ptr<ArtifactCache>> open_cache(const Environment& environment) {
  const bool has_place =
      !environment.cache_dir.empty() || !environment.cache_read_only.empty() || !environment.remote_cache.empty();
  if (environment.disable_cache || !has_place) return std::shared_ptr<ArtifactCache>();
  CacheOptions options{.folder = environment.cache_dir,
                       .is_of_group = environment.cache_of_group,
                       .read_only = environment.cache_read_only,
                       .lock_folder = environment.cache_lock_dir,
                       .log = [](const std::string& text) { log(LogLevel::kWarning, text); },
                       .tell = [](const std::string& text) { log(LogLevel::kInfo, text); }};
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
