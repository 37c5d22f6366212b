#include "headers.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string_view>
#include <utility>

#include "kmux/plugin/headers.h"

#include "simt/analysis/names.h"

namespace kmux {

extern const std::string_view cpu_device_text;  // device: included before each source
extern const std::string_view cpu_device_accesses_text;
extern const std::string_view cpu_device_algorithms_text;
extern const std::string_view cpu_device_alignment_text;
extern const std::string_view cpu_device_asserts_text;
extern const std::string_view cpu_device_atomic_orders_text;
extern const std::string_view cpu_device_atomics_text;
extern const std::string_view cpu_device_bfloats_text;
extern const std::string_view cpu_device_bits_text;
extern const std::string_view cpu_device_bulk_copies_text;
extern const std::string_view cpu_device_clusters_text;
extern const std::string_view cpu_device_complex_text;
extern const std::string_view cpu_device_constants_text;
extern const std::string_view cpu_device_conversions_text;
extern const std::string_view cpu_device_copies_text;
extern const std::string_view cpu_device_failures_text;
extern const std::string_view cpu_device_fp4_text;
extern const std::string_view cpu_device_fp8_text;
extern const std::string_view cpu_device_fp8_scales_text;
extern const std::string_view cpu_device_fragment_products_text;
extern const std::string_view cpu_device_fragments_text;
extern const std::string_view cpu_device_group_copies_text;
extern const std::string_view cpu_device_group_reductions_text;
extern const std::string_view cpu_device_group_scans_text;
extern const std::string_view cpu_device_groups_text;
extern const std::string_view cpu_device_halves_text;
extern const std::string_view cpu_device_hip_text;
extern const std::string_view cpu_device_integers_text;
extern const std::string_view cpu_device_limits_text;
extern const std::string_view cpu_device_math_angles_text;
extern const std::string_view cpu_device_math_errors_text;
extern const std::string_view cpu_device_math_exponentials_text;
extern const std::string_view cpu_device_math_fast_text;
extern const std::string_view cpu_device_math_fields_text;
extern const std::string_view cpu_device_math_logarithms_text;
extern const std::string_view cpu_device_math_powers_text;
extern const std::string_view cpu_device_math_roots_text;
extern const std::string_view cpu_device_math_turns_text;
extern const std::string_view cpu_device_matrix_places_text;
extern const std::string_view cpu_device_matrix_product_text;
extern const std::string_view cpu_device_mbarriers_text;
extern const std::string_view cpu_device_nv_target_text;
extern const std::string_view cpu_device_packed_text;
extern const std::string_view cpu_device_pipelines_text;
extern const std::string_view cpu_device_ptx_text;
extern const std::string_view cpu_device_ptx_copies_text;
extern const std::string_view cpu_device_refused_text;
extern const std::string_view cpu_device_sixteen_text;
extern const std::string_view cpu_device_std_annotated_ptr_text;
extern const std::string_view cpu_device_std_compare_text;
extern const std::string_view cpu_device_std_concepts_text;
extern const std::string_view cpu_device_std_constants_text;
extern const std::string_view cpu_device_std_math_text;
extern const std::string_view cpu_device_std_new_text;
extern const std::string_view cpu_device_std_numbers_text;
extern const std::string_view cpu_device_std_array_text;
extern const std::string_view cpu_device_std_atomic_text;
extern const std::string_view cpu_device_std_barrier_text;
extern const std::string_view cpu_device_std_numeric_text;
extern const std::string_view cpu_device_std_pipeline_text;
extern const std::string_view cpu_device_std_span_text;
extern const std::string_view cpu_device_std_tuple_text;
extern const std::string_view cpu_device_tensor_maps_text;
extern const std::string_view cpu_device_tilelang_text;
extern const std::string_view cpu_device_types_text;
extern const std::string_view cpu_device_warps_text;

}  // namespace kmux

