// SPDX-License-Identifier: Apache-2.0
// Reads the members of records that a kernel takes by value, as a launch can pass them.
#include "simt/frontend/source_records.h"

#include <algorithm>
#include <utility>

#include "kmux/plugin/rounding.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

namespace kmux::simt {
namespace {

constexpr std::size_t kMaxMembers = 32;  // which callers pass one by one

/// Reads one record, and compares its layout with that of C, which a launch uses.
class RecordReader {
 public:
  RecordReader(const clang::ASTContext& context, const ElementType& dtype_of)
      : context_(context), dtype_of_(dtype_of) {}

  RecordMembers read(const clang::RecordDecl& record) {
    RecordMembers result;
    result.members = members_of(record, result.alignment);
    if (problem_.empty() && count_ > kMaxMembers) problem_ = "it has " + std::to_string(count_) + " members";
    if (problem_.empty() && count_ == 0) problem_ = "it has no members";
    if (problem_.empty() && !is_plain_) problem_ = "it is not laid out as C does";
    result.problem = std::move(problem_);
    return result;
  }

 private:
  /// The layout that C gives a member, or a nested record.
  struct Layout {
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
  };

  static std::string why_not(const clang::RecordDecl& record) {
    if (record.isUnion()) return "it is or has a union";
    if (record.isInvalidDecl() || !record.isCompleteDefinition() || record.isDependentContext())
      return "it is not defined";
    if (!record.canPassInRegisters()) return "its copies are made by functions of its own";
    const auto* const type = llvm::dyn_cast<clang::CXXRecordDecl>(&record);
    return type != nullptr && type->isDynamicClass() ? "it has virtual functions" : "";
  }

  // Sets `alignment` to that with which the record is declared beyond that of its members.
  Json::Array members_of(const clang::RecordDecl& record, std::int64_t& alignment) {
    Json::Array members;
    Layout whole;
    if (problem_.empty()) problem_ = why_not(record);
    if (!problem_.empty()) return members;
    const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
    if (const auto* const type = llvm::dyn_cast<clang::CXXRecordDecl>(&record))
      add_bases(members, *type, layout, whole);
    for (const clang::FieldDecl* const field : record.fields()) {
      if (field->isBitField()) problem_ = "it has bit-fields";
      if (!problem_.empty()) return members;
      const auto offset = static_cast<std::int64_t>(layout.getFieldOffset(field->getFieldIndex()) / 8);
      add(members, field->getNameAsString(), field->getType(), offset, whole);
    }
    finish(layout, whole, alignment);
    return members;
  }

  // Adds the base classes, of one level. Does not iterate over the bases itself: GCC takes that for a use of a null
  // pointer.
  void add_bases(Json::Array& members, const clang::CXXRecordDecl& record, const clang::ASTRecordLayout& layout,
                 Layout& whole) {
    record.forallBases([&](const clang::CXXRecordDecl* base) {
      if (base->getNumBases() != 0 && problem_.empty()) problem_ = "it has a base class of a base class";
      const std::int64_t offset = problem_.empty() ? layout.getBaseClassOffset(base).getQuantity() : 0;
      if (problem_.empty() && !base->isEmpty()) add(members, "", context_.getRecordType(base), offset, whole);
      return problem_.empty();
    });
  }

  // Completes the layout. `alignment` becomes that with which the type itself is declared.
  void finish(const clang::ASTRecordLayout& layout, Layout& whole, std::int64_t& alignment) {
    const std::int64_t actual = layout.getAlignment().getQuantity();
    alignment = actual > whole.alignment ? actual : 0;
    whole.alignment = std::max(whole.alignment, actual);
    whole.bytes = rounded_up(whole.bytes, whole.alignment);
    is_plain_ = is_plain_ && actual == whole.alignment && layout.getSize().getQuantity() == whole.bytes;
  }

