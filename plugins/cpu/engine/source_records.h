// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kmux/json.h"

#include "clang/AST/Decl.h"

namespace kmux::cpu {

/// Returns the name of kmux's type for a type of Clang's; "" where it has none.
using ElementType = std::function<std::string(clang::QualType)>;

/// What a record is made of, for a launch that puts it together.
struct RecordMembers {
  Json::Array members;  // each a `value_json`, and of records "members" and "align"
  std::int64_t alignment = 0;  // that it is declared with beyond that of its members; 0: none
  std::string problem;  // why no launch can give it, as "it has bit-fields"; empty: one can
};

/// Returns what a launch must know of a parameter or member: {"name", "type", "dtype", "kind"}.
Json::Object value_json(const std::string& name, clang::QualType type, const clang::ASTContext& context,
                        const ElementType& dtype_of);

/// Returns the numbers and addresses of `record`, elements of arrays each by itself and records in records as they are.
RecordMembers members_of(const clang::RecordDecl& record, const clang::ASTContext& context,
                         const ElementType& dtype_of);

}  // namespace kmux::cpu
