// The subset of <string.h>, <stdlib.h> and <stdio.h> for device code. The compiler has memcpy, memset, malloc, free and printf.
#pragma once
#include <stddef.h>

#ifndef EXIT_SUCCESS
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
#ifndef RAND_MAX
#define RAND_MAX 2147483647
#endif
#ifndef EOF
#define EOF (-1)
#endif

inline void* memmove(void* to, const void* from, size_t bytes) {
  unsigned char* const target = static_cast<unsigned char*>(to);
  const unsigned char* const source = static_cast<const unsigned char*>(from);
  if (target < source) {
    for (size_t i = 0; i < bytes; ++i) target[i] = source[i];
  } else {
    for (size_t i = bytes; i > 0; --i) target[i - 1] = source[i - 1];
  }
  return to;
}
inline int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char* const first = static_cast<const unsigned char*>(a);
  const unsigned char* const second = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < bytes; ++i) {
    if (first[i] != second[i]) return first[i] < second[i] ? -1 : 1;
  }
  return 0;
}
inline size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}
inline int strcmp(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}
inline int strncmp(const char* a, const char* b, size_t count) {
  for (; count > 0; --count, ++a, ++b) {
    if (*a != *b || *a == '\0') return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
  }
  return 0;
}
inline char* strcpy(char* to, const char* from) {
  char* place = to;
  while ((*place++ = *from++) != '\0') {
  }
  return to;
}

struct div_t {
  int quot, rem;
};
struct ldiv_t {
  long quot, rem;
};
struct lldiv_t {
  long long quot, rem;
};
inline div_t div(int a, int b) { return {a / b, a % b}; }
inline ldiv_t ldiv(long a, long b) { return {a / b, a % b}; }
inline lldiv_t lldiv(long long a, long long b) { return {a / b, a % b}; }

namespace std {
using ::abs;
using ::div;
using ::div_t;
using ::free;
using ::labs;
using ::ldiv;
using ::ldiv_t;
using ::llabs;
using ::lldiv;
using ::lldiv_t;
using ::malloc;
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
using ::printf;
using ::strcmp;
using ::strcpy;
using ::strlen;
using ::strncmp;
}  // namespace std
