#include "kmux/dtype.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace kmux {
namespace {

struct Name {
  std::string_view text;
  std::uint8_t code;
  std::uint8_t bits;
};

// The canonical names, one a type.
constexpr std::array kNames = {
    Name{"bool", kDLBool, 8},
    Name{"int1", kDLInt, 1},
    Name{"int2", kDLInt, 2},
    Name{"int4", kDLInt, 4},
    Name{"int8", kDLInt, 8},
    Name{"int16", kDLInt, 16},
    Name{"int32", kDLInt, 32},
    Name{"int64", kDLInt, 64},
    Name{"uint1", kDLUInt, 1},
    Name{"uint2", kDLUInt, 2},
    Name{"uint4", kDLUInt, 4},
    Name{"uint8", kDLUInt, 8},
    Name{"uint16", kDLUInt, 16},
    Name{"uint32", kDLUInt, 32},
    Name{"uint64", kDLUInt, 64},
    Name{"float16", kDLFloat, 16},
    Name{"float32", kDLFloat, 32},
    Name{"float64", kDLFloat, 64},
    Name{"bfloat16", kDLBfloat, 16},
    Name{"complex64", kDLComplex, 64},
    Name{"complex128", kDLComplex, 128},
    Name{"handle", kDLOpaqueHandle, 64},
    Name{"float8_e3m4", kDLFloat8_e3m4, 8},
    Name{"float8_e4m3", kDLFloat8_e4m3, 8},
    Name{"float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8},
    Name{"float8_e4m3fn", kDLFloat8_e4m3fn, 8},
    Name{"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8},
    Name{"float8_e5m2", kDLFloat8_e5m2, 8},
    Name{"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8},
    Name{"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8},
    Name{"float6_e2m3fn", kDLFloat6_e2m3fn, 6},
    Name{"float6_e3m2fn", kDLFloat6_e3m2fn, 6},
    Name{"float4_e2m1fn", kDLFloat4_e2m1fn, 4},
};

struct Alias {
  std::string_view text;
  std::string_view name;
};

// What TileLang, PyTorch and people write.
constexpr std::array kAliases = {
    Alias{"int", "int32"},
    Alias{"long", "int64"},
    Alias{"short", "int16"},
    Alias{"half", "float16"},
    Alias{"float", "float32"},
    Alias{"double", "float64"},
    Alias{"fp16", "float16"},
    Alias{"fp32", "float32"},
    Alias{"fp64", "float64"},
    Alias{"f16", "float16"},
    Alias{"f32", "float32"},
    Alias{"f64", "float64"},
    Alias{"bf16", "bfloat16"},
    Alias{"i8", "int8"},
    Alias{"i16", "int16"},
    Alias{"i32", "int32"},
    Alias{"i64", "int64"},
    Alias{"u8", "uint8"},
    Alias{"u16", "uint16"},
    Alias{"u32", "uint32"},
    Alias{"u64", "uint64"},
    Alias{"e4m3", "float8_e4m3"},
    Alias{"fp8_e4m3", "float8_e4m3"},
    Alias{"e4m3_float8", "float8_e4m3"},
    Alias{"fp8_e4m3fn", "float8_e4m3fn"},
    Alias{"fp8_e4m3fnuz", "float8_e4m3fnuz"},
    Alias{"e5m2", "float8_e5m2"},
    Alias{"fp8_e5m2", "float8_e5m2"},
    Alias{"e5m2_float8", "float8_e5m2"},
    Alias{"fp8_e5m2fnuz", "float8_e5m2fnuz"},
    Alias{"fp8_e8m0", "float8_e8m0fnu"},
    Alias{"fp6_e2m3", "float6_e2m3fn"},
    Alias{"fp6_e3m2", "float6_e3m2fn"},
    Alias{"fp4_e2m1", "float4_e2m1fn"},
    Alias{"fp4", "float4_e2m1fn"},
};

template <class Integer>
std::optional<Integer> parse_number(std::string_view text) {
  Integer value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<DType> parse_element(std::string_view text) {
  const auto alias =
      std::find_if(kAliases.begin(), kAliases.end(), [&](const Alias& candidate) { return candidate.text == text; });
  const std::string_view name = alias == kAliases.end() ? text : alias->name;
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const Name& candidate) { return candidate.text == name; });
  if (found == kNames.end()) return std::nullopt;
  return DType{found->code, found->bits, 1};
}

// "dtype_CODE_BITS": types that DLPack can say and nobody has named.
std::optional<DType> parse_unnamed(std::string_view text) {
  constexpr std::string_view kPrefix = "dtype_";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  const std::size_t bar = text.find('_');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto code = parse_number<std::uint8_t>(text.substr(0, bar));
  const auto bits = parse_number<std::uint8_t>(text.substr(bar + 1));
  if (!code || !bits) return std::nullopt;
  return DType{*code, *bits, 1};
}

std::optional<DType> parse_vector(std::string_view text) {
  const std::size_t x = text.rfind('x');
  if (x == std::string_view::npos) return std::nullopt;
  const auto lanes = parse_number<std::uint16_t>(text.substr(x + 1));
  auto type = parse_element(text.substr(0, x));
  if (!type) type = parse_unnamed(text.substr(0, x));
  if (!type || !lanes) return std::nullopt;
  type->lanes = *lanes;
  return type;
}

Error unknown(std::string_view text) {
  std::string known;
  for (const Name& name : kNames) known.append(known.empty() ? "" : ", ").append(name.text);
  return make_error(ErrorCode::kInvalidArgument, "unknown dtype \"" + std::string(text) + "\". Use one of " + known +
                                                     ", or a vector such as float16x4.");
}

bool is_e4m3(DType type) {
  return type.code == kDLFloat8_e4m3 || type.code == kDLFloat8_e4m3fn || type.code == kDLFloat8_e4m3fnuz;
}

bool is_e5m2(DType type) { return type.code == kDLFloat8_e5m2 || type.code == kDLFloat8_e5m2fnuz; }

bool is_byte_or_bool(DType type) { return type.bits == 8 && (is_bool(type) || is_integer(type)); }

}  // namespace

std::string to_string(DType type) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const Name& name) { return name.code == type.code && name.bits == type.bits; });
  std::string text = found != kNames.end() ? std::string(found->text)
                                           : "dtype_" + std::to_string(type.code) + "_" + std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

Result<DType> parse_dtype(std::string_view text) {
  if (const auto type = parse_element(text)) return *type;
  if (const auto type = parse_unnamed(text)) return *type;
  if (const auto type = parse_vector(text)) return *type;
  return unknown(text);
}

bool is_integer(DType type) { return type.code == kDLInt || type.code == kDLUInt; }

bool is_float(DType type) {
  return type.code == kDLFloat || type.code == kDLBfloat ||
         (type.code >= kDLFloat8_e3m4 && type.code <= kDLFloat4_e2m1fn);
}

bool is_bool(DType type) { return type.code == kDLBool; }

bool is_compatible(DType expected, DType actual) {
  if (expected == actual) return true;
  if (expected.bits < 8 && actual.bits < 8) return total_bits(expected) == total_bits(actual);
  if (expected.lanes != actual.lanes || expected.bits != actual.bits) return false;
  if (is_byte_or_bool(expected) && is_byte_or_bool(actual)) return is_bool(expected) || is_bool(actual);
  return (is_e4m3(expected) && is_e4m3(actual)) || (is_e5m2(expected) && is_e5m2(actual));
}

}  // namespace kmux
