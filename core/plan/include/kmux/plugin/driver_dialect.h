#pragma once

#include <vector>

#include "kmux/plugin/driver.h"
#include "kmux/plugin/emit.h"

namespace kmux {

/// Prints launches as calls through `kmux_driver`, for backends whose driver is opened at run time.
///
/// The printed launcher must be called with the `env` of a `kmux_driver_env`.
class DriverDialect : public LauncherDialect {
 public:
  void declarations(CodeWriter& out, const Plan& plan) override;
  void tensor_map(CodeWriter& out, const Plan& plan, std::size_t index) override;
  void launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) override;
  /// Fills through the driver's memset.
  void fill(CodeWriter& out, const Plan& plan, const PlanFill& fill) override;

 protected:
  /// Prints the code that the arguments of `launch` need and returns them, in the order of the kernel's parameters.
  /// Dialects whose kernels have parameters beyond those of the plan override it.
  virtual std::vector<PrintedArg> arguments(CodeWriter& out, const Plan& plan, const PlanLaunch& launch);
};

}  // namespace kmux
