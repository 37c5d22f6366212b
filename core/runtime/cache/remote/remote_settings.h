#pragma once

#include <optional>
#include <string>

#include "kmux/environment.h"
#include "kmux/error.h"

#include "redis_tier.h"

namespace kmux {

/// A remote cache as the environment describes it.
struct RemoteSettings {
  RedisTier::Options redis;
  std::string secret;  // the key's bytes; empty: there is none, and the URL allows that
};

/// Reads the settings of the remote cache, or nothing if there is to be none.
///
/// Errors: invalid_argument that names the variable, also if there is neither a key nor `?unsealed=1`; those of
///         `read_remote_secret`: a key that cannot be used must not become a cache without a key. Never repeats the URL, as
///         there is a password in it.
Result<std::optional<RemoteSettings>> read_remote_settings(const Environment& environment);

}  // namespace kmux
