#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// The operand of an `#include` or a `__has_include`.
struct Include {
  enum class Form { kQuoted, kAngled, kMacro };
  enum class Reach { kFirst, kNext };
  Form form = Form::kAngled;
  Reach reach = Reach::kFirst;
  std::string name;
  std::string argument = {};  // of a function-like macro: "#include HEADER(vector)"
  std::string through = {};  // the macro called with `name`; counts only if it is one of `askers` of any text
  auto operator<=>(const Include&) const = default;
};

/// The includes of one text without duplicates. `complete` is false if there may be more: trigraphs, a macro with
/// several arguments, assembler includes (`.incbin`, `.include`, also in pieces), an alias of `__has_include`.
struct IncludeList {
  std::vector<Include> includes;
  std::vector<std::string> askers = {};  // macros that query the header passed to them
  bool complete = true;
  bool names_its_place = false;  // see `names_its_place`
};

/// Parses the includes of `text` like a compiler's first phases: without comments, strings, raw strings; with lines
/// that end in a backslash joined. Conditions are ignored: untaken branches count.
IncludeList lex_includes(std::string_view text);

/// Returns every definition of `macro` in `text`, trimmed and without comments. For a macro with parameters they come
/// first: "(name) <folder/name>".
std::vector<std::string> definitions_of(std::string_view macro, std::string_view text);

}  // namespace kmux
