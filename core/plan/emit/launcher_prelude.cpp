#include <array>
#include <cstddef>

#include "kmux/plugin/emit.h"

#include "emit_value.h"

namespace kmux {
namespace {

constexpr std::string_view kCallStructs = R"(#ifndef KMUX_PLUGIN_H_
enum {
  KMUX_OK,
  KMUX_INVALID_ARGUMENT,
  KMUX_UNSUPPORTED,
  KMUX_UNAVAILABLE,
  KMUX_COMPILE_FAILED,
  KMUX_LAUNCH_FAILED,
  KMUX_INTERNAL,
  KMUX_CANCELLED,
  KMUX_TIMED_OUT,
  KMUX_OUT_OF_MEMORY
};
union kmux_slot {
  void* ptr;
  __INT64_TYPE__ i64;
  __UINT64_TYPE__ bits;
};
struct kmux_sink {
  void* self;
  __INT32_TYPE__ (*write)(void* self, const char* data, __SIZE_TYPE__ size);
};
struct kmux_allocator {
  __SIZE_TYPE__ struct_size;
  void* self;
  __INT32_TYPE__ (*allocate)(void* self, __INT32_TYPE__ device, void* stream, __SIZE_TYPE__ bytes,
                             __SIZE_TYPE__ alignment, void** address);
  void (*free)(void* self, __INT32_TYPE__ device, void* stream, void* address);
};
struct kmux_launch_env {
  __UINT32_TYPE__ struct_size;
  __INT32_TYPE__ device;
  void* stream;
  const kmux_allocator* allocator;
  __UINT32_TYPE__ lane;
  __UINT32_TYPE__ reserved;
};
#endif
)";

// A piece of the prelude, printed if its name occurs in later code.
struct Snippet {
  std::string_view name;
  std::string_view text;
};

// Each piece may use only earlier ones.
constexpr std::array kSnippets = {
    Snippet{"kmux_write", R"(
static inline void kmux_write(kmux_sink sink, const char* text) { sink.write(sink.self, text, __builtin_strlen(text)); }
)"},
    Snippet{"kmux_write_number", R"(
static inline void kmux_write_number(kmux_sink sink, long long number) {
  char text[24];
  char* begin = text + sizeof text;
  unsigned long long rest = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
  *--begin = '\0';
  for (; rest > 9; rest /= 10) *--begin = (char)('0' + rest % 10);
  *--begin = (char)('0' + rest);
  if (number < 0) *--begin = '-';
  kmux_write(sink, begin);
}
)"},
    Snippet{"kmux_fail", R"(
__attribute__((cold, noinline)) static int kmux_fail(kmux_sink error, int code, const char* text) {
  kmux_write(error, text);
  return code;
}
)"},
    Snippet{"kmux_bad_value", R"(
__attribute__((cold, noinline)) static int kmux_bad_value(kmux_sink error, int fault, const char* what) {
  const char* const reasons[] = {"", "the value does not fit into 64 bits", "division by zero",
                                 "a shift count outside 0..63", "the value does not fit its type",
                                 "the value is out of range"};
  kmux_write(error, "cannot evaluate ");
  kmux_write(error, what);
  kmux_write(error, " (");
  kmux_write(error, reasons[fault]);
  kmux_write(error, "). Pass arguments for which it has a value.");
  return KMUX_INVALID_ARGUMENT;
}
)"},
    Snippet{"kmux_note", R"(
// Arithmetic notes its first failure in `fault` and goes on with 0; the launcher looks at it before it uses a value.
enum { kmux_overflow = 1, kmux_zero_divisor, kmux_shift_count, kmux_no_fit, kmux_out_of_range };
static inline long long kmux_note(int& fault, int reason) {
  if (fault == 0) fault = reason;
  return 0;
}
)"},
    Snippet{"kmux_add", R"(
static inline long long kmux_add(long long a, long long b, int& fault) {
  long long sum;
  return __builtin_add_overflow(a, b, &sum) ? kmux_note(fault, kmux_overflow) : sum;
}
)"},
    Snippet{"kmux_sub", R"(
static inline long long kmux_sub(long long a, long long b, int& fault) {
  long long difference;
  return __builtin_sub_overflow(a, b, &difference) ? kmux_note(fault, kmux_overflow) : difference;
}
)"},
    Snippet{"kmux_mul", R"(
static inline long long kmux_mul(long long a, long long b, int& fault) {
  long long product;
  return __builtin_mul_overflow(a, b, &product) ? kmux_note(fault, kmux_overflow) : product;
}
)"},
    Snippet{"kmux_truncdiv", R"(
static inline long long kmux_truncdiv(long long a, long long b, int& fault) {
  if (b == 0) return kmux_note(fault, kmux_zero_divisor);
  if (b == -1 && a == -9223372036854775807LL - 1) return kmux_note(fault, kmux_overflow);
  return a / b;
}
)"},
    Snippet{"kmux_truncmod", R"(
static inline long long kmux_truncmod(long long a, long long b, int& fault) {
  if (b == 0) return kmux_note(fault, kmux_zero_divisor);
  return b == -1 ? 0 : a % b;
}
)"},
    Snippet{"kmux_floordiv", R"(
static inline long long kmux_floordiv(long long a, long long b, int& fault) {
  const long long quotient = kmux_truncdiv(a, b, fault);
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
)"},
    Snippet{"kmux_ceildiv", R"(
static inline long long kmux_ceildiv(long long a, long long b, int& fault) {
  const long long quotient = kmux_truncdiv(a, b, fault);
  return quotient * b != a && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}
)"},
    Snippet{"kmux_floormod", R"(
static inline long long kmux_floormod(long long a, long long b, int& fault) {
  const long long remainder = kmux_truncmod(a, b, fault);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
)"},
    Snippet{"kmux_min", R"(
static inline long long kmux_min(long long a, long long b) { return a < b ? a : b; }
)"},
    Snippet{"kmux_max", R"(
static inline long long kmux_max(long long a, long long b) { return a < b ? b : a; }
)"},
    Snippet{"kmux_shl", R"(
static inline long long kmux_shl(long long a, long long count, int& fault) {
  if (count < 0 || count > 63) return kmux_note(fault, kmux_shift_count);
  const long long shifted = (long long)((unsigned long long)a << count);
  return (shifted >> count) == a ? shifted : kmux_note(fault, kmux_overflow);
}
)"},
    Snippet{"kmux_shr", R"(
static inline long long kmux_shr(long long a, long long count, int& fault) {
  return count < 0 || count > 63 ? kmux_note(fault, kmux_shift_count) : a >> count;
}
)"},
    Snippet{"kmux_cast", R"(
static inline long long kmux_cast(long long a, long long low, long long high, int& fault) {
  return a < low || a > high ? kmux_note(fault, kmux_no_fit) : a;
}
)"},
    Snippet{"kmux_no_cast", R"(
static inline long long kmux_no_cast(long long, int& fault) { return kmux_note(fault, kmux_no_fit); }
)"},
    Snippet{"kmux_size", R"(
static inline long long kmux_size(long long bytes, int& fault) {
  return bytes < 0 ? kmux_note(fault, kmux_out_of_range) : bytes;
}
)"},
    Snippet{"kmux_extent", R"(
static inline long long kmux_extent(long long extent, long long low, int& fault) {
  return extent < low || extent > 2147483647 ? kmux_note(fault, kmux_out_of_range) : extent;
}
)"},
    Snippet{"kmux_float32", R"(
static inline float kmux_float32(kmux_slot slot) {
  const __UINT32_TYPE__ bits = (__UINT32_TYPE__)slot.bits;
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
)"},
    Snippet{"kmux_float64", R"(
static inline double kmux_float64(kmux_slot slot) {
  double value;
  __builtin_memcpy(&value, &slot.bits, sizeof value);
  return value;
}
)"},
    Snippet{"kmux_memory", R"(
// Device memory for one call, freed on every way out. No allocator need align to more than 256 bytes: for more, that
// much more is allocated and the address rounded up.
struct kmux_memory {
  const kmux_launch_env* env;
  void* whole;  // as it was allocated
  void* address;
  explicit kmux_memory(const kmux_launch_env* of) : env(of), whole(nullptr), address(nullptr) {}
  kmux_memory(const kmux_memory&) = delete;
  ~kmux_memory() {
    if (whole != nullptr) env->allocator->free(env->allocator->self, env->device, env->stream, whole);
  }
  int allocate(long long bytes, long long alignment, const char* name, kmux_sink error) {
    if (bytes == 0) return KMUX_OK;
    const long long granted = alignment < 256 ? alignment : 256;
    long long wanted;
    const int code = __builtin_add_overflow(bytes, alignment - granted, &wanted)
                         ? KMUX_UNAVAILABLE
                         : env->allocator->allocate(env->allocator->self, env->device, env->stream,
                                                    (__SIZE_TYPE__)wanted, (__SIZE_TYPE__)granted, &whole);
    if (code == KMUX_OK) {
      address = (char*)whole + ((0 - (__SIZE_TYPE__)whole) & (__SIZE_TYPE__)(alignment - 1));
      return KMUX_OK;
    }
    whole = nullptr;
    kmux_write(error, "cannot allocate workspace \"");
    kmux_write(error, name);
    kmux_write(error, "\" (");
    kmux_write_number(error, bytes);
    kmux_write(error, " bytes on device ");
    kmux_write_number(error, env->device);
    kmux_write(error, "). Free memory or pass smaller tensors.");
    return code;
  }
};
)"},
};

}  // namespace

const std::string& launcher_prelude() {
  static const std::string& whole = *new const std::string([] {
    std::string text(kCallStructs);
    for (const Snippet& snippet : kSnippets) text += snippet.text;
    return text;
  }());
  return whole;
}

std::string launcher_prelude_for(std::string_view code) {
  std::array<bool, kSnippets.size()> is_used{};
  for (std::size_t i = kSnippets.size(); i-- > 0;) {
    is_used[i] = mentions(code, kSnippets[i].name);
    for (std::size_t j = i + 1; j < kSnippets.size() && !is_used[i]; ++j) {
      is_used[i] = is_used[j] && mentions(kSnippets[j].text, kSnippets[i].name);
    }
  }
  std::string text(kCallStructs);
  for (std::size_t i = 0; i < kSnippets.size(); ++i) {
    if (is_used[i]) text += kSnippets[i].text;
  }
  return text;
}

}  // namespace kmux
