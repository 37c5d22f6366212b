// <stdint.h> and <cstdint>. Uses CCCL's version if found, so that sources may include both.
#pragma once
#if __cplusplus >= 201703L && __has_include(<cuda/std/cstdint>)
#include <cuda/std/cstdint>
#else
#include <limits.h>
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
#define KMUX_AT_LEAST(bits)                    \
  typedef int##bits##_t int_least##bits##_t;   \
  typedef int##bits##_t int_fast##bits##_t;    \
  typedef uint##bits##_t uint_least##bits##_t; \
  typedef uint##bits##_t uint_fast##bits##_t;
KMUX_AT_LEAST(8)
KMUX_AT_LEAST(16)
KMUX_AT_LEAST(32)
KMUX_AT_LEAST(64)
#undef KMUX_AT_LEAST
#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define UINT8_MAX UCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LLONG_MIN
#define INT64_MAX LLONG_MAX
#define UINT64_MAX ULLONG_MAX
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX UINT64_MAX
#define INT8_C(value) ((int_least8_t)(value))
#define INT16_C(value) ((int_least16_t)(value))
#define INT32_C(value) ((int_least32_t)(value))
#define INT64_C(value) ((int_least64_t)(value))
#define UINT8_C(value) ((uint_least8_t)(value))
#define UINT16_C(value) ((uint_least16_t)(value))
#define UINT32_C(value) ((uint_least32_t)(value))
#define UINT64_C(value) ((uint_least64_t)(value))
#define INTMAX_C(value) ((intmax_t)(value))
#define UINTMAX_C(value) ((uintmax_t)(value))
#endif
// Macros of <inttypes.h>.
#define PRId32 "d"
#define PRIi32 "i"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRId64 "lld"
#define PRIi64 "lli"
#define PRIu64 "llu"
#define PRIx64 "llx"

namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::int_fast16_t;
using ::int_fast32_t;
using ::int_fast64_t;
using ::int_fast8_t;
using ::int_least16_t;
using ::int_least32_t;
using ::int_least64_t;
using ::int_least8_t;
using ::intmax_t;
using ::intptr_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uint_fast16_t;
using ::uint_fast32_t;
using ::uint_fast64_t;
using ::uint_fast8_t;
using ::uint_least16_t;
using ::uint_least32_t;
using ::uint_least64_t;
using ::uint_least8_t;
using ::uintmax_t;
using ::uintptr_t;
}  // namespace std
