#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kmux::simt::ptx {

/// A type of PTX, as a part of a mnemonic names it (".u32", ".bf16x2").
struct Type {
  enum class Kind : std::uint8_t { kBits, kUnsigned, kSigned, kFloat, kBfloat, kTf32, kE4m3, kE5m2, kPredicate };
  Kind kind = Kind::kBits;
  unsigned bits = 0;  // of an element
  unsigned count = 1;  // elements of a packed type

  bool operator==(const Type&) const = default;
  /// Returns the bits of all elements.
  unsigned whole() const { return bits * count; }
  /// Returns true for integers and untyped bits of one element or two.
  bool is_integer() const { return kind <= Kind::kSigned; }
  bool is_signed() const { return kind == Kind::kSigned; }
  /// Returns true for f32 and f64.
  bool is_native_float() const { return kind == Kind::kFloat && bits >= 32; }
  /// Returns true for f16 and bf16, packed or not.
  bool is_half() const { return bits == 16 && (kind == Kind::kFloat || kind == Kind::kBfloat); }
  /// Returns the type of one element.
  Type element() const { return {kind, bits, 1}; }
};

inline constexpr Type kB16{Type::Kind::kBits, 16};
inline constexpr Type kB32{Type::Kind::kBits, 32};
inline constexpr Type kB64{Type::Kind::kBits, 64};
inline constexpr Type kPredicate{Type::Kind::kPredicate, 1};

/// Returns the type that the part `name` of a mnemonic names; empty if it names none.
std::optional<Type> type_named(std::string_view name);

}  // namespace kmux::simt::ptx
