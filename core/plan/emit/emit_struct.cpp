// SPDX-License-Identifier: Apache-2.0
// Prints the structures that a launch passes by value, as C++.
#include <algorithm>
#include <bit>

#include "kmux/plugin/emit.h"
#include "kmux/plugin/rounding.h"
#include "kmux/plugin/tensor_map.h"

#include "emit_value.h"

namespace kmux {
namespace {

constexpr std::size_t kPlaceAlignment = 16;  // calling conventions align values in memory to 8 or 16 bytes

std::string member_name(std::size_t index) { return "m" + std::to_string(index); }

bool same_layout(const PlanStruct& a, const PlanStruct& b) {
  const auto same = [](const PlanMember& one, const PlanMember& other) {
    return one.offset_bytes == other.offset_bytes && type_of(one) == type_of(other) &&
           is_tensor_map(one) == is_tensor_map(other);
  };
  return a.bytes == b.bytes && a.alignment_bytes == b.alignment_bytes && std::ranges::equal(a.members, b.members, same);
}

// Returns the structures of all launches, each layout once.
std::vector<const PlanStruct*> layouts(const Plan& plan) {
  std::vector<const PlanStruct*> found;
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    for (const PlanArg& arg : launch.args) {
      const auto* const record = std::get_if<PlanStruct>(&arg);
      const auto is_known = [&](const PlanStruct* known) { return same_layout(*known, *record); };
      if (record != nullptr && std::ranges::none_of(found, is_known)) found.push_back(record);
    }
  });
  return found;
}

std::string type_name(std::size_t layout) { return "kmux_struct_" + std::to_string(layout); }

std::string type_name(const Plan& plan, const PlanStruct& record) {
  const std::vector<const PlanStruct*> known = layouts(plan);
  const auto is_same = [&](const PlanStruct* other) { return same_layout(*other, record); };
  return type_name(static_cast<std::size_t>(std::ranges::find_if(known, is_same) - known.begin()));
}

// Returns "alignas(8) " or the like if the member would otherwise begin before `offset`, as after a flattened
// structure.
std::string alignment_text(std::size_t end, std::size_t own, std::size_t offset) {
  std::size_t alignment = own;
  while (rounded_up(end, alignment) < offset) alignment *= 2;
  return alignment == own ? "" : "alignas(" + std::to_string(alignment) + ") ";
}

std::string type_text(const PlanMember& member, const MemberType& type) {
  if (is_tensor_map(member)) return "kmux_tensor_map";
  const std::optional<DType> number = type_of(member);
  return number ? type(*number) : "void*";
}

// Returns the alignment of a member in C++.
std::size_t alignment_of(const PlanMember& member) {
  return is_tensor_map(member) ? alignof(kmux_tensor_map) : std::bit_floor(bytes_of(member));
}

void emit_type(CodeWriter& out, const std::string& name, const PlanStruct& record, const MemberType& type) {
  out.open("struct alignas(" + std::to_string(record.alignment_bytes) + ") " + name + " {");
  std::size_t end = 0;
  for (std::size_t i = 0; i < record.members.size(); ++i) {
    const PlanMember& member = record.members[i];
    out.line(alignment_text(end, alignment_of(member), member.offset_bytes) + type_text(member, type) + " " +
             member_name(i) + ";");
    end = member.offset_bytes + bytes_of(member);
  }
  out.close("};");
}

}  // namespace

void emit_struct_types(CodeWriter& out, const Plan& plan, const MemberType& type) {
  const std::vector<const PlanStruct*> all = layouts(plan);
  for (std::size_t i = 0; i < all.size(); ++i) emit_type(out, type_name(i), *all[i], type);
}

PrintedArg emit_struct(CodeWriter& out, const Plan& plan, const PlanStruct& record, const std::string& name,
                       const std::string& what) {
  const std::size_t alignment = std::max(record.alignment_bytes, kPlaceAlignment);
  const std::string type = type_name(plan, record);
  out.line("alignas(" + std::to_string(alignment) + ") " + type + " " + name + ";");
  if (has_gaps(record)) out.line("__builtin_memset(&" + name + ", 0, sizeof " + name + ");");
  for (std::size_t i = 0; i < record.members.size(); ++i) {
    const std::string value = name + "_" + std::to_string(i);
    const auto print = [&](const auto& member) { return emit_arg(out, plan, PlanArg(member), value, what); };
    const PrintedArg printed = std::visit(print, record.members[i].value);
    const std::string place = name + "." + member_name(i);
    // Numbers of types that C++17 lacks are passed as bits.
    if (const auto number = type_of(record.members[i]); number && is_float(*number) && number->bits <= 16) {
      const std::string bits = value + "_bits";
      out.line("const " + printed.type + " " + bits + " = " + printed.value + ";");
      out.line(std::string("__builtin_memcpy(&")
                   .append(place)
                   .append(", &")
                   .append(bits)
                   .append(", sizeof ")
                   .append(bits)
                   .append(");"));
    } else {
      out.line(place + " = " + printed.value + ";");
    }
  }
  return {type, name, /*is_place=*/true};
}

}  // namespace kmux
