#include "kmux/plugin/launch_check.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "kmux/plugin/driver.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

constexpr std::int64_t kUnknown = -1;
constexpr const char* kAxes = "xyz";
constexpr std::size_t kLongestType = 60;  // in a message: names of nested templates can have thousands of characters

Error refused_launch(const std::string& name, const std::string& rest) {
  return make_error(ErrorCode::kInvalidArgument, "kernel \"" + name + "\" is launched " + rest);
}

std::string at_most_on_device(std::int64_t most) { return " (the device has at most " + std::to_string(most) + "). "; }

// Returns the threads of a block if all extents are constant and positive, else kUnknown.
std::int64_t threads_of(const std::array<Expr, 3>& block) {
  std::int64_t threads = 1;
  for (const Expr& extent : block) {
    if (!extent.is_constant() || extent.constant() <= 0) return kUnknown;
    if (__builtin_mul_overflow(threads, extent.constant(), &threads)) return std::numeric_limits<std::int64_t>::max();
  }
  return threads;
}

Status check_grid(const std::string& name, const PlanLaunch& launch, const LaunchLimits& limits) {
  for (std::size_t i = 0; i < launch.grid.size(); ++i) {
    if (!launch.grid[i].is_constant()) continue;
    const std::int64_t extent = launch.grid[i].constant();
    const std::string grid = std::string("on a grid whose extent ") + kAxes[i] + " is " + std::to_string(extent);
    if (extent == 0)
      return refused_launch(name, grid + " (it would never run). Give it a block, or remove the launch.");
    if (extent > limits.grid[i])
      return refused_launch(name, grid + at_most_on_device(limits.grid[i]) + "Use a smaller grid.");
  }
  return Ok{};
}

Status check_block(const std::string& name, const PlanLaunch& launch, const LaunchLimits& limits) {
  const std::int64_t threads = threads_of(launch.block);
  if (threads > limits.block_threads) {
    return refused_launch(name, "with blocks of " + std::to_string(threads) + " threads" +
                                    at_most_on_device(limits.block_threads) + "Use smaller blocks.");
  }
  for (std::size_t i = 0; i < launch.block.size(); ++i) {
    if (!launch.block[i].is_constant() || launch.block[i].constant() <= limits.block[i]) continue;
    return refused_launch(name, std::string("with blocks whose extent ") + kAxes[i] + " is " +
                                    std::to_string(launch.block[i].constant()) + at_most_on_device(limits.block[i]) +
                                    "Use smaller blocks.");
  }
  return Ok{};
}

std::int64_t argument_size(const PlanArg& argument) {
  if (const auto* scalar = std::get_if<PlanScalar>(&argument)) return packed_bytes(scalar->dtype, 1);
  if (const auto* value = std::get_if<PlanValue>(&argument)) return packed_bytes(value->dtype, 1);
  if (std::holds_alternative<PlanMapArg>(argument)) return sizeof(kmux_tensor_map);
  if (const auto* record = std::get_if<PlanStruct>(&argument)) return static_cast<std::int64_t>(record->bytes);
  return sizeof(void*);
}

constexpr DType kNoNumber{kDLFloat, 0, 1};  // an unknown pointee

ArgumentKind kind_of(DType type) {
  if (type.lanes != 1) return ArgumentKind::kUnknown;
  if (is_integer(type) || is_bool(type)) return ArgumentKind::kInteger;
  return type == dtype::kFloat32 || type == dtype::kFloat64 ? ArgumentKind::kFloat : ArgumentKind::kUnknown;
}

// Returns the element type of a tensor; kNoNumber for a workspace or a bare address, whose elements are unknown.
DType pointee_of(const Plan& plan, const PlanAddress& address) {
  if (address.source != PlanAddress::Source::kSlot || plan.slots[address.index].kind != SlotKind::kTensor)
    return kNoNumber;
  return plan.slots[address.index].dtype;
}

KernelArgument passed_argument(const Plan& plan, const PlanArg& argument) {
  const auto bytes = static_cast<unsigned>(argument_size(argument));
  const std::string text = to_string(argument, plan);
  if (const auto* scalar = std::get_if<PlanScalar>(&argument))
    return {bytes, kind_of(scalar->dtype), to_string(scalar->dtype) + " " + text};
  if (const auto* value = std::get_if<PlanValue>(&argument)) return {bytes, kind_of(value->dtype), text};
  if (std::holds_alternative<PlanMapArg>(argument)) return {bytes, ArgumentKind::kTensorMap, "tensor map " + text};
  if (std::holds_alternative<PlanStruct>(argument)) return {bytes, ArgumentKind::kStruct, "struct " + text};
  return {bytes, ArgumentKind::kPointer, "pointer " + text, pointee_of(plan, std::get<PlanAddress>(argument))};
}

