#include "kmux/dtype.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>

#include "kmux/guarded.h"

#include "ir/printed/dlpack_facts.h"

namespace kmux {
namespace {

struct Alias {
  std::string_view text;
  std::string_view name;
};

// Spellings used by TileLang, PyTorch and people.
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
  const auto found = std::ranges::find_if(kDTypeNames, [&](const DTypeName& known) { return known.text == name; });
  if (found == std::end(kDTypeNames)) return std::nullopt;
  return DType{found->code, found->bits, 1};
}

// Parses "dtype_CODE_BITS", the form of types that DLPack can express but does not name.
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
  for (const DTypeName& name : kDTypeNames) known.append(known.empty() ? "" : ", ").append(name.text);
  return make_error(ErrorCode::kInvalidArgument, "unknown dtype \"" + std::string(text) + "\". Use one of " + known +
                                                     ", or a vector such as float16x4.");
}

}  // namespace

std::string to_string(DType type) {
  const char* const name = dtype_name(to_dldatatype(type));
  std::string text =
      name != nullptr ? std::string(name) : "dtype_" + std::to_string(type.code) + "_" + std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

Result<DType> parse_dtype(std::string_view text) {
  return guarded([&]() -> Result<DType> {
    if (const auto type = parse_element(text)) return *type;
    if (const auto type = parse_unnamed(text)) return *type;
    if (const auto type = parse_vector(text)) return *type;
    return unknown(text);
  });
}

bool is_integer(DType type) { return type.code == kDLInt || type.code == kDLUInt; }

bool is_float(DType type) {
  return type.code == kDLFloat || type.code == kDLBfloat ||
         (type.code >= kDLFloat8_e3m4 && type.code <= kDLFloat4_e2m1fn);
}

bool is_bool(DType type) { return type.code == kDLBool; }

bool is_complex(DType type) { return type.code == kDLComplex && (type.bits == 64 || type.bits == 128); }

DType number_of(DType type) {
  if (!is_complex(type)) return {type.code, type.bits, 1};
  return {kDLFloat, static_cast<std::uint8_t>(type.bits / 2), 1};
}

bool is_compatible(DType expected, DType actual) {
  return is_compatible(to_dldatatype(expected), to_dldatatype(actual));
}

}  // namespace kmux
