"""What kernels use of the headers of C, of C++ and of CUDA's runtime: each expression is true in a kernel."""

# Of each header: constant expressions, and others that are evaluated by one thread. Its other names have the same.
USES = {
    "stdint.h": (["sizeof(int8_t) == 1 && sizeof(int16_t) == 2 && sizeof(int32_t) == 4 && sizeof(int64_t) == 8",
                  "INT32_MAX == 2147483647 && UINT8_MAX == 255 && INT64_MIN < 0 && SIZE_MAX == UINT64_MAX",
                  "sizeof(uintptr_t) == sizeof(void*)", "sizeof(int_fast16_t) >= 2 && sizeof(uint_least32_t) == 4",
                  "UINT64_C(1) << 40 == 1099511627776"],
                 ["uint8_t(300) == 44", "uint32_t(0) - 1 == UINT32_MAX"]),
    "cstdint": (["sizeof(std::int32_t) == 4 && sizeof(std::uint64_t) == 8", "sizeof(std::uintptr_t) == sizeof(void*)",
                 "UINT16_MAX == 65535"], []),
    "inttypes.h": (["sizeof(int64_t) == 8"], []),
    "limits.h": (["CHAR_BIT == 8 && SCHAR_MAX == 127 && SHRT_MIN == -32768 && USHRT_MAX == 65535",
                  "INT_MAX == 2147483647 && INT_MIN == -INT_MAX - 1 && UINT_MAX == 4294967295u",
                  "LLONG_MAX == 9223372036854775807ll && ULLONG_MAX == ~0ull && LONG_MAX == 9223372036854775807l"], []),
    "climits": (["INT_MAX == 2147483647"], []),
    "float.h": (["FLT_MAX > 3.4e38f && FLT_MIN < 1.2e-38f && FLT_EPSILON == 1.1920929e-7f", "FLT_DIG == 6 && DBL_DIG == 15",
                 "DBL_MAX > 1.79e308 && DBL_EPSILON < 2.3e-16 && FLT_MANT_DIG == 24"], ["-FLT_MAX < n * 1.0f"]),
    "cfloat": (["FLT_MAX > 3.4e38f", "DBL_MIN > 0"], []),
    "stddef.h": (["sizeof(size_t) == 8 && sizeof(ptrdiff_t) == 8", "NULL == nullptr", "offsetof(Pair, b) == sizeof(int)"], []),
    "cstddef": (["sizeof(std::size_t) == 8 && sizeof(std::ptrdiff_t) == 8", "sizeof(std::byte) == 1",
                 "sizeof(std::nullptr_t) == sizeof(void*)"], []),
    "stdbool.h": (["true && !false"], []),
    "stdlib.h": (["sizeof(size_t) == 8"], ["abs(-n) == n", "labs(-3l) == 3", "llabs(-3ll) == 3", "div(7, 2).rem == 1",
                                           "works_on_heap()"]),
    "cstdlib": ([], ["std::abs(-n) == n", "std::abs(-2.5f) == 2.5f"]),
    "string.h": ([], ["works_on_bytes()", "strlen(\"abc\") == 3"]),
    "cstring": ([], ["works_on_bytes()", "std::memcpy(&n, &n, sizeof n) == &n"]),
    "stdio.h": ([], ["printf(\"\") >= 0"]),
    "cstdio": ([], ["std::printf(\"\") >= 0"]),
    "assert.h": ([], ["(assert(n == 1), true)"]),
    "cassert": ([], ["(assert(n == 1), true)"]),
    "math.h": (["M_PI > 3.14159 && M_PI < 3.1416", "M_SQRT2 > 1.414f", "M_LN2 < 0.6932"],
               ["isinf(INFINITY) && isnan(NAN) && HUGE_VALF > 3e38f", "sqrt(4 * n) == 2", "pow(2, 3 * n) == 8",
                "fabs(-n) == 1.0", "floor(-0.5f * n) == -1", "fmax(1.5f, 2.0) == 2", "fmod(7.5f, 2.0f) == 1.5f",
                "isfinite(n) && !isnan(n)", "sqrtf(9.0f * n) == 3", "lround(2.5 * n) == 3", "fma(2.0, 3.0f, n) == 7",
                # CUDA's log2 is a logarithm times a constant, within 1 ulp: of 8 it is 3 - 2^-51, by its PTX.
                "log2(8 * n) > 3 - 1e-15 && log2(8 * n) < 3 + 1e-15", "hypot(3 * n, 4) == 5"]),
    "cmath": ([], ["std::sqrt(4.0f * n) == 2", "std::abs(-1.5f * n) == 1.5f", "std::pow(2.0f, 3.0f * n) == 8",
                   "std::isnan(NAN) && std::isinf(INFINITY) && std::isfinite(1.0f)", "std::fma(2.0f, 3.0f, 1.0f) == 7",
                   "std::floor(1.5 * n) == 1 && std::ceil(1.5f) == 2", "std::sqrt(16 * n) == 4", "std::fabs(-2.0) == 2",
                   "std::tanh(0.0f * n) == 0",
                   "std::round(2.5f) == 3 && std::trunc(-1.5f) == -1", "std::copysign(1.0f, -2.0f) == -1",
                   "std::fmin(1.0f, 2.0f) == 1 && std::fmax(1.0, 2.0) == 2"]),
    "type_traits": (["std::is_same<int, int>::value && !std::is_same_v<int, float>",
                     "std::is_integral_v<unsigned> && std::is_floating_point_v<double> && !std::is_integral_v<float>",
                     "std::is_same_v<std::conditional_t<true, int, float>, int>", "std::is_signed_v<int> && std::is_unsigned_v<bool>",
                     "std::is_same_v<std::remove_cv_t<const int>, int> && std::is_same_v<std::decay_t<int&>, int>",
                     "std::is_same_v<std::enable_if_t<true, float>, float>", "std::is_pointer_v<int*> && std::is_enum_v<Kind>",
                     "std::is_same_v<std::make_unsigned_t<int>, unsigned> && std::is_same_v<std::make_signed_t<unsigned char>, signed char>",
                     "std::is_same_v<std::common_type_t<int, float>, float>", "std::is_trivially_copyable_v<Pair>",
                     "std::is_same_v<std::underlying_type_t<Kind>, unsigned char>", "std::is_convertible_v<int, double>",
                     "std::integral_constant<int, 4>::value == 4 && std::bool_constant<true>{}", "std::extent_v<int[3]> == 3",
                     "std::is_same_v<decltype(std::declval<int>() + 1.0f), float>", "std::conjunction_v<std::true_type, std::is_void<void>>",
                     "std::is_same_v<std::remove_pointer_t<int* const>, int> && std::is_same_v<std::add_pointer_t<int&>, int*>",
                     "std::is_function_v<int(float)> && std::is_array_v<int[2]> && std::is_class_v<Pair>"], []),
    "limits": (["std::numeric_limits<int>::max() == 2147483647 && std::numeric_limits<unsigned>::min() == 0",
                "std::numeric_limits<float>::max() > 3.4e38f && std::numeric_limits<float>::lowest() < -3.4e38f",
                "std::numeric_limits<signed char>::lowest() == -128 && std::numeric_limits<float>::digits == 24",
                "std::numeric_limits<float>::epsilon() > 1e-7f && std::numeric_limits<double>::infinity() > 1e308",
                "std::numeric_limits<long long>::max() == 9223372036854775807ll && std::numeric_limits<bool>::max()",
                "std::numeric_limits<float>::has_infinity && !std::numeric_limits<int>::has_infinity"],
               ["isnan(std::numeric_limits<float>::quiet_NaN())", "isinf(-std::numeric_limits<float>::infinity())"]),
    "algorithm": (["std::min(2, 1) == 1 && std::max(2.0f, 1.0f) == 2", "std::clamp(7, 0, 5) == 5", "std::max({1, 3, 2}) == 3"],
                  ["sorts()", "std::min(n, 2) == 1", "std::max<long long>(n, 2) == 2"]),
    "utility": (["std::make_pair(1, 2.0f).first == 1", "std::index_sequence_for<int, float>::size() == 2",
                 "std::make_index_sequence<5>::size() == 5"], ["swaps()", "std::move(n) == 1", "std::exchange(n, 1) == 1"]),
    "functional": (["std::plus<int>()(1, 2) == 3 && std::less<float>()(1, 2)", "std::multiplies<>()(2, 3.0f) == 6",
                    "std::bit_xor<unsigned>()(3, 1) == 2 && std::greater<>()(2, 1)"], []),
    "numeric": ([], ["sums()", "std::gcd(12 * n, 18) == 6"]),
    "iterator": ([], ["std::distance(&n, &n + 1) == 1"]),
    "initializer_list": (["sizeof(std::initializer_list<int>) > 0"], []),
    "new": ([], ["places()"]),
    "array": (["std::array<int, 3>{1, 2, 3}[2] == 3 && std::array<float, 2>::size() == 2"], ["fills()"]),
    "bit": (["std::popcount(7u) == 3 && std::countl_zero(1u) == 31 && std::countr_zero(8u) == 3",
             "std::has_single_bit(8u)", "std::rotl(1u, 33) == 2 && std::bit_ceil(5u) == 8"],
            ["std::bit_cast<unsigned>(1.0f * n) == 0x3f800000u"]),
    "numbers": (["std::numbers::pi > 3.14159 && std::numbers::e_v<float> > 2.718f"], []),
    "concepts": (["std::integral<int> && !std::integral<float> && std::floating_point<double>", "std::same_as<int, int>"], []),
    "complex": ([], ["std::real(std::complex<float>(1, 2) * std::complex<float>(1, 2)) == -3"]),
    "tuple": ([], ["std::get<1>(std::make_tuple(1, 2.0f)) == 2"]),
    "optional": ([], ["std::optional<int>(3).value_or(1) == 3"]),
    "sys/types.h": (["sizeof(uint) == 4 && sizeof(ushort) == 2 && sizeof(ulong) == 8 && sizeof(u_char) == 1"], []),
    "cuda_runtime.h": (["sizeof(float4) == 16 && sizeof(dim3) == 12"], ["make_float2(1, 2).y == 2", "blockDim.x == 1"]),
    "cuda_runtime_api.h": (["sizeof(cudaError_t) == 4"], []),
    "cuda.h": (["sizeof(CUdevice) == 4"], []),
    "device_launch_parameters.h": ([], ["threadIdx.x == 0 && gridDim.x == 1"]),
    "vector_types.h": (["sizeof(int4) == 16"], []),
    "vector_functions.h": ([], ["make_int3(1, 2, 3).z == 3"]),
    "driver_types.h": (["cudaSuccess == 0"], []),
    "builtin_types.h": (["sizeof(uchar4) == 4"], []),
    "device_functions.h": ([], ["__popc(7) == 3"]),
    "device_atomic_functions.h": ([], ["atomicAdd(&cell, 0) == 0"]),
    "math_functions.h": ([], ["rsqrtf(4.0f * n) == 0.5f"]),
    "math_constants.h": ([], ["CUDART_PI_F > 3.14f && CUDART_INF_F > 1e38f"]),
    "cuda_fp16.h": ([], ["__half2float(__float2half(1.5f)) == 1.5f"]),
    "cuda_bf16.h": ([], ["__bfloat162float(__float2bfloat16(1.5f)) == 1.5f"]),
    "cuComplex.h": ([], ["cuCrealf(make_cuFloatComplex(1, 2)) == 1"]),
    "cooperative_groups.h": ([], ["cooperative_groups::this_thread_block().size() == 1"]),
    "curand_kernel.h": ([], ["draws()"]),
    "": (["sizeof(uint) == 4 && sizeof(ushort) == 2 && sizeof(ulong) == 8", "INT_MAX == 2147483647 && sizeof(int32_t) == 4",
          "std::is_same<std::size_t, size_t>::value"],
         ["M_PI > 3.14", "sqrt(4 * n) == 2", "pow(2.0, 3) == 8", "isinf(INFINITY)", "std::sqrt(4.0f) == 2", "std::abs(-1.0f) == 1",
          "std::min(n, 2) == 1"]),
}
# By other names.
SAME = {"cinttypes": "inttypes.h", "memory.h": "string.h", "math_functions.hpp": "math_functions.h", "vector_functions.hpp": "vector_functions.h"}
# Functions that an expression calls.
FUNCTIONS = {
    "works_on_heap": "int* p = (int*)malloc(sizeof(int)); if (!p) return false; *p = 3; bool is = *p == 3; free(p); return is;",
    "works_on_bytes": "char a[4] = {1, 2, 3, 4}, b[4]; memcpy(b, a, 4); memset(a, 0, 2); memmove(b + 1, b, 3);"
                      " return a[1] == 0 && b[3] == 3 && memcmp(b, b, 4) == 0;",
    "sorts": "int a[4] = {4, 2, 3, 1}; std::swap(a[0], a[3]); std::reverse(a + 1, a + 3); int b[4]; std::copy(a, a + 4, b);"
             " std::fill(a, a + 2, 9); return b[0] == 1 && b[1] == 3 && a[1] == 9 && *std::max_element(b, b + 4) == 4"
             " && std::lower_bound(b + 2, b + 4, 4) == b + 3"
             " && std::upper_bound(b, b + 2, 1) == b + 1;",
    "swaps": "float a = 1, b = 2; std::swap(a, b); return a == 2 && b == 1;",
    "sums": "int a[3]; std::iota(a, a + 3, 1); return std::accumulate(a, a + 3, 0) == 6 && std::inner_product(a, a + 3, a, 0) == 14;",
    "places": "alignas(int) char at[4]; int* p = new (at) int(5); return *p == 5;",
    "fills": "std::array<int, 3> a; a.fill(2); int s = 0; for (int v : a) s += v; return s == 6 && a.back() == 2;",
    "draws": "curandState s; curand_init(1, 0, 0, &s); float v = curand_uniform(&s); return v > 0 && v <= 1;",
}


def source(headers, extra=""):
    """A program that includes `headers` and stores 1 for each expression that holds, and how many there are."""
    constants, values = [], []
    for header in headers:
        uses = USES[SAME.get(header, header)]
        constants += uses[0]
        values += uses[1]
    called = [name for name in FUNCTIONS if any(f"{name}(" in value for value in values)]
    lines = [f"#include <{header}>" for header in headers if header] + ([extra] if extra else [])
    lines += ["struct Pair { int a, b; };", "enum class Kind : unsigned char { kOne };", "__device__ int cell;"]
    lines += [f"__device__ bool {name}() {{ {FUNCTIONS[name]} }}" for name in called]
    lines += [f"static_assert({constant});" for constant in constants]
    lines += ["__global__ void k(int* ok, int n) {"]
    lines += [f"  ok[{i}] = ({value});" for i, value in enumerate(["n == 1"] + values)] + ["}"]
    count = 1 + len(values)
    text = [f"//! kmux\n//! kernel k(out ok: i32[{count}], n: i32)\n//!   example n = 1\n//!   launch k<<<1, 1>>>(ok, n)"]
    return "\n".join(text + lines) + "\n", count
