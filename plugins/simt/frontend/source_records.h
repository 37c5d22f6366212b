// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kmux/json.h"

#include "clang/AST/Decl.h"

namespace kmux::simt {

/// Returns the name of kmux's type for a type of Clang's; "" if kmux has none.
using ElementType = std::function<std::string(clang::QualType)>;

/// The members of a record, for a launch that passes it.
struct RecordMembers {
  Json::Array members;  // each a `value_json`; records have "members" and "align", too
  std::int64_t alignment = 0;  // declared alignment beyond that of its members; 0: none
  std::string problem;  // why no launch can pass it, for example "it has bit-fields"; empty: one can
};

/// Returns the facts of a parameter or member that a launch must know: {"name", "type", "dtype", "kind"}.
Json::Object value_json(const std::string& name, clang::QualType type, const clang::ASTContext& context,
                        const ElementType& dtype_of);

/// Returns true for "complex64" and "complex128".
bool is_complex_name(std::string_view dtype);

/// Returns true for the dtype of one number that a launch passes as it is: neither complex nor a vector ("float32x2").
bool is_one_number(std::string_view dtype);

/// Adds the members "re" and "im" to `json`, the facts of a complex number of `type` that is passed by value.
void add_parts(Json::Object& json, clang::QualType type, const clang::ASTContext& context);

/// Returns the numbers and addresses of `record`: the elements of arrays one by one, nested records as records.
RecordMembers members_of(const clang::RecordDecl& record, const clang::ASTContext& context,
                         const ElementType& dtype_of);

}  // namespace kmux::simt
