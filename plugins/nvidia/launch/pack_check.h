#pragma once

#include "nvidia/launch/driver_table.h"
#include "nvidia/launch/loaded_code.h"
#include "nvidia/launch/log.h"
#include "nvidia/launch/plan_facts.h"

namespace kmux::nvidia {

/// Compares what launches pass with the parameters that the loaded kernels have: a kernel reads as many bytes as it declares,
/// whatever lies there. Drivers before 12.4 cannot say; then the log gets a line, and nothing is compared.
///
/// Errors: invalid_argument that names the kernel, the parameter and both sizes; else what `error_code_of` says.
int check_packs(const DriverTable& driver, const LoadedCode& code, const PlanFacts& facts, const Log& log,
                kmux_sink error);

}  // namespace kmux::nvidia
