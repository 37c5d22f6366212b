#pragma once

#include <memory>
#include <utility>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plan_runner.h"

namespace kmux {

/// Returns true if the grid has no blocks, so that nothing needs launching.
inline bool is_empty(const kmux_driver_launch& launch) {
  return launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
}

/// An adapter that runs a plan through `Launcher`, which must have
///
///     int prepare(int device, kmux_sink error);
///     int call(const kmux_launch_env& env, kmux_sink error, Body&& body);  // body(const kmux_driver_env&, kmux_sink)
///     int launch(const kmux_launch_env& env, const kmux_driver_launch& launch, kmux_sink error);  // of a plan of one launch
///
/// and borrows `Loaded`: the code and the properties of its kernels.
///
/// Threads: thread-safe.
template <class Loaded, class Launcher>
class PlanAdapter : public Adapter {
 public:
  /// Calls `make_launcher(Loaded&)`, which returns the launcher.
  template <class Function>
  PlanAdapter(Loaded loaded, PlanRunner runner, Function&& make_launcher)
      : loaded_(std::move(loaded)),
        runner_(std::move(runner)),
        launcher_(std::forward<Function>(make_launcher)(loaded_)) {}

  Status prepare(int device) final {
    FailureText failure;
    return failure.status(launcher_.prepare(device, failure.sink()));
  }

  [[gnu::hot]] kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept final {
    const auto body = [&](const kmux_driver_env& driver_env, kmux_sink sink) {
      return runner_.launch(slots, driver_env, sink);
    };
    return static_cast<kmux_code>(launcher_.call(env, error, body));
  }

  LaunchEntry entry() noexcept override {
    if (!runner_.is_single()) return Adapter::entry();
    return {{launch_single, this}};
  }

 protected:
  /// Returns the plan.
  const PlanRunner& runner() const { return runner_; }
  /// Returns the code and the properties of its kernels.
  const Loaded& loaded() const { return loaded_; }
  /// Returns the launcher.
  Launcher& launcher() { return launcher_; }
  /// Handles a launch without blocks.
  virtual kmux_code launch_nothing(const kmux_launch_env& /*env*/, kmux_sink /*error*/) { return KMUX_OK; }

 private:
  [[gnu::hot]] static kmux_code launch_single(void* self, const kmux_slot* slots, const kmux_launch_env* env,
                                              kmux_sink error) {
    auto& adapter = *static_cast<PlanAdapter*>(self);
    SingleLaunch single;  // uninitialised: `evaluate` writes every field that is read
    if (!adapter.runner_.evaluate(slots, single)) [[unlikely]] {
      return adapter.launch(slots, *env, error);
    }
    if (is_empty(single.launch)) return adapter.launch_nothing(*env, error);
    return static_cast<kmux_code>(adapter.launcher_.launch(*env, single.launch, error));
  }

  Loaded loaded_;
  PlanRunner runner_;
  Launcher launcher_;  // borrows the members above
};

}  // namespace kmux
