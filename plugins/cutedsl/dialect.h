#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/driver_dialect.h"
#include "kmux/plugin/emit_checks.h"
#include "kmux/signature.h"

#include "entries.h"
#include "nvidia/facts.h"

namespace kmux::cutedsl {

/// Prints launches whose arguments are what kernels of CuTe DSL take: a tensor is a struct of its address and of what its
/// type does not say.
///
/// Before the program's own part stand the checks of its arguments (kmux/plugin/emit_checks.h), which printed/tvm_ffi_entry.h calls.
///
/// After the arguments a spare byte is passed: where a kernel has a value without content, CuTe DSL declares a parameter of
/// one byte for it, at the end.
class CuteDialect final : public DriverDialect {
 public:
  /// `signature` and `entries` outlive the object.
  CuteDialect(const Signature& signature, const Entries& entries, PrintedChecks checks)
      : signature_(signature), entries_(entries), checks_(std::move(checks)) {}

  void declarations(CodeWriter& out, const Plan& plan) override;
  /// Of a host function a call, through printed/host_functions.h.
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

/// The checks of a launcher's `launch_kernel`, by the name that printed/tvm_ffi_entry.h knows.
///
/// Errors: as `compile_checks`.
Result<PrintedChecks> launch_checks(const Signature& signature, const std::string& kernel);

/// What `CuteDialect` passes to entry `entry`.
nvidia::ArgumentPack pack_of(const Entry& entry);

/// What it passes in each launch of the plan of `entries`, which outlive the function.
nvidia::ArgumentSizes argument_sizes(const Entries& entries);

}  // namespace kmux::cutedsl
