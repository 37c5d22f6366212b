#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/plan.h"

namespace kmux {

/// What every device of a kind has at most, in x, y, z.
struct LaunchLimits {
  std::array<std::int64_t, 3> grid;  // blocks
  std::array<std::int64_t, 3> block;  // threads
  std::int64_t block_threads = 0;  // x * y * z
};

/// What is passed to a kernel, or taken by one, besides its size.
enum class ArgumentKind : std::uint8_t {
  kUnknown,  // compared by its size alone: a struct, a tensor map, a number of 8 or 16 bits, what the code does not record
  kPointer,
  kInteger,  // signed or not, and bool
  kFloat,  // of 32 or 64 bits
  kStruct,  // put together by the launch
};

/// One argument of a launch, or one parameter of a kernel.
struct KernelArgument {
  unsigned bytes = 0;  // as passed
  ArgumentKind kind = ArgumentKind::kUnknown;  // not compared unless both sides have one
  std::string text = {};  // for messages: "float32 a", "float*"; empty: its size says all
  DType pointee{kDLFloat, 0, 1};  // what a pointer points to; 0 bits: not known, or not a number
  bool operator==(const KernelArgument&) const = default;
};

/// What the compiled code of a kernel has about it. What it lacks is not compared.
struct KernelForm {
  std::optional<std::vector<KernelArgument>> arguments = {};  // a parameter each
  unsigned max_threads = 0;  // of a block; 0: as many as the device has
};

/// Do the constant extents of each launch of `plan` fit the devices? What is computed by a call is not known yet.
///
/// Errors: invalid_argument that names the kernel and the extent: an empty grid, or more than the limits.
Status check_extents(const Plan& plan, const LaunchLimits& limits);

/// The size of each argument that `launch` passes. A tensor map is a `kmux_tensor_map`.
std::vector<unsigned> passed_bytes(const PlanLaunch& launch);

/// What `launch`, one of `plan`, passes: sizes as `passed_bytes`, names as the program has them.
std::vector<KernelArgument> passed_arguments(const Plan& plan, const PlanLaunch& launch);

/// `parameters` of known sizes with the C++ types that `types` has (`parameter_types` of kernel_names.h). Types of another
/// number, or that contradict a size, are not used.
void add_types(std::vector<KernelArgument>& parameters, const std::vector<std::string>& types);

/// Checks that a launch of kernel `name` passes what the kernel takes: as many arguments, each of its size, of its kind where both
/// are known, and pointers to the numbers that the kernel reads. Floating-point numbers must be of the same type, integers of 32
/// and 64 bits equally wide. Other types pass: a kernel may read bytes by words.
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_arguments(const std::string& name, const std::vector<KernelArgument>& passed,
                       const std::vector<KernelArgument>& taken);

/// Does `launch` of kernel `name`, which passes `passed`, fit the kernel in its arguments and its block?
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_kernel(const std::string& name, const PlanLaunch& launch, const std::vector<KernelArgument>& passed,
                    const KernelForm& kernel);

}  // namespace kmux