// Returns "2 arguments of 8, 4 bytes: float*, int". Arguments without a text show their size again if others have a
// text.
std::string arguments_text(const std::vector<KernelArgument>& arguments) {
  std::vector<std::string> sizes;
  std::vector<std::string> texts;
  bool has_text = false;
  for (const KernelArgument& argument : arguments) {
    sizes.push_back(std::to_string(argument.bytes));
    texts.push_back(argument.text.empty() ? sizes.back() + " bytes" : argument.text);
    has_text = has_text || !argument.text.empty();
  }
  return std::to_string(sizes.size()) + (sizes.size() == 1 ? " argument" : " arguments") +
         (sizes.empty() ? "" : " of " + join(sizes) + " bytes") + (has_text ? ": " + join(texts) : "");
}

bool fits(const KernelArgument& passed, const KernelArgument& taken) {
  const bool are_known = passed.kind != ArgumentKind::kUnknown && taken.kind != ArgumentKind::kUnknown;
  return passed.bytes == taken.bytes && (!are_known || passed.kind == taken.kind);
}

struct CppType {
  std::string_view text;  // as demanglers write it
  unsigned bytes;
  ArgumentKind kind;
};

// The sizes with 64-bit pointers and Unix types, as on all processors and devices that run kernels.
constexpr std::array kCppTypes = std::to_array<CppType>({{"bool", 1, ArgumentKind::kInteger},
                                                         {"char", 1, ArgumentKind::kInteger},
                                                         {"signed char", 1, ArgumentKind::kInteger},
                                                         {"unsigned char", 1, ArgumentKind::kInteger},
                                                         {"short", 2, ArgumentKind::kInteger},
                                                         {"unsigned short", 2, ArgumentKind::kInteger},
                                                         {"int", 4, ArgumentKind::kInteger},
                                                         {"unsigned int", 4, ArgumentKind::kInteger},
                                                         {"long", 8, ArgumentKind::kInteger},
                                                         {"unsigned long", 8, ArgumentKind::kInteger},
                                                         {"long long", 8, ArgumentKind::kInteger},
                                                         {"unsigned long long", 8, ArgumentKind::kInteger},
                                                         {"float", 4, ArgumentKind::kFloat},
                                                         {"double", 8, ArgumentKind::kFloat}});

struct CppNumber {
  std::string_view text;  // as demanglers write it
  DType dtype;
};

constexpr DType vector_of(DType number, std::uint16_t lanes) { return {number.code, number.bits, lanes}; }

// The pointee types that are compared: kernels rarely read them as another type.
constexpr std::array kCppNumbers = std::to_array<CppNumber>({{"int", dtype::kInt32},
                                                             {"unsigned int", dtype::kUInt32},
                                                             {"long", dtype::kInt64},
                                                             {"unsigned long", dtype::kUInt64},
                                                             {"long long", dtype::kInt64},
                                                             {"unsigned long long", dtype::kUInt64},
                                                             {"_Float16", dtype::kFloat16},
                                                             {"__half", dtype::kFloat16},
                                                             {"__nv_bfloat16", dtype::kBFloat16},
                                                             {"__bf16", dtype::kBFloat16},
                                                             {"__hip_bfloat16", dtype::kBFloat16},
                                                             {"float", dtype::kFloat32},
                                                             {"double", dtype::kFloat64},
                                                             {"__half2", vector_of(dtype::kFloat16, 2)},
                                                             {"__nv_bfloat162", vector_of(dtype::kBFloat16, 2)},
                                                             {"__hip_bfloat162", vector_of(dtype::kBFloat16, 2)},
                                                             {"float2", vector_of(dtype::kFloat32, 2)},
                                                             {"float3", vector_of(dtype::kFloat32, 3)},
                                                             {"float4", vector_of(dtype::kFloat32, 4)},
                                                             {"double2", vector_of(dtype::kFloat64, 2)},
                                                             {"double3", vector_of(dtype::kFloat64, 3)},
                                                             {"double4", vector_of(dtype::kFloat64, 4)},
                                                             {"float _Complex", dtype::kComplex64},
                                                             {"double _Complex", dtype::kComplex128},
                                                             {"std::complex<float>", dtype::kComplex64},
                                                             {"std::complex<double>", dtype::kComplex128},
                                                             {"thrust::complex<float>", dtype::kComplex64},
                                                             {"thrust::complex<double>", dtype::kComplex128},
                                                             {"__nv_fp8_e4m3", dtype::kFloat8E4M3FN},
                                                             {"__nv_fp8_e5m2", dtype::kFloat8E5M2},
                                                             {"__hip_fp8_e4m3_fnuz", dtype::kFloat8E4M3FN},
                                                             {"__hip_fp8_e5m2_fnuz", dtype::kFloat8E5M2}});

// Returns the pointee of a type such as "float const* __restrict"; kNoNumber for others.
DType pointee_of(std::string_view pointer) {
  const std::size_t star = pointer.find('*');
  if (star == std::string_view::npos || pointer.find('*', star + 1) != std::string_view::npos) return kNoNumber;
  std::string_view text = pointer.substr(0, star);
  for (const std::string_view qualifier : {" const", " volatile", " const"}) {
    if (text.ends_with(qualifier)) text.remove_suffix(qualifier.size());
  }
  const auto found = std::ranges::find(kCppNumbers, text, &CppNumber::text);
  return found == kCppNumbers.end() ? kNoNumber : found->dtype;
}

