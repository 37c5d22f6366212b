#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/dlpack.h"
#include "kmux/error.h"

namespace kmux {

/// An element type: DLPack's code, bits and lanes.
///
/// Source: DLPack 1.1, DLDataType.
struct DType {
  std::uint8_t code = kDLFloat;  // DLDataTypeCode
  std::uint8_t bits = 32;  // of one lane
  std::uint16_t lanes = 1;  // 1: not a vector

  bool operator==(const DType&) const = default;
};

/// Converts a DLPack type.
inline DType to_dtype(DLDataType type) { return {type.code, type.bits, type.lanes}; }
/// Converts to a DLPack type.
inline DLDataType to_dldatatype(DType type) { return {type.code, type.bits, type.lanes}; }

/// Returns "float32", "bfloat16", "float8_e4m3fn", "bool", "int4", "float16x4" (lanes).
std::string to_string(DType type);

/// Reads the form that `to_string` writes; also the short spellings "fp16", "f32", "bf16", "i64", "u8", "fp8_e4m3".
///
/// Errors: invalid_argument that names the text and lists known types.
Result<DType> parse_dtype(std::string_view text);

/// Returns the bits of one element, lanes included.
constexpr std::int64_t total_bits(DType type) { return std::int64_t{type.bits} * type.lanes; }

/// Returns the bytes that `count` elements occupy, rounded up to whole bytes (sub-byte types are packed).
constexpr std::int64_t packed_bytes(DType type, std::int64_t count) { return (total_bits(type) * count + 7) / 8; }

bool is_integer(DType type);  // signed or unsigned, not bool
bool is_float(DType type);    // float, bfloat16 and all float8/6/4 kinds
/// Returns true for a bool.
bool is_bool(DType type);
/// Returns true for a complex number of two float32 or two float64, the real part first.
bool is_complex(DType type);
/// Returns the type of the numbers in an element: those of a vector, the two parts of a complex number; else `type`
/// itself.
DType number_of(DType type);

/// Returns true if a tensor of type `actual` may be passed where the signature has `expected`. Equal types are
/// compatible; so are bool and int8/uint8, the variants of float8 e4m3, those of e5m2, and sub-byte types of the same
/// total bits.
bool is_compatible(DType expected, DType actual);

namespace dtype {
inline constexpr DType kBool{kDLBool, 8, 1};
inline constexpr DType kInt8{kDLInt, 8, 1};
inline constexpr DType kInt16{kDLInt, 16, 1};
inline constexpr DType kInt32{kDLInt, 32, 1};
inline constexpr DType kInt64{kDLInt, 64, 1};
inline constexpr DType kUInt8{kDLUInt, 8, 1};
inline constexpr DType kUInt16{kDLUInt, 16, 1};
inline constexpr DType kUInt32{kDLUInt, 32, 1};
inline constexpr DType kUInt64{kDLUInt, 64, 1};
inline constexpr DType kFloat16{kDLFloat, 16, 1};
inline constexpr DType kBFloat16{kDLBfloat, 16, 1};
inline constexpr DType kFloat32{kDLFloat, 32, 1};
inline constexpr DType kFloat64{kDLFloat, 64, 1};
inline constexpr DType kComplex64{kDLComplex, 64, 1};
inline constexpr DType kComplex128{kDLComplex, 128, 1};
inline constexpr DType kFloat8E4M3{kDLFloat8_e4m3, 8, 1};
inline constexpr DType kFloat8E4M3FN{kDLFloat8_e4m3fn, 8, 1};
inline constexpr DType kFloat8E4M3FNUZ{kDLFloat8_e4m3fnuz, 8, 1};
inline constexpr DType kFloat8E5M2{kDLFloat8_e5m2, 8, 1};
inline constexpr DType kFloat8E5M2FNUZ{kDLFloat8_e5m2fnuz, 8, 1};
}  // namespace dtype

/// The DLDataTypeCode of a C++ type that can be a tensor element: bool, integers, float, double, and the types that
/// `kmux/complex.h` adds; kDLOpaqueHandle for any other.
template <class T>
inline constexpr std::uint8_t dtype_code = std::same_as<T, bool>                               ? kDLBool
                                           : std::same_as<T, float> || std::same_as<T, double> ? kDLFloat
                                           : std::unsigned_integral<T>                         ? kDLUInt
                                           : std::integral<T>                                  ? kDLInt
                                                                                               : kDLOpaqueHandle;

/// C++ types that can be tensor elements.
template <class T>
concept HasDType = dtype_code<T> != kDLOpaqueHandle;

/// The dtype of a C++ type.
template <HasDType T>
inline constexpr DType dtype_of{dtype_code<T>, std::uint8_t{8 * sizeof(T)}, 1};

}  // namespace kmux
