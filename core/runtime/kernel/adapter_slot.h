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

/// The origin of an artifact: a plugin and a variant, for a target.
struct Origin {
  Shared<Plugin> plugin = {};
  std::size_t index = 0;  // of the variant
  std::shared_ptr<const Variant> variant = {};
  Target target = {};
};

/// Returns a variant that owns its program: programs may have megabytes, and many kernels share one.
inline std::shared_ptr<const Variant> shared_variant(std::shared_ptr<const Program> program, std::size_t index) {
  const Variant* const variant = &program->variants[index];
  return {std::move(program), variant};
}

/// A loaded artifact, and the tier it was compiled in (empty if the backend has none). Copies share the adapter.
struct LoadedArtifact {
  std::shared_ptr<const Origin> origin;  // the first member: the adapter is destroyed before its plugin
  std::shared_ptr<Adapter> adapter;
  Artifact artifact = {};
  std::string launcher = {};
  std::string tier = {};
};

/// Intercepts the calls of a kernel before they are launched, to check, record or sample them.
///
/// Threads: any, concurrently.   Lifetime: the intercepted slot shares it, and must outlive the calls.
class Interceptor {
 public:
  Interceptor(const Interceptor&) = delete;
  Interceptor& operator=(const Interceptor&) = delete;
  virtual ~Interceptor() = default;
  /// Handles a call, as `Adapter::launch` does: forwards it to `next`, or returns without launching.
  virtual kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept = 0;

 protected:
  Interceptor() = default;
  /// Returns the next interceptor or, after the last one, the code that is launched now.
  const LaunchEntry& next() const noexcept { return *next_.load(std::memory_order_acquire); }

 private:
  friend class AdapterSlot;
  static kmux_code enter(void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
    return static_cast<Interceptor*>(self)->launch(slots, *env, error);
  }
  const LaunchEntry entry_{{enter, this}};
  std::atomic<const LaunchEntry*> next_{nullptr};
};

/// The artifact that a kernel launches: the first one, until another one replaces it between two calls. The replacement
/// may be of a better tier, another variant or another plugin; it must take the same memory and slots.
///
/// Threads:  any, concurrently.
/// Lifetime: owns all its artifacts until it is destroyed, since calls may still be in any. A forked child launches the
///           current artifact; no better one is made for it.
class AdapterSlot : public std::enable_shared_from_this<AdapterSlot> {
 public:
  /// The promise of a better artifact. Destroyed without `keep` or `fulfil`, it is broken. Only the first of these
  /// calls has an effect.
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
    /// Returns true if the kernel is gone, so that the better artifact would never be called.
    bool is_pointless() const { return slot_.expired(); }
    /// Launches `better` from now on, unless the artifact that it was to replace has been replaced meanwhile.
    void keep(LoadedArtifact better);
    /// Ends the promise without a replacement: the current artifact is the best one.
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

  /// Returns the hot entry of the artifact that is launched now.
  const LaunchEntry& entry() const noexcept { return *entry_.load(std::memory_order_acquire); }
  /// Returns the artifact that is launched now, for diagnostics. Takes a lock.
  const LoadedArtifact& loaded() const;
  /// Returns true if code of that plugin is launched now or was launched before.
  bool has_used(std::string_view backend) const;

  /// Launches `next` from now on.
  void replace(LoadedArtifact next);
  /// Returns the artifact of that origin and tier that is or was launched, or null.
  const LoadedArtifact* find(std::string_view backend, std::size_t variant, std::string_view tier) const;
  /// Launches the artifact that `find` returns from now on. Returns false if there is no such artifact.
  bool launch_again(std::string_view backend, std::size_t variant, std::string_view tier);

  /// Sends calls through `interceptor`, before the present interceptors, until `leave`. The slot owns interceptors that
  /// have left, too, as a call may still be in one.
  void intercept(std::shared_ptr<Interceptor> interceptor);
  void leave(const Interceptor& interceptor);

  /// Announces a better artifact. `hurry` is called when a caller waits for it.
  Promise expect_better(std::function<void()> hurry = {});
  /// Blocks until every announced artifact has arrived or was given up.
  ///
  /// Errors: the reason why the last one was given up; unavailable when the process ends, or if a parent process was to
  ///         make it; timed_out and cancelled as `wait` requests.
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

  // Adjacent: everything that a call reads.
  std::atomic<const LaunchEntry*> entry_{&first_entry_};
  LaunchEntry first_entry_;
  const LaunchEntry* launched_ = &first_entry_;
  mutable std::mutex mutex_;
  ForkGuard guard_{mutex_};
  std::unique_ptr<std::condition_variable> settled_ = std::make_unique<std::condition_variable>();
  LoadedArtifact first_;
  std::deque<Held> later_;  // their addresses stay
  const LoadedArtifact* loaded_ = &first_;
  std::vector<std::shared_ptr<Interceptor>> interceptors_;  // oldest first; a call reaches the newest first
  std::vector<std::shared_ptr<Interceptor>> left_;
  std::optional<Error> failure_;
  std::function<void()> hurry_;
  int expected_ = 0;
  std::uint64_t expected_in_;  // the process that `expected_` counts for, by fork_generation()
};

// open_adapter.cpp

/// Loads an artifact of `program` with `plugin`. With `trial`, a worker process loads it first, and launches it with
/// copies of the first call's arguments; that call fails if the worker crashes or hangs. If a trace is being recorded,
/// every call of the adapter becomes a span of the trace.
///
/// Errors: those of the backend and of the trial.
Result<std::shared_ptr<Adapter>> open_adapter(const Shared<Plugin>& plugin, const Artifact& artifact, int device,
                                              const Program& program, std::shared_ptr<const CodeTrial> trial);

}  // namespace kmux
