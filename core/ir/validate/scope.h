#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/dispatch.h"

#include "ir/json_pointer.h"
#include "problem_list.h"

namespace kmux {

enum class NameKind : std::uint8_t {
  kBuffer,
  kScalar,
  kPointer,
  kSymbol,
  kLet,
  kLoopVariable,
  kWorkspace,
  kTensorMap,
};

/// "buffer", "loop variable", ... with an article.
std::string_view to_string(NameKind kind);

/// Has a launcher a variable of the name?
bool is_variable(NameKind kind);

/// What a name stands for, and where it was declared.
struct Name {
  NameKind kind;
  DType dtype = {};       // of a scalar or a symbol
  bool nullable = false;  // of a buffer
  std::string path = {};
  std::optional<std::int64_t> bytes = {};  // of a buffer or workspace whose size is constant
};

/// The names that a place in a program may use. All kinds share one namespace.
class Scope {
 public:
  /// Declares `name` unless it is taken.
  void declare(const std::string& name, Name what, const JsonPointer& at);
  /// Declares `name` and reports what is wrong with it.
  void declare(const std::string& name, Name what, const JsonPointer& at, ProblemList& problems);
  /// Reports a name that is no identifier, that generated code uses itself, or that was declared elsewhere before.
  void check(const std::string& name, const JsonPointer& at, ProblemList& problems) const;

  void remove(const std::string& name) { names_.erase(name); }
  const Name* find(std::string_view name) const;
  /// ` Did you mean 'x'?` with a name in scope, or nothing.
  std::string suggestion(std::string_view name) const;

 private:
  std::map<std::string, Name, std::less<>> names_;
};

}  // namespace kmux