namespace kmux::cpu {
namespace {

struct Header {
  const char* path;
  const std::string_view* text;
};

// The headers. A text with several names is listed under the first; kAliases has the others.
constexpr Header kHeaders[] = {
    {"kmux/kmux.h", &cpu_device_text},
    {"cuComplex.h", &cpu_device_complex_text},
    {"cuda_fp16.h", &cpu_device_halves_text},
    {"cuda_bf16.h", &cpu_device_bfloats_text},
    {"cuda_fp4.h", &cpu_device_fp4_text},
    {"cuda_fp8.h", &cpu_device_fp8_text},
    {"cuda_pipeline.h", &cpu_device_pipelines_text},
    {"cooperative_groups.h", &cpu_device_groups_text},
    {"cooperative_groups/memcpy_async.h", &cpu_device_group_copies_text},
    {"cooperative_groups/reduce.h", &cpu_device_group_reductions_text},
    {"cooperative_groups/scan.h", &cpu_device_group_scans_text},
    {"math_constants.h", &cpu_device_constants_text},
    {"mma.h", &cpu_device_fragment_products_text},
    {"type_traits", &cpu_device_types_text},
    {"limits", &cpu_device_limits_text},
    {"compare", &cpu_device_std_compare_text},
    {"concepts", &cpu_device_std_concepts_text},
    {"new", &cpu_device_std_new_text},
    {"numbers", &cpu_device_std_constants_text},
    {"array", &cpu_device_std_array_text},
    {"numeric", &cpu_device_std_numeric_text},
    {"span", &cpu_device_std_span_text},
    {"cuda/annotated_ptr", &cpu_device_std_annotated_ptr_text},
    {"cuda/atomic", &cpu_device_std_atomic_text},
    {"cuda/barrier", &cpu_device_bulk_copies_text},
    {"cuda/pipeline", &cpu_device_std_pipeline_text},
    {"cuda/ptx", &cpu_device_ptx_copies_text},
    {"nv/target", &cpu_device_nv_target_text},
    {"tuple", &cpu_device_std_tuple_text},
    {"algorithm", &cpu_device_algorithms_text},
    {"cmath", &cpu_device_std_math_text},
    {"kmux/hip.h", &cpu_device_hip_text},
    {"tl_templates/cuda/common.h", &cpu_device_tilelang_text},
    {"kmux/accesses.h", &cpu_device_accesses_text},
    {"kmux/alignment.h", &cpu_device_alignment_text},
    {"kmux/atomic_orders.h", &cpu_device_atomic_orders_text},
    {"kmux/atomics.h", &cpu_device_atomics_text},
    {"kmux/barriers.h", &cpu_device_std_barrier_text},
    {"kmux/bits.h", &cpu_device_bits_text},
    {"kmux/clusters.h", &cpu_device_clusters_text},
    {"kmux/conversions.h", &cpu_device_conversions_text},
    {"kmux/copies.h", &cpu_device_copies_text},
    {"kmux/failures.h", &cpu_device_failures_text},
    {"kmux/fields.h", &cpu_device_math_fields_text},
    {"kmux/fragments.h", &cpu_device_fragments_text},
    {"kmux/integers.h", &cpu_device_integers_text},
    {"kmux/matrix_places.h", &cpu_device_matrix_places_text},
    {"kmux/matrix_product.h", &cpu_device_matrix_product_text},
    {"kmux/mbarriers.h", &cpu_device_mbarriers_text},
    {"kmux/numbers.h", &cpu_device_std_numbers_text},
    {"kmux/packed.h", &cpu_device_packed_text},
    {"kmux/ptx.h", &cpu_device_ptx_text},
    {"kmux/refused.h", &cpu_device_refused_text},
    {"kmux/scales.h", &cpu_device_fp8_scales_text},
    {"kmux/tensor_maps.h", &cpu_device_tensor_maps_text},
    {"kmux/warps.h", &cpu_device_warps_text},
};

/// A mathematics header, and the headers whose functions it calls.
struct MathHeader {
  const char* path;
  const std::string_view* text;
  const char* needs[2];
};

constexpr MathHeader kMath[] = {
    {"kmux/angles.h", &cpu_device_math_angles_text, {}},
    {"kmux/errors.h", &cpu_device_math_errors_text, {"kmux/exponentials.h", "kmux/powers.h"}},
    {"kmux/exponentials.h", &cpu_device_math_exponentials_text, {}},
    {"kmux/fast.h", &cpu_device_math_fast_text, {"kmux/logarithms.h", "kmux/turns.h"}},
    {"kmux/logarithms.h", &cpu_device_math_logarithms_text, {"kmux/exponentials.h"}},
    {"kmux/powers.h", &cpu_device_math_powers_text, {"kmux/exponentials.h", "kmux/logarithms.h"}},
    {"kmux/roots.h", &cpu_device_math_roots_text, {"kmux/turns.h"}},
    {"kmux/turns.h", &cpu_device_math_turns_text, {}},
};

/// Headers that take effect each time they are included.
constexpr Header kReadAgain[] = {
    {"kmux/sixteen.h", &cpu_device_sixteen_text},   {"kmux/asserts.h", &cpu_device_asserts_text},
    {"assert.h", &cpu_device_asserts_text},         {"cassert", &cpu_device_asserts_text},
    {"cuda/std/cassert", &cpu_device_asserts_text},
};

/// A header that the prelude includes if a text contains one of `words`. Each name that it declares must contain one of
/// them.
struct Part {
  const char* path;
  std::string_view words[20];
};

constexpr Part kParts[] = {
    {"kmux/accesses.h", {"__ld", "__st"}},
    {"kmux/alignment.h", {"__shared__ alignas"}},
    {"kmux/angles.h", {"asin", "acos", "atan"}},
    {"kmux/atomic_orders.h", {"__nv_atomic"}},
    {"kmux/atomics.h", {"atomic"}},
    {"kmux/bits.h",
     {"__popc", "__clz", "__ffs", "__brev", "__fns", "mulhi", "mul64hi", "mul24", "hadd", "sad", "__funnelshift",
      "__byte_perm", "__dp", "_as_", "hilo", "hiint", "loint"}},
    {"kmux/conversions.h",
     {"_rn", "_rz", "_rd", "_ru", "2int", "2uint", "2ll", "2ull", "2float", "2double", "__saturatef", "fdivide"}},
    {"kmux/clusters.h", {"__cluster", "cvta", "__isShared"}},
    {"kmux/errors.h", {"erf", "normcdf"}},
    {"kmux/exponentials.h", {"exp", "sinh", "cosh", "tanh"}},
    {"kmux/failures.h", {"assert", "__trap", "__brkpt"}},
    {"kmux/fast.h", {"__exp", "__log", "__pow", "__sin", "__cos", "__tan"}},
    {"kmux/fields.h", {"lrint", "lround", "signbit", "isnormal", "nan", "frexp", "ldexp", "scalb", "logb", "modf"}},
    {"kmux/integers.h",
     {"INT8_", "INT16_", "INT32_", "INT64_", "INTMAX_", "INTPTR_", "PTRDIFF_M", "SIZE_MAX", "_least", "_fast",
      "intmax_t"}},
    {"kmux/logarithms.h", {"log"}},
    {"limits", {"CHAR_", "SHRT_M", "INT_M", "LONG_M"}},
    {"cmath",
     {"std::abs", "std::fabs", "std::sqrt", "std::pow", "std::exp", "std::log", "std::sin", "std::cos", "std::tan",
      "std::isnan", "std::isinf", "std::isfinite", "std::floor", "std::ceil", "std::round", "std::fm", "std::trunc"}},
    {"type_traits", {"std::is_", "std::size_t", "std::enable_if", "std::conditional", "std::remove_"}},
    {"kmux/mbarriers.h", {"mbarrier", "__pipeline_arrive_on"}},
    {"kmux/numbers.h", {"M_", "INFINITY", "NAN", "HUGE_VAL"}},
    {"kmux/packed.h", {"__v"}},
    {"kmux/powers.h", {"pow"}},
    {"kmux/refused.h",
     {"clock", "globaltimer", "prof_trigger", "__is", "setmaxnreg", "cluster", "cudaGrid", "cudaTrigger", "tex", "surf",
      "cudaBoundaryMode", "cudaReadMode", "erfcinv"}},
    {"kmux/roots.h", {"cbrt", "hypot", "fmod", "remainder", "remquo", "norm3d", "norm4d"}},
    {"kmux/tensor_maps.h", {"CUtensorMap"}},
    {"kmux/turns.h", {"sin", "cos", "tan"}},
    {"kmux/warps.h", {"sync", "fence", "__shfl", "__ballot", "__any", "__all", "__active", "nanosleep", "__match"}},
};

/// Space-separated names of empty headers, whose contents the prelude has. cudaTypedefs.h is for the host, which calls
/// the driver. CuTe 4.7 takes cuda/std/__cccl/version.h as the sign that <tuple> declares the traits of both namespaces.
constexpr std::string_view kEmpty =
    "builtin_types.h channel_descriptor.h cinttypes crt/device_functions.h crt/host_defines.h "
    "cuda/std/__cccl/version.h cuda/std/initializer_list cudaTypedefs.h cuda_device_runtime_api.h cuda_runtime.h "
    "cuda_runtime_api.h "
    "device_atomic_functions.h device_double_functions.h device_functions.h device_launch_parameters.h device_types.h "
    "driver_types.h hip/hip_vector_types.h host_defines.h initializer_list inttypes.h math.h math_functions.h "
    "math_functions.hpp sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_intrinsics.h "
    "sm_35_intrinsics.h sm_60_atomic_functions.h sm_61_intrinsics.h stdbool.h stddef.h stdint.h stdio.h stdlib.h "
    "string.h tl_templates/cuda/debug.h tl_templates/cuda/ldsm.h tl_templates/cuda/math.h "
    "tl_templates/cuda/nvrtc_std.h tl_templates/cuda/scan.h tl_templates/cuda/threadblock_swizzle.h "
    "vector_functions.h vector_functions.hpp vector_types.h";

/// Another name for header `other`.
struct Alias {
  const char* path;
  const char* other;
};

constexpr Alias kAliases[] = {
    {"cuda.h", "kmux/tensor_maps.h"},
    {"cuda_awbarrier_primitives.h", "kmux/mbarriers.h"},
    {"surface_types.h", "kmux/refused.h"},
    {"texture_types.h", "kmux/refused.h"},
    {"float.h", "limits"},
    {"limits.h", "limits"},
    {"cfloat", "limits"},
    {"climits", "limits"},
    {"cstddef", "type_traits"},
    {"cstdint", "type_traits"},
    {"cstdio", "type_traits"},
    {"cstdlib", "type_traits"},
    {"cstring", "type_traits"},
    {"functional", "algorithm"},
    {"utility", "algorithm"},
    {"cuda_fp16.hpp", "cuda_fp16.h"},
    {"cuda_bf16.hpp", "cuda_bf16.h"},
    {"cuda_fp8.hpp", "cuda_fp8.h"},
    {"iterator", "algorithm"},
    {"cuda/std/climits", "limits"},
    {"cuda/std/cmath", "cmath"},
    {"cuda/std/cstddef", "type_traits"},
    {"cuda/std/cstdint", "type_traits"},
    {"cuda/std/functional", "algorithm"},
    {"cuda/std/limits", "limits"},
    {"cuda/std/type_traits", "type_traits"},
    {"cuda/std/utility", "algorithm"},
    {"hip/hip_fp16.h", "cuda_fp16.h"},
    {"hip/hip_bf16.h", "cuda_bf16.h"},
    {"hip/hip_bfloat16.h", "cuda_bf16.h"},
    {"hip/hip_fp8.h", "cuda_fp8.h"},
    {"hip/hip_cooperative_groups.h", "cooperative_groups.h"},
    {"hip/hip_runtime.h", "kmux/hip.h"},
    {"hip/hip_runtime_api.h", "kmux/hip.h"},
    {"hip/hip_math_constants.h", "math_constants.h"},
    {"tl_templates/cuda/atomic.h", "tl_templates/cuda/common.h"},
    {"tl_templates/cuda/cuda_bf16_fallbacks.cuh", "cuda_bf16.h"},
    {"tl_templates/cuda/reduce.h", "tl_templates/cuda/common.h"},
    {"cuda/std/atomic", "cuda/atomic"},
    {"cuda/std/concepts", "concepts"},
    {"cuda/std/numeric", "numeric"},
    {"cuda/std/numbers", "numbers"},
    {"cuda/std/array", "array"},
    {"cuda/std/span", "span"},
    {"cuda/std/tuple", "tuple"},
    {"cuda/std/compare", "compare"},
};

/// A refused header for GPU hardware, and its purpose.
struct RefusedHeader {
  const char* path;
  const char* why;
};

constexpr RefusedHeader kRefusedHeaders[] = {
    {"cuda_awbarrier.h", "barriers in shared memory"},
    {"cuda_fp6.h", "numbers of 6 bits"},
    {"cuda_texture_types.h", "textures"},
    {"texture_fetch_functions.h", "textures"},
    {"texture_indirect_functions.h", "textures"},
    {"surface_functions.h", "surfaces"},
    {"surface_indirect_functions.h", "surfaces"},
    {"cuda/semaphore", "semaphores of a GPU"},
    {"cuda/std/barrier", "barriers in shared memory"},
    {"tl_templates/cuda/barrier.h", "barriers in shared memory"},
    {"tl_templates/cuda/cluster.h", "clusters of blocks"},
    {"tl_templates/cuda/copy.h", "asynchronous copies"},
    {"tl_templates/cuda/copy_sm90.h", "copies by tensor maps"},
    {"tl_templates/cuda/gemm.h", "tensor cores"},
    {"tl_templates/cuda/instruction/mma.h", "tensor cores"},
    {"tl_templates/cuda/instruction/wgmma.h", "tensor cores"},
    {"tl_templates/cuda/intrin.h", "registers of a warp"},
    {"cute/tensor.hpp", "CUTLASS"},
    {"cutlass/cutlass.h", "CUTLASS"},
};

std::string include_of(const char* other) { return "#pragma once\n#include <" + std::string(other) + ">\n"; }

std::string text_of(const MathHeader& header) {
  std::string text = "#pragma once\n";
  for (const char* const need : header.needs) {
    if (need != nullptr) text += "#include <" + std::string(need) + ">\n";
  }
  return text + header_text(*header.text);
}

bool has_any(std::string_view text, const Part& part) {
  return std::ranges::any_of(
      part.words, [&](std::string_view word) { return !word.empty() && text.find(word) != std::string_view::npos; });
}

constexpr std::size_t kAllParts = (std::size_t{1} << std::size(kParts)) - 1;

// Returns true if a text may name more than it contains: by pasted words, or in the headers of cuRAND.
bool may_name_any(std::string_view text) { return text.find("##") != text.npos || text.find("curand_") != text.npos; }

// Returns the parts that `texts` may name, one bit each. The bits are in the prelude's name, so that equal names always
// mean equal texts.
std::size_t named_parts(std::span<const std::string_view> texts) {
  if (std::ranges::any_of(texts, may_name_any)) return kAllParts;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < std::size(kParts); ++i) {
    const bool is_named = std::ranges::any_of(texts, [&](std::string_view text) { return has_any(text, kParts[i]); });
    if (is_named) parts |= std::size_t{1} << i;
  }
  return parts;
}

File prelude_of(std::size_t parts, const HeaderNeeds& needs) {
  std::string text = "#pragma once\n" + arch_macros(needs.arch) + "#include <kmux/kmux.h>\n";
  for (std::size_t i = 0; i < std::size(kParts); ++i) {
    if (((parts >> i) & 1) != 0) text += "#include <" + std::string(kParts[i].path) + ">\n";
  }
  if (needs.is_hip) text += "#include <kmux/hip.h>\n";  // a program may have its own hip/hip_runtime.h
  const std::string dialect = needs.is_hip ? "hip" : needs.arch.is_required() ? name_of(needs.arch) : "cuda";
  return {std::string(simt::kDeviceFolder) + dialect + "-" + std::to_string(parts) + ".h", std::move(text)};
}

}  // namespace

