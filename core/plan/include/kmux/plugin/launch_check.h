#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/plan.h"

namespace kmux {

/// The launch limits of every device of a kind, in x, y, z.
struct LaunchLimits {
  std::array<std::int64_t, 3> grid;  // blocks
  std::array<std::int64_t, 3> block;  // threads
  std::int64_t block_threads = 0;  // x * y * z
};

/// The kind of an argument or parameter of a kernel.
enum class ArgumentKind : std::uint8_t {
  kUnknown,  // only sizes are compared: a struct parameter, a vector, another float, a type not recorded
  kPointer,
  kInteger,  // signed or not, and bool
  kFloat,  // of 32 or 64 bits
  kStruct,  // built by the launch
  kTensorMap,  // by value
};

/// One argument of a launch, or one parameter of a kernel.
struct KernelArgument {
  unsigned bytes = 0;  // as passed
  ArgumentKind kind = ArgumentKind::kUnknown;  // not compared unless both sides have one
  std::string text = {};  // for messages: "float32 a", "float*"; empty: messages show its size only
  DType pointee{kDLFloat, 0, 1};  // of a pointer; 0 bits: unknown, or not a number
  bool operator==(const KernelArgument&) const = default;
};

/// The properties of a kernel that its compiled code records. Missing ones are not compared.
struct KernelForm {
  std::optional<std::vector<KernelArgument>> arguments = {};  // one per parameter
  unsigned max_threads = 0;  // of a block; 0: the limit of the device
};

/// Checks that the constant extents of each launch of `plan` fit the devices. Extents that a call computes are skipped.
///
/// Errors: invalid_argument that names the kernel and the extent: an empty grid, or more than the limits.
Status check_extents(const Plan& plan, const LaunchLimits& limits);

/// Returns the size in bytes of each argument that `launch` passes. A tensor map is a `kmux_tensor_map`.
std::vector<unsigned> passed_bytes(const PlanLaunch& launch);

/// Returns the arguments of `launch`, a launch of `plan`: sizes as from `passed_bytes`, names as in the program.
std::vector<KernelArgument> passed_arguments(const Plan& plan, const PlanLaunch& launch);

/// Adds C++ types (`parameter_types` of kernel_names.h) to `parameters` of known sizes. Does nothing if the number of
/// types differs or a type contradicts a size.
void add_types(std::vector<KernelArgument>& parameters, const std::vector<std::string>& types);

/// Checks that a launch of kernel `name` passes the arguments that the kernel takes. Their number and sizes must be
/// equal; kinds must be equal if both are known. Two floating-point pointees must have the same type, and two integer
/// pointees of 32 or 64 bits the same width. Other pairs of pointees are accepted: a kernel may read bytes as words.
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_arguments(const std::string& name, const std::vector<KernelArgument>& passed,
                       const std::vector<KernelArgument>& taken);

/// Checks that `launch` of kernel `name`, which passes `passed`, fits the kernel in its arguments and its block.
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_kernel(const std::string& name, const PlanLaunch& launch, const std::vector<KernelArgument>& passed,
                    const KernelForm& kernel);

}  // namespace kmux