  void add(Json::Array& members, const std::string& name, clang::QualType type, std::int64_t offset, Layout& whole) {
    if (const auto* const array = context_.getAsConstantArrayType(type)) {
      add_elements(members, name, *array, offset, whole);
      return;
    }
    const Layout own = {context_.getTypeSizeInChars(type).getQuantity(),
                        context_.getTypeAlignInChars(type).getQuantity()};
    const std::int64_t place = rounded_up(whole.bytes, own.alignment);
    is_plain_ = is_plain_ && place == offset;
    whole = {place + own.bytes, std::max(whole.alignment, own.alignment)};
    Json::Object member = member_of(name, type);
    if (problem_.empty()) members.emplace_back(std::move(member));
  }

  void add_elements(Json::Array& members, const std::string& name, const clang::ConstantArrayType& array,
                    std::int64_t offset, Layout& whole) {
    const auto count = static_cast<std::int64_t>(array.getSize().getLimitedValue());
    const std::int64_t bytes = context_.getTypeSizeInChars(array.getElementType()).getQuantity();
    if (count > static_cast<std::int64_t>(kMaxMembers) && problem_.empty())
      problem_ = "\"" + name + "\" has " + std::to_string(count) + " elements";
    for (std::int64_t i = 0; i < count && problem_.empty() && count_ <= kMaxMembers; ++i)
      add(members, name + "_" + std::to_string(i), array.getElementType(), offset + i * bytes, whole);
  }

  Json::Object member_of(const std::string& name, clang::QualType type) {
    Json::Object member = value_json(name, type, context_, dtype_of_);
    const std::string& dtype = *member["dtype"].as_string();
    const clang::RecordDecl* const record = type->getAsRecordDecl();
    if (is_one_number(dtype) || type->isPointerType()) {
      ++count_;
    } else if (is_complex_name(dtype)) {
      count_ += 2;
      add_parts(member, type, context_);
    } else if (record != nullptr) {
      std::int64_t alignment = 0;
      member["members"] = members_of(*record, alignment);
      member["align"] = alignment;
    } else if (problem_.empty()) {
      problem_ = "its \"" + name + "\" is of type \"" + *member["type"].as_string() + "\"";
    }
    return member;
  }

  const clang::ASTContext& context_;
  const ElementType& dtype_of_;
  std::size_t count_ = 0;  // of numbers and addresses
  bool is_plain_ = true;
  std::string problem_ = {};
};

}  // namespace

Json::Object value_json(const std::string& name, clang::QualType type, const clang::ASTContext& context,
                        const ElementType& dtype_of) {
  const bool is_pointer = type->isPointerType();
  const clang::QualType value = is_pointer ? type->getPointeeType() : type;
  const char* const pointer = value.isConstQualified() ? "pointer to const" : "pointer";
  return {{"name", name},
          {"type", type.getAsString(context.getPrintingPolicy())},
          {"dtype", dtype_of(value)},
          {"kind", is_pointer ? pointer : "value"}};
}

bool is_complex_name(std::string_view dtype) { return dtype.starts_with("complex"); }

bool is_one_number(std::string_view dtype) {
  return !dtype.empty() && !is_complex_name(dtype) && dtype.find('x') == std::string_view::npos;
}

void add_parts(Json::Object& json, clang::QualType type, const clang::ASTContext& context) {
  const bool is_double = *json["dtype"].as_string() == "complex128";
  const std::string part = is_double ? "float64" : "float32";
  const std::int64_t alignment = context.getTypeAlignInChars(type).getQuantity();
  Json::Array members;
  for (const char* const name : {"re", "im"}) {
    members.emplace_back(
        Json::Object{{"name", name}, {"type", is_double ? "double" : "float"}, {"dtype", part}, {"kind", "value"}});
  }
  json["members"] = std::move(members);
  json["align"] = alignment > (is_double ? 8 : 4) ? alignment : 0;
  json["problem"] = "";
}

RecordMembers members_of(const clang::RecordDecl& record, const clang::ASTContext& context,
                         const ElementType& dtype_of) {
  return RecordReader(context, dtype_of).read(record);
}

}  // namespace kmux::simt