bool is_plain_integer(DType type) { return type.lanes == 1 && type.bits >= 32 && is_integer(type); }
bool is_float8(DType type) { return type.lanes == 1 && type.bits == 8 && is_float(type); }
bool has_floats(DType type) { return number_of(type).bits >= 16 && is_float(number_of(type)); }
bool is_vector(DType type) { return type.lanes > 1 && !is_complex(type); }

// Returns true unless both are known to have other numbers. Kernels read numbers by vectors of other ones ("float4*" of
// halves), and vectors by those of another number of lanes.
bool has_numbers_that_are_read(DType passed, DType taken) {
  const bool is_carried = is_vector(taken) && !is_complex(passed) && passed.lanes != taken.lanes;
  return is_carried || number_of(passed) == number_of(taken);
}

bool points_to_what_is_read(const KernelArgument& passed, const KernelArgument& taken) {
  const DType given = passed.pointee, read = taken.pointee;
  if (has_floats(given) && has_floats(read)) return has_numbers_that_are_read(given, read);
  if (is_float8(given) && is_float8(read)) return is_compatible(given, read);
  return !is_plain_integer(given) || !is_plain_integer(read) || given.bits == read.bits;
}

Error wrong_pointee(const std::string& name, std::ptrdiff_t place, const KernelArgument& passed,
                    const KernelArgument& taken) {
  return refused_launch(
      name, "with " + passed.text + " to " + to_string(passed.pointee) + " as argument " + std::to_string(place + 1) +
                " (its code takes " + taken.text +
                "). Declare the tensor with the dtype that the kernel reads, pass an address by a parameter of "
                "type pointer, or correct the kernel.");
}

// Returns the size and kind of a pointer or number type. The sizes of structs and enumerations are unknown here.
std::optional<CppType> known_type(std::string_view text) {
  if (text.ends_with('*')) return CppType{text, sizeof(void*), ArgumentKind::kPointer};
  const auto found = std::ranges::find(kCppTypes, text, &CppType::text);
  return found == kCppTypes.end() ? std::nullopt : std::optional(*found);
}

Status check_pointees(const std::string& name, const std::vector<KernelArgument>& passed,
                      const std::vector<KernelArgument>& taken) {
  const auto [differing, other] = std::ranges::mismatch(passed, taken, points_to_what_is_read);
  if (differing == passed.end()) return Ok{};
  return wrong_pointee(name, differing - passed.begin(), *differing, *other);
}

}  // namespace

Status check_extents(const Plan& plan, const LaunchLimits& limits) {
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    const std::string& name = plan.kernels[launch.kernel];
    if (status.ok()) status = check_grid(name, launch, limits);
    if (status.ok()) status = check_block(name, launch, limits);
  });
  return status;
}

std::vector<unsigned> passed_bytes(const PlanLaunch& launch) {
  std::vector<unsigned> bytes;
  bytes.reserve(launch.args.size());
  for (const PlanArg& argument : launch.args) bytes.push_back(static_cast<unsigned>(argument_size(argument)));
  return bytes;
}

std::vector<KernelArgument> passed_arguments(const Plan& plan, const PlanLaunch& launch) {
  std::vector<KernelArgument> passed;
  passed.reserve(launch.args.size());
  for (const PlanArg& argument : launch.args) passed.push_back(passed_argument(plan, argument));
  return passed;
}

void add_types(std::vector<KernelArgument>& parameters, const std::vector<std::string>& types) {
  if (types.size() != parameters.size()) return;
  std::vector<KernelArgument> typed = parameters;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto known = known_type(types[i]);
    if (known && known->bytes != typed[i].bytes) return;
    if (known) typed[i].kind = known->kind;
    typed[i].pointee = pointee_of(types[i]);
    typed[i].text = types[i].size() <= kLongestType ? types[i] : types[i].substr(0, kLongestType) + "...";
  }
  parameters = std::move(typed);
}

Status check_arguments(const std::string& name, const std::vector<KernelArgument>& passed,
                       const std::vector<KernelArgument>& taken) {
  const auto [differing, other] = std::ranges::mismatch(passed, taken, fits);
  if (differing == passed.end() && other == taken.end()) return check_pointees(name, passed, taken);
  const std::string place =
      passed.size() == taken.size() ? "; argument " + std::to_string(differing - passed.begin() + 1) + " differs" : "";
  return refused_launch(name, "with " + arguments_text(passed) + " (its code takes " + arguments_text(taken) + place +
                                  "). Correct the launch or the kernel.");
}

Status check_kernel(const std::string& name, const PlanLaunch& launch, const std::vector<KernelArgument>& passed,
                    const KernelForm& kernel) {
  if (kernel.arguments) KMUX_TRY(check_arguments(name, passed, *kernel.arguments));
  const std::int64_t threads = threads_of(launch.block);
  if (kernel.max_threads == 0 || threads <= std::int64_t{kernel.max_threads}) return Ok{};
  return refused_launch(name, "with blocks of " + std::to_string(threads) +
                                  " threads (its code is compiled for at most " + std::to_string(kernel.max_threads) +
                                  "). Use smaller blocks, or raise __launch_bounds__.");
}

}  // namespace kmux
