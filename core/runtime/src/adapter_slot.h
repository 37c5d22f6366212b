#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kmux/artifact.h"
#include "kmux/backend.h"
#include "kmux/error.h"

namespace kmux {

/// An artifact that has been loaded, and the tier it was compiled in (empty if the backend has none).
struct LoadedArtifact {
  std::unique_ptr<Adapter> adapter;
  Artifact artifact;
  std::string tier = {};
};

/// What a kernel launches: the artifact it began with, until a better one takes its place between two calls.
///
/// Threads:  any, concurrently.
/// Lifetime: keeps both until it dies, since calls may still be in the first.
class AdapterSlot : public std::enable_shared_from_this<AdapterSlot> {
 public:
  /// The promise of a better artifact. Whoever lets go of it without `keep` has broken it.
  class Promise {
   public:
    explicit Promise(std::weak_ptr<AdapterSlot> slot) : slot_(std::move(slot)) {}
    Promise(Promise&&) = default;
    Promise& operator=(Promise&&) = delete;
    ~Promise();
    /// Whether nobody would call the better one: the kernel is gone.
    bool is_pointless() const { return slot_.expired(); }
    void keep(LoadedArtifact better);
    void give_up(Error reason);

   private:
    std::weak_ptr<AdapterSlot> slot_;
  };

  explicit AdapterSlot(LoadedArtifact first);

  /// The hot call of what is launched now.
  const LaunchEntry& entry() const noexcept { return *entry_.load(std::memory_order_acquire); }
  /// What is launched now, for people.
  const LoadedArtifact& loaded() const;
  /// Says that a better artifact is on its way; once in a life.
  Promise expect_better();
  /// Waits while a better artifact is on its way.
  ///
  /// Errors: the reason why it did not come.
  Status await_better() const;

 private:
  void settle(std::optional<LoadedArtifact> better, std::optional<Error> failure);

  // Beside each other: all that a call reads.
  std::atomic<const LaunchEntry*> entry_{&first_entry_};
  LaunchEntry first_entry_;
  LaunchEntry better_entry_{};
  mutable std::mutex mutex_;
  mutable std::condition_variable settled_;
  LoadedArtifact first_;
  std::optional<LoadedArtifact> better_;
  std::optional<Error> failure_;
  bool expects_ = false;
};

}  // namespace kmux