DeviceHeaders device_headers(std::span<const std::string_view> texts, const HeaderNeeds& needs) {
  DeviceHeaders headers;
  std::vector<File>& files = headers.files;
  const auto add = [&](std::string_view path, std::string text) {
    if (!needs.templates.have(path)) files.push_back({std::string(simt::kDeviceFolder).append(path), std::move(text)});
  };
  files.push_back(prelude_of(needs.templates.of_tilelang ? kAllParts : named_parts(texts), needs));
  headers.prelude = files.front().path;
  for (const Header& header : kHeaders) add(header.path, "#pragma once\n" + header_text(*header.text));
  for (const MathHeader& header : kMath) add(header.path, text_of(header));
  for (const Header& header : kReadAgain) add(header.path, header_text(*header.text));
  for (const auto name : std::views::split(kEmpty, ' ')) add({name.begin(), name.end()}, "#pragma once\n");
  for (const Alias& alias : kAliases) add(alias.path, include_of(alias.other));
  for (const RefusedHeader& refused : kRefusedHeaders) {
    add(refused.path, std::string("#error not for this processor (") + refused.why + ")\n");
  }
  return headers;
}

bool has_device_header(std::string_view path) {
  const auto is_at = [&](const auto& header) { return path == header.path; };
  const auto is_empty = [&](const auto name) { return path == std::string_view(name.begin(), name.end()); };
  return std::ranges::any_of(kHeaders, is_at) || std::ranges::any_of(kMath, is_at) ||
         std::ranges::any_of(kReadAgain, is_at) || std::ranges::any_of(kAliases, is_at) ||
         std::ranges::any_of(std::views::split(kEmpty, ' '), is_empty);
}

}  // namespace kmux::cpu
