#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/await_options.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

#include "system/fork_guard.h"

namespace kmux {

class CodeTrial;

/// What an artifact was made of: a plugin and a variant, for a target.
struct Origin {
  Shared<Plugin> plugin = {};
  std::size_t index = 0;  // of the variant
  std::shared_ptr<const Variant> variant = {};
  Target target = {};
};

/// A variant that keeps its program: programs may have megabytes, and many kernels are made of one.
inline std::shared_ptr<const Variant> shared_variant(std::shared_ptr<const Program> program, std::size_t index) {
  const Variant* const variant = &program->variants[index];
  return {std::move(program), variant};
}

/// An artifact that has been loaded, and the tier it was compiled in (empty if the backend has none). Copies share the
/// adapter.
struct LoadedArtifact {
  std::shared_ptr<const Origin> origin;  // the first member: the adapter goes before its plugin
  std::shared_ptr<Adapter> adapter;
  Artifact artifact = {};
  std::string launcher = {};
  std::string tier = {};
};

/// What calls of a kernel go through before they are launched: it checks, records or samples them.
///
/// Threads: any, concurrently.   Lifetime: the slot that it intercepts shares it, and must outlive the calls.
class Interceptor {
 public:
  Interceptor(const Interceptor&) = delete;
  Interceptor& operator=(const Interceptor&) = delete;
  virtual ~Interceptor() = default;
  /// A call, which goes on by `next`, or is answered here. As `Adapter::launch`.
  virtual kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept = 0;

 protected:
  Interceptor() = default;
  /// The next interceptor or, behind the last, what is launched now.
  const LaunchEntry& next() const noexcept { return *next_.load(std::memory_order_acquire); }

 private:
  friend class AdapterSlot;
  static kmux_code enter(void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
    return static_cast<Interceptor*>(self)->launch(slots, *env, error);
  }
  const LaunchEntry entry_{{enter, this}};
  std::atomic<const LaunchEntry*> next_{nullptr};
};

/// What a kernel launches: the artifact it began with, until another one takes its place between two calls. That may be
/// of a better tier, of another variant or of another plugin, as long as it takes the same memory and slots.
///
/// Threads:  any, concurrently.
/// Lifetime: keeps all of them until it dies, since calls may still be in any. A child that was forked goes on launching
///           what it finds; no better one is made for it.
class AdapterSlot : public std::enable_shared_from_this<AdapterSlot> {
 public:
  /// The promise of a better artifact. Dropped without `keep` or `fulfil`, it is broken. What is said first
  /// counts.
  ///
  /// Threads: any.
  class Promise {
   public:
    Promise(std::weak_ptr<AdapterSlot> slot, const LoadedArtifact* instead_of)
        : slot_(std::move(slot)), instead_of_(instead_of) {}
    Promise(Promise&& other) noexcept
        : slot_(std::move(other.slot_)), instead_of_(other.instead_of_), settled_(other.settled_.exchange(true)) {}
    Promise& operator=(Promise&&) = delete;
    ~Promise();
    /// Would the better one never be called, since the kernel is gone?
    bool is_pointless() const { return slot_.expired(); }
    /// Launches `better` from now on, unless what it was to replace has been replaced meanwhile.
    void keep(LoadedArtifact better);
    /// Nothing more will come: what is launched is the best there is.
    void fulfil();
    void give_up(Error reason);

   private:
    void settle(std::optional<LoadedArtifact> better, std::optional<Error> failure);

    std::weak_ptr<AdapterSlot> slot_;
    const LoadedArtifact* instead_of_;
    std::atomic<bool> settled_{false};
  };

  explicit AdapterSlot(LoadedArtifact first);
  ~AdapterSlot();
  AdapterSlot(const AdapterSlot&) = delete;
  AdapterSlot& operator=(const AdapterSlot&) = delete;

  /// The hot call of what is launched now.
  const LaunchEntry& entry() const noexcept { return *entry_.load(std::memory_order_acquire); }
  /// What is launched now, for people.
  const LoadedArtifact& loaded() const;
  /// Is a plugin of that name launched now, or was it before?
  bool has_used(std::string_view backend) const;

  /// Launches `next` from now on.
  void replace(LoadedArtifact next);
  /// What was made of that origin in that tier and is, or was, launched; null if nothing was.
  const LoadedArtifact* find(std::string_view backend, std::size_t variant, std::string_view tier) const;
  /// Launches again what `find` finds; false if nothing is found.
  bool launch_again(std::string_view backend, std::size_t variant, std::string_view tier);

  /// Sends calls through `interceptor`, in front of those that are there, until `leave`. A call that is under way may still be
  /// in one that has left, so the slot keeps it.
  void intercept(std::shared_ptr<Interceptor> interceptor);
  void leave(const Interceptor& interceptor);

  /// Says that a better artifact is on its way. `hurry` is called when a caller waits for it.
  Promise expect_better(std::function<void()> hurry = {});
  /// Waits while a better artifact is on its way.
  ///
  /// Errors: the reason why the last one did not come; unavailable when the process ends, or if a parent process was to
  ///         make it; timed_out and cancelled as `wait` says.
  Status await_better(const AwaitOptions& wait = {}) const;

 private:
  struct Held {
    LoadedArtifact loaded;
    LaunchEntry entry;
  };
  void hurry() const;
  // Under the lock.
  bool is_from_parent() const { return expected_ != 0 && expected_in_ != fork_generation(); }
  void launch(const LoadedArtifact& loaded, const LaunchEntry& entry);
  void link();
  void take(LoadedArtifact next);
  void settle(std::optional<LoadedArtifact> better, const LoadedArtifact* instead_of, std::optional<Error> failure);

  // Beside each other: all that a call reads.
  std::atomic<const LaunchEntry*> entry_{&first_entry_};
  LaunchEntry first_entry_;
  const LaunchEntry* launched_ = &first_entry_;
  mutable std::mutex mutex_;
  ForkGuard guard_{mutex_};
  std::unique_ptr<std::condition_variable> settled_ = std::make_unique<std::condition_variable>();
  LoadedArtifact first_;
  std::deque<Held> later_;  // their addresses stay
  const LoadedArtifact* loaded_ = &first_;
  std::vector<std::shared_ptr<Interceptor>> interceptors_;  // the newest, which a call reaches first, last
  std::vector<std::shared_ptr<Interceptor>> left_;
  std::optional<Error> failure_;
  std::function<void()> hurry_;
  int expected_ = 0;
  std::uint64_t expected_in_;  // the process, by fork_generation()
};

// open_adapter.cpp

/// Loads an artifact of `program` with `plugin`. With `trial`, a worker loads it first, and launches it with copies of what the first
/// call is given; that call fails where the worker crashes or hangs. While a trace is recorded, every call of the adapter
/// becomes a span of it.
///
/// Errors: those of the backend and of the trial.
Result<std::shared_ptr<Adapter>> open_adapter(const Shared<Plugin>& plugin, const Artifact& artifact, int device,
                                              const Program& program, std::shared_ptr<const CodeTrial> trial);

}  // namespace kmux
