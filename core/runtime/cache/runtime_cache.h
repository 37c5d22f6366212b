#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "kmux/environment.h"
#include "kmux/error.h"

#include "remote/redis_tier.h"

namespace kmux {

/// A remote cache as the environment describes it.
struct RemoteSettings {
  RedisTier::Options redis;
  std::string secret;  // the key's bytes; empty: there is none, and the URL allows that
};

/// Reads the settings of the remote cache, or nothing if there is to be none.
///
/// Errors: invalid_argument that names the variable, also if there is neither a key nor `?unauthenticated=1`; those of
///         `read_remote_secret`: a key that cannot be used must not become a cache without a key. Never repeats the URL, as
///         there is a password in it.
Result<std::optional<RemoteSettings>> read_remote_settings(const Environment& environment);

/// The bytes of the file that holds a fleet's key.
///
/// Errors: unavailable if it cannot be read; invalid_argument if it is not a regular file, belongs to another user than
///         this user or root, others may read it (a group may read root's), or it has less than 16 bytes or more than
///         4096. All say what to do.
Result<std::string> read_remote_secret(const std::filesystem::path& file);

class ArtifactCache;

/// Opens the disk cache that `environment` describes; null if it is disabled or there is no folder for it.
///
/// Errors: those of the folder; invalid_argument for a size that is not a number of bytes.
Result<std::shared_ptr<ArtifactCache>> open_cache(const Environment& environment);

/// As `open_cache`; without a usable folder there is no cache, and the log says why.
std::shared_ptr<ArtifactCache> open_cache_or_warn(const Environment& environment);

}  // namespace kmux
