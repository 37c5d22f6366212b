// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "kmux/error.h"
#include "kmux/plugin/file_identity.h"

#include "cache/disk/cache_entry.h"
#include "cache/disk/key_lock.h"
#include "cache/remote/remote_lease.h"
#include "single_flight.h"

namespace kmux {

class ArtifactCache;

/// An entry of the cache, or the turn to build it: the locks and leases that keep others from the same build.
///
/// A turn that is destroyed without an outcome passes an internal error to the callers that wait for it.
class CacheTurn {
 public:
  CacheTurn(CacheTurn&&) noexcept = default;
  CacheTurn& operator=(CacheTurn&&) = delete;
  ~CacheTurn();

  /// Returns the outcome of an earlier build, or null: the caller must build the entry and call `finish`.
  Result<CacheEntry>* found() { return outcome_ ? &outcome_->result : nullptr; }

  /// Passes the outcome of the build to all callers that wait for it, and publishes an entry in the background, or
  /// before the return if the queue is full, see Publisher. Must be called once, and only if nothing was found.
  Result<CacheEntry> finish(Result<CacheEntry> made);

 private:
  friend class ArtifactCache;
  CacheTurn() = default;

  std::optional<BuildOutcome> outcome_ = {};
  ArtifactCache* cache_ = nullptr;  // of a turn to build, until it has an outcome
  const CacheKey* key_ = nullptr;
  std::shared_ptr<SharedBuild> build_ = {};
  std::shared_ptr<KeyLocks::Held> lock_ = {};
  std::unique_ptr<RemoteLease> lease_ = {};
  FileTime began_ = 0;
};

}  // namespace kmux
