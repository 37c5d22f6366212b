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

/// The evaluated launch of a single plan for one call. `launch.args` points into this object and into the slots; the
/// caller must set arguments that are tensor maps.
struct SingleLaunch {
  static constexpr std::size_t kWords = 8;  // maximum number of computed values
  static constexpr std::size_t kArguments = 16;  // maximum number of arguments
  kmux_driver_launch launch;  // for the driver
  std::array<std::int64_t, kWords> words;  // computed values
  std::array<void*, kArguments> args;  // of `launch`
};

/// Executes a plan instead of printing it. Makes the same driver calls, in the same order and with the same error
/// texts, as the launcher that `emit_launcher` prints for the plan.
///
/// Threads: immutable, so any.   Lifetime: owns a compiled copy of the plan.
class PlanRunner {
 public:
  /// Does the work common to all launches once: looks up names, computes constants, compiles expressions.
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
  /// Errors: invalid_argument for arithmetic without a value and for a failed assert; the errors of allocator and
  ///         driver.
  int launch(const kmux_slot* slots, const kmux_driver_env& env, kmux_sink error) const noexcept;

  /// Returns true for a single plan: one launch with few arguments, linear extents and arguments, and tensor maps of
  /// constant shape. Backends can then pass the result of `evaluate` to the driver, which is faster than `launch`.
  bool is_single() const { return single_ != nullptr; }
  /// Returns the tensor-map arguments; `is_single` must be true.
  std::span<const SingleMap> single_maps() const noexcept;
  /// Evaluates the launch of a single plan; `is_single` must be true. The caller must skip a launch whose grid has a 0.
  /// Returns false if a value is missing or out of range: the caller must then use `launch`.
  bool evaluate(const kmux_slot* slots, SingleLaunch& out) const noexcept;

 private:
  struct Impl;
  explicit PlanRunner(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
  const SingleCode* single_;  // in `impl_`, or null
};

}  // namespace kmux
