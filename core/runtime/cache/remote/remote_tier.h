#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "kmux/error.h"

namespace kmux {

/// The largest size of a value.
///
/// Units: bytes.
inline constexpr std::size_t kMaxRemoteBytes = std::size_t{32} << 20;

/// The kind of the note in the error of a store that is alive but was too slow for this call.
inline constexpr const char* kSlowStoreNote = "slow store";

/// A store shared by the nodes of a fleet: values by name, and a lease on a name for the node that builds its value.
///
/// The store is not trusted: the caller must check its replies. A name is a SHA-256 digest as `sha256_hex` writes it.
/// Errors:  each function: unavailable if the store cannot be reached, is too slow or sends invalid replies (with note
///          kSlowStoreNote if it is too slow, but other bytes of it arrived since the call began); unsupported if it
///          responds with a refusal (a user without the right, out of memory).
/// Threads: any.
class RemoteTier {
 public:
  virtual ~RemoteTier() = default;
  RemoteTier() = default;
  RemoteTier(const RemoteTier&) = delete;
  RemoteTier& operator=(const RemoteTier&) = delete;

  /// Returns the value of `name`, or nothing.
  virtual Result<std::optional<std::string>> get(const std::string& name) = 0;
  /// Replaces the value of `name`.
  virtual Status put(const std::string& name, const std::string& value) = 0;
  /// Acquires the lease of `name` for `holder` for `time`, or renews it. Returns false if another holder has it.
  virtual Result<bool> lease(const std::string& name, const std::string& holder, std::chrono::milliseconds time) = 0;
  /// Releases the lease of `name` if `holder` has it.
  virtual Status release(const std::string& name, const std::string& holder) = 0;
};

}  // namespace kmux
