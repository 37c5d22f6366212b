#pragma once

#include <memory>
#include <utility>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plan_runner.h"

namespace kmux {

/// Has the grid no block? Then there is nothing to launch.
inline bool is_empty(const kmux_driver_launch& launch) {
  return launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
}

/// An adapter that runs a plan through `Launcher`, which has
///
///     int prepare(int device, kmux_sink error);
///     int call(const kmux_launch_env& env, kmux_sink error, Body&& body);  // body(const kmux_driver_env&, kmux_sink)
///     int launch(const kmux_launch_env& env, const kmux_driver_launch& launch, kmux_sink error);  // of a plan of one launch
///
/// and borrows `Loaded`: the code and what is known of its kernels.
///
/// Threads: any, concurrently.
template <class Loaded, class Launcher>
class PlanAdapter : public Adapter {
 public:
  /// `make_launcher`, a function of a `Loaded&`, gives the launcher.
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
  /// The plan.
  const PlanRunner& runner() const { return runner_; }
  /// The code, and what is known of it.
  const Loaded& loaded() const { return loaded_; }
  /// What runs it.
  Launcher& launcher() { return launcher_; }
  /// A launch without a block.
  virtual kmux_code launch_nothing(const kmux_launch_env& /*env*/, kmux_sink /*error*/) { return KMUX_OK; }

 private:
  [[gnu::hot]] static kmux_code launch_single(void* self, const kmux_slot* slots, const kmux_launch_env* env,
                                              kmux_sink error) {
    auto& adapter = *static_cast<PlanAdapter*>(self);
    SingleLaunch single;  // not initialised: `evaluate` fills what is read
    if (!adapter.runner_.evaluate(slots, single)) [[unlikely]] {
      return adapter.launch(slots, *env, error);
    }
    if (is_empty(single.launch)) return adapter.launch_nothing(*env, error);
    return static_cast<kmux_code>(adapter.launcher_.launch(*env, single.launch, error));
  }

  Loaded loaded_;
  PlanRunner runner_;
  Launcher launcher_;  // borrows what is above
};

}  // namespace kmux
