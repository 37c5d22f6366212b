#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "kmux/environment.h"
#include "kmux/error.h"

#include "remote/redis_tier.h"

namespace kmux {

/// The settings of the remote cache that an environment describes.
struct RemoteSettings {
  RedisTier::Options redis;
  std::string secret;  // the key's bytes; empty: no key, and the URL permits that
};

/// Reads the settings of the remote cache. Returns nothing if none is configured.
///
/// Errors: invalid_argument that names the variable, also if neither a key nor `?unauthenticated=1` is given; those of
///         `read_remote_secret`: an unusable key must not become a cache without a key. Never contains the URL, which
///         may hold a password.
Result<std::optional<RemoteSettings>> read_remote_settings(const Environment& environment);

/// Returns the bytes of the file with a fleet's key.
///
/// Errors: unavailable if it cannot be read; invalid_argument if it is not a regular file, belongs to another user than
///         this user or root, others may read it (a group may read root's), or it has less than 16 bytes or more than
///         4096. Each message has advice.
Result<std::string> read_remote_secret(const std::filesystem::path& file);

class ArtifactCache;

/// Opens the cache that `environment` describes. Returns null if it is disabled or has neither a folder nor a server.
///
/// Errors: those of the folder; invalid_argument for a size that is not a number of bytes.
Result<std::shared_ptr<ArtifactCache>> open_cache(const Environment& environment);

/// As `open_cache`, but returns null without a usable folder and logs the reason.
std::shared_ptr<ArtifactCache> open_cache_or_warn(const Environment& environment);

}  // namespace kmux
