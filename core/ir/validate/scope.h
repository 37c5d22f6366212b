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

/// A place in a JSON document: `JsonPointer() / "variants" / 0` is "/variants/0".
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

/// Problems in the order in which they are found; beyond ten thousand they are counted only.
class ProblemList {
 public:
  void add(const JsonPointer& at, std::string message);
  bool empty() const { return problems_.empty(); }
  std::vector<Problem> take() && { return std::move(problems_); }

  /// ok, or invalid_argument: how many problems `subject` has, the first one, and a "problem" note for each of the
  /// others.
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
  /// Reports a name that is not an identifier, that generated code uses itself, or that was declared elsewhere before.
  void check(const std::string& name, const JsonPointer& at, ProblemList& problems) const;

  void remove(const std::string& name) { names_.erase(name); }
  const Name* find(std::string_view name) const;
  /// ` Did you mean 'x'?` with a name in scope, or nothing.
  std::string suggestion(std::string_view name) const;

 private:
  std::map<std::string, Name, std::less<>> names_;
};

}  // namespace kmux
