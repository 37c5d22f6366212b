#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/validate.h"

namespace kmux {

/// A position in a JSON document: `JsonPointer() / "variants" / 0` is "/variants/0".
///
/// Source: RFC 6901.
class JsonPointer {
 public:
  JsonPointer operator/(std::string_view key) const {
    std::string text = text_ + "/";
    for (const char byte : key) {
      if (byte == '~')
        text += "~0";
      else if (byte == '/')
        text += "~1";
      else
        text += byte;
    }
    return JsonPointer(std::move(text));
  }
  JsonPointer operator/(std::size_t index) const { return JsonPointer(text_ + "/" + std::to_string(index)); }
  const std::string& text() const { return text_; }

  JsonPointer() = default;

 private:
  explicit JsonPointer(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// Problems in the order of discovery; those beyond ten thousand are only counted.
class ProblemList {
 public:
  void add(const JsonPointer& at, std::string message);
  bool empty() const { return problems_.empty(); }
  std::vector<Problem> take() && { return std::move(problems_); }

  /// Returns ok, or invalid_argument with the number of problems of `subject` and the first one. Each further problem,
  /// up to the hundredth, is a note "problem"; a last note counts the rest.
  Status status(std::string_view subject) const;

 private:
  std::vector<Problem> problems_;
  std::size_t count_ = 0;
};

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

/// Returns the kind with an article: "a buffer", "a loop variable", ...
std::string_view to_string(NameKind kind);

/// Returns true if a launcher has a variable of the name.
bool is_variable(NameKind kind);

/// A declared name: its kind, its properties, and the path of its declaration.
struct Name {
  NameKind kind;
  DType dtype = {};  // of a scalar or a symbol
  bool nullable = false;  // of a buffer
  std::string path = {};
  std::optional<std::int64_t> bytes = {};  // of a buffer or workspace whose size is constant
};

/// The names in scope at a place in a program. All kinds share one namespace.
class Scope {
 public:
  /// Declares `name` unless it is taken.
  void declare(const std::string& name, Name what, const JsonPointer& at);
  /// Declares `name` and reports its problems, as `check` does.
  void declare(const std::string& name, Name what, const JsonPointer& at, ProblemList& problems);
  /// Reports a name that is not an identifier, that is reserved for generated code, or that is already declared
  /// elsewhere.
  void check(const std::string& name, const JsonPointer& at, ProblemList& problems) const;

  void remove(const std::string& name) { names_.erase(name); }
  const Name* find(std::string_view name) const;
  /// Returns ` Did you mean 'x'?` with a name in scope, or "".
  std::string suggestion(std::string_view name) const;

 private:
  std::map<std::string, Name, std::less<>> names_;
};

}  // namespace kmux
