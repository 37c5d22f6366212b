#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/plan.h"

#include "parameter.h"

namespace kmux::cutedsl {

/// A kernel as it is compiled: a function of the program for parameters of certain types. Launches that differ in these are
/// launches of different entries, for CuTe DSL makes code for each.
struct Entry {
  using Extents = std::array<std::int64_t, 3>;
  std::string kernel;  // the function
  std::vector<Parameter> parameters = {};
  std::optional<Extents> block = {};  // nothing: known at the launch only
  std::optional<Extents> cluster = {};  // nothing: none, or known at the launch only
  std::int64_t dynamic_smem_bytes = 0;  // the most that a launch asks for by a constant
};

/// The plan of a variant whose kernels are entries, in the order of their first launches.
struct Entries {
  Plan plan;  // kernel number i is `list[i]`; its bindings are enough for the layouts of tensors, too
  std::vector<Entry> list = {};
  /// Functions with `@cute.jit`, which are launched without grid and block. Launches name them by numbers behind those of the
  /// kernels (calls_host_function).
  std::vector<Entry> hosts = {};

  /// What `launch`, of the plan, launches or calls.
  const Entry& of(const PlanLaunch& launch) const {
    return launch.kernel < list.size() ? list[launch.kernel] : hosts[launch.kernel - list.size()];
  }
};

/// Errors: invalid_argument for a program that is not valid, and for a host function that is launched with what its own launches say;
///         unsupported for an element type that CuTe DSL does not have.
Result<Entries> make_entries(const Program& program, std::size_t variant);

}  // namespace kmux::cutedsl
