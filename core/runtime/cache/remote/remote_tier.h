#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "kmux/error.h"

namespace kmux {

/// Units: bytes. What a value has at most.
inline constexpr std::size_t kMostRemoteBytes = std::size_t{32} << 20;

/// The kind of the note in an error of a store that lives, but was too slow for this one call.
inline constexpr const char* kSlowStoreNote = "slow store";

/// A store that the nodes of a fleet share: values by name, and a lease on a name for the node that makes its value.
///
/// The store is not trusted: what it answers is checked by the caller. A name is a SHA-256 as `sha256_hex` writes it.
/// Errors:  each function: unavailable if the store cannot be reached, is too slow or answers nonsense (with note
///          kSlowStoreNote if it is too slow, and other bytes of it came since the call began);
///          unsupported if it is there and refuses (a user without the right, no memory left).
/// Threads: any.
class RemoteTier {
 public:
  virtual ~RemoteTier() = default;
  RemoteTier() = default;
  RemoteTier(const RemoteTier&) = delete;
  RemoteTier& operator=(const RemoteTier&) = delete;

  /// The value of `name`, or nothing.
  virtual Result<std::optional<std::string>> get(const std::string& name) = 0;
  /// Replaces the value of `name`.
  virtual Status put(const std::string& name, const std::string& value) = 0;
  /// Has `holder` the lease of `name` now, for `time`? It takes a free one, and renews its own.
  virtual Result<bool> lease(const std::string& name, const std::string& holder, std::chrono::milliseconds time) = 0;
  /// Gives the lease of `name` back, if it is `holder`'s.
  virtual Status release(const std::string& name, const std::string& holder) = 0;
};

}  // namespace kmux
