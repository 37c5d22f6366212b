#pragma once

#include <memory>

#include "kmux/driver.h"
#include "kmux/error.h"
#include "kmux/plan.h"

namespace kmux {

/// A plan that is executed rather than printed: calls the `kmux_driver` of its env in the order, with the arguments and
/// with the error texts of the launcher that `emit_launcher` prints of the same plan.
///
/// Threads: immutable, so any.   Lifetime: owns what it needs of the plan.
class PlanRunner {
 public:
  /// Does once what every launch would do the same: looks up names, computes constants, compiles expressions.
  ///
  /// Errors: invalid_argument for a plan that needs more values, addresses, arguments, tensor maps or L2 windows at once
  /// than fit on the stack of a launch (4096, 4096, 4096, 256 and 64), and for an expression that `ExprCode` refuses.
  static Result<PlanRunner> compile(const Plan& plan);

  PlanRunner(PlanRunner&& other) noexcept;
  PlanRunner& operator=(PlanRunner&& other) noexcept;
  ~PlanRunner();

  /// Runs the plan over `slots`: 0, or an ErrorCode after writing text to `error`. Allocates nothing but the plan's
  /// workspaces, from the allocator of `env`; those are freed before it returns.
  ///
  /// Errors: invalid_argument for arithmetic without a value and for a failed assert; what allocator and driver return.
  int launch(const kmux_slot* slots, const kmux_driver_env& env, kmux_sink error) const noexcept;

 private:
  struct Impl;
  explicit PlanRunner(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace kmux
