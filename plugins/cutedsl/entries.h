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

/// A compiled kernel: a function of the program, specialized for parameter types, block and cluster. Launches that
/// differ in these launch different entries, since CuTe DSL makes separate code.
struct Entry {
  using Extents = std::array<std::int64_t, 3>;
  std::string kernel;  // the function
  std::vector<Parameter> parameters = {};
  std::optional<Extents> block = {};  // empty: known at the launch only
  std::optional<Extents> cluster = {};  // empty: no cluster, or known at the launch only
  std::int64_t dynamic_smem_bytes = 0;  // the largest constant size of a launch
};

/// The plan of a variant, with entries as kernels, in the order of their first launches.
struct Entries {
  Plan plan;  // kernel number i is `list[i]`; the bindings also cover the layouts of tensors
  std::vector<Entry> list = {};
  /// The functions with `@cute.jit`, which are launched without grid and block. Their numbers follow those of the
  /// kernels (calls_host_function).
  std::vector<Entry> hosts = {};

  /// Returns the kernel or host function of `launch`, which must be a launch of the plan.
  const Entry& of(const PlanLaunch& launch) const {
    return launch.kernel < list.size() ? list[launch.kernel] : hosts[launch.kernel - list.size()];
  }
};

/// Returns the entries of a variant.
///
/// Errors: invalid_argument for an invalid program, and for a host function with launch settings that only kernels
///         take; unsupported for an element type that CuTe DSL lacks.
Result<Entries> make_entries(const Program& program, std::size_t variant);

}  // namespace kmux::cutedsl
