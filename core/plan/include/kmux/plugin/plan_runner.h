#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kmux/error.h"
#include "kmux/plugin/driver.h"
#include "kmux/plugin/plan.h"

namespace kmux {

class SingleCode;

/// An argument of a single plan that is a tensor map over slot `slot`, of constant dims and strides.
struct SingleMap {
  unsigned map;  // index in Plan::maps
  unsigned slot;  // of the call
  unsigned argument;  // of the kernel
};

/// The launch of a plan that is one launch and perhaps its tensor maps, for one call: `launch.args` points into it and into
/// the slots; those that are tensor maps are the caller's to set.
struct SingleLaunch {
  static constexpr std::size_t kWords = 8;  // the most computed values
  static constexpr std::size_t kArguments = 16;  // the most arguments
  kmux_driver_launch launch;  // for the driver
  std::array<std::int64_t, kWords> words;  // computed values
  std::array<void*, kArguments> args;  // of `launch`
};

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

  /// Leaves `other` empty.
  PlanRunner(PlanRunner&& other) noexcept;
  /// Leaves `other` empty.
  PlanRunner& operator=(PlanRunner&& other) noexcept;
  ~PlanRunner();

  /// Runs the plan over `slots`: 0, or an ErrorCode after writing text to `error`. Allocates nothing but the plan's
  /// workspaces, from the allocator of `env`; those are freed before it returns.
  ///
  /// Errors: invalid_argument for arithmetic without a value and for a failed assert; what allocator and driver return.
  int launch(const kmux_slot* slots, const kmux_driver_env& env, kmux_sink error) const noexcept;

  /// Is the plan one launch of few arguments, extents and arguments simple numbers, tensor maps of constant shape? Then a
  /// driver may be given what `evaluate` makes of the slots, which is the shorter way.
  bool is_single() const { return single_ != nullptr; }
  /// The arguments of a single plan that are tensor maps.
  std::span<const SingleMap> single_maps() const noexcept;
  /// Makes the launch of a single plan; there is none if its grid has a 0. False: only `launch` can do it.
  bool evaluate(const kmux_slot* slots, SingleLaunch& out) const noexcept;

 private:
  struct Impl;
  explicit PlanRunner(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
  const SingleCode* single_;  // in `impl_`, or null
};

}  // namespace kmux
