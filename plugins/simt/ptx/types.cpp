#include "simt/ptx/types.h"

#include <algorithm>
#include <iterator>

namespace kmux::simt::ptx {
namespace {

using TypeKind = Type::Kind;

struct NamedType {
  std::string_view name;
  Type type;
};

constexpr NamedType kTypes[] = {
    {"b8", {TypeKind::kBits, 8}},
    {"b16", {TypeKind::kBits, 16}},
    {"b32", {TypeKind::kBits, 32}},
    {"b64", {TypeKind::kBits, 64}},
    {"u8", {TypeKind::kUnsigned, 8}},
    {"u16", {TypeKind::kUnsigned, 16}},
    {"u32", {TypeKind::kUnsigned, 32}},
    {"u64", {TypeKind::kUnsigned, 64}},
    {"s8", {TypeKind::kSigned, 8}},
    {"s16", {TypeKind::kSigned, 16}},
    {"s32", {TypeKind::kSigned, 32}},
    {"s64", {TypeKind::kSigned, 64}},
    {"u16x2", {TypeKind::kUnsigned, 16, 2}},
    {"s16x2", {TypeKind::kSigned, 16, 2}},
    {"f16", {TypeKind::kFloat, 16}},
    {"f16x2", {TypeKind::kFloat, 16, 2}},
    {"f32", {TypeKind::kFloat, 32}},
    {"f64", {TypeKind::kFloat, 64}},
    {"bf16", {TypeKind::kBfloat, 16}},
    {"bf16x2", {TypeKind::kBfloat, 16, 2}},
    {"tf32", {TypeKind::kTf32, 32}},
    {"e4m3x2", {TypeKind::kE4m3, 8, 2}},
    {"e5m2x2", {TypeKind::kE5m2, 8, 2}},
    {"pred", kPredicate},
};

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &NamedType::name);
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->type);
}

}  // namespace kmux::simt::ptx
