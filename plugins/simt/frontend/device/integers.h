// Types and limits of <stdint.h>, in addition to the types declared before every source.
#pragma once

#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-__INT_MAX__ - 1)
#define INT64_MIN (-__LONG_MAX__ - 1l)
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX __INT_MAX__
#define INT64_MAX __LONG_MAX__
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX (__INT_MAX__ * 2u + 1)
#define UINT64_MAX (__LONG_MAX__ * 2ul + 1)
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX UINT64_MAX
#define INT8_C(value) value
#define INT16_C(value) value
#define INT32_C(value) value
#define INT64_C(value) value##l
#define UINT8_C(value) value
#define UINT16_C(value) value
#define UINT32_C(value) value##u
#define UINT64_C(value) value##ul
#define INTMAX_C(value) value##l
#define UINTMAX_C(value) value##ul

typedef long intmax_t;
typedef unsigned long uintmax_t;
#define KMUX_AT_LEAST(bits)                    \
  typedef int##bits##_t int_least##bits##_t;   \
  typedef uint##bits##_t uint_least##bits##_t; \
  typedef long int_fast##bits##_t;             \
  typedef unsigned long uint_fast##bits##_t;
KMUX_AT_LEAST(16)
KMUX_AT_LEAST(32)
KMUX_AT_LEAST(64)
#undef KMUX_AT_LEAST
typedef int8_t int_least8_t;
typedef uint8_t uint_least8_t;
typedef signed char int_fast8_t;
typedef unsigned char uint_fast8_t;
