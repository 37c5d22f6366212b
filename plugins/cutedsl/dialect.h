#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/driver_dialect.h"
#include "kmux/plugin/emit_checks.h"
#include "kmux/signature.h"

#include "entries.h"
#include "nvidia/facts.h"

namespace kmux::cutedsl {

/// Prints launches with the arguments of CuTe DSL's kernels: a tensor is a struct of its address and its dynamic
/// extents and strides.
///
/// Prints the checks of the program's arguments (kmux/plugin/emit_checks.h), which printed/tvm_ffi_entry.h calls,
/// before the program's part.
///
/// Passes a spare byte after the arguments: CuTe DSL declares a last parameter of one byte for a value without content.
class CuteDialect final : public DriverDialect {
 public:
  /// `signature` and `entries` must outlive the object.
  CuteDialect(const Signature& signature, const Entries& entries, PrintedChecks checks)
      : signature_(signature), entries_(entries), checks_(std::move(checks)) {}

  void declarations(CodeWriter& out, const Plan& plan) override;
  /// Prints a launch; for a host function, a call through printed/host_functions.h.
  void launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) override;

 protected:
  std::vector<PrintedArg> arguments(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) override;

 private:
  void emit_names(CodeWriter& out) const;
  void emit_structs(CodeWriter& out, const std::vector<Entry>& entries, std::size_t first) const;
  std::vector<PrintedArg> tensors_and_values(CodeWriter& out, const Plan& plan, const PlanLaunch& launch);
  std::string tensor_value(CodeWriter& out, const Plan& plan, const PlanLaunch& launch, std::size_t number,
                           const std::string& address);

  const Signature& signature_;
  const Entries& entries_;
  PrintedChecks checks_;
};

/// Returns the checks of a launcher's `launch_kernel`, under the name that printed/tvm_ffi_entry.h calls.
///
/// Errors: as `compile_checks`.
Result<PrintedChecks> launch_checks(const Signature& signature, const std::string& kernel);

/// Returns the arguments that `CuteDialect` passes to entry `entry`.
nvidia::ArgumentPack pack_of(const Entry& entry);

/// Returns a function for the arguments of each launch of the plan of `entries`, which must outlive the function.
nvidia::ArgumentSizes argument_sizes(const Entries& entries);

}  // namespace kmux::cutedsl
