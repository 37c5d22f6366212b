#pragma once

#include <cstdint>
#include <optional>

#include "kmux/dispatch.h"
#include "kmux/plugin/features.h"

#include "ir/arg_layout.h"
#include "ir/json_reader.h"
#include "scope.h"

// The parts of `validate`: each checks one kind of element of a program and adds its problems to the list.
namespace kmux {

/// Limits that keep generated code, stacks and documents small; docs/dispatch-ir.md lists them.
inline constexpr std::size_t kMaxSlots = 256;
inline constexpr std::size_t kMaxRank = 32;
inline constexpr int kMaxExprDepth = 128;
inline constexpr int kMaxStepDepth = 16;

/// Returns true if `name` can be the dialect of a variant: one of `all_dialects`, or a word that a plugin may have in
/// its manifest. Such a word has lower-case letters, digits and '_', begins with a letter, and is not close to a listed
/// dialect, of which it may be a misspelling.
bool is_dialect(std::string_view name);

/// Returns the value of an expression without names; nothing if it has names or cannot be evaluated.
std::optional<std::int64_t> constant_of(const Expr& expr);

/// The place of an expression: in shapes and strides it may use symbols and integer scalars only.
enum class ExprPlace : std::uint8_t { kBody, kShape };

void check_expr(const Expr& expr, ExprPlace place, const Scope& scope, const JsonPointer& at, ProblemList& problems);
/// As `check_expr`; also reports a constant below `least`. `what` names the quantity, for example "a grid extent".
void check_quantity(const Expr& expr, std::string_view what, std::int64_t least, const Scope& scope,
                    const JsonPointer& at, ProblemList& problems);
void check_text(const std::string& text, const JsonPointer& at, ProblemList& problems);
bool is_power_of_two(std::int64_t value);

void check_signature(const Signature& signature, const Scope& scope, const JsonPointer& at, ProblemList& problems);
/// Returns the names that parameters and symbols declare.
Scope scope_of(const Signature& signature, const JsonPointer& at);

void check_constants(const std::vector<Constant>& constants, const JsonPointer& at, ProblemList& problems);
void check_variant(const Variant& variant, const Scope& outer, const JsonPointer& at, ProblemList& problems);
void check_body(const Body& body, const Dialect* dialect, Scope scope, const JsonPointer& at, ProblemList& problems);
void check_launch(const Launch& launch, const Dialect* dialect, const Scope& scope, const JsonPointer& at,
                  ProblemList& problems);
void check_tensor_map(const TensorMap& map, const Scope& scope, const JsonPointer& at, ProblemList& problems);
void check_memory(const MemoryRef& memory, const Scope& scope, const JsonPointer& at, ProblemList& problems);
void check_metadata(const Metadata& metadata, const Scope& scope, const JsonPointer& at, ProblemList& problems);

/// Reports a use of buffer `name` by a launch, fill or map if the buffer is nullable.
void check_not_nullable(const std::string& name, const Name& what, const JsonPointer& at, ProblemList& problems);
/// Returns the declaration of `name` if it is one of `kinds`; else adds a problem with `expected` ("a buffer") and
/// returns null.
const Name* require_name(const std::string& name, std::initializer_list<NameKind> kinds, std::string_view expected,
                         const Scope& scope, const JsonPointer& at, ProblemList& problems);

}  // namespace kmux
