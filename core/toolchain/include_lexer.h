#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// What follows an `#include`, or stands in a `__has_include`.
struct Include {
  enum class Form { kQuoted, kAngled, kMacro };
  enum class Reach { kFirst, kNext };
  Form form = Form::kAngled;
  Reach reach = Reach::kFirst;
  std::string name;
  std::string argument = {};  // of a macro that takes one: "#include HEADER(vector)"
  std::string through = {};  // the macro that is called with `name`; it counts if that is one of `askers` of any text
  auto operator<=>(const Include&) const = default;
};

/// The includes of one text, each once; `complete` is false if there may be more: trigraphs, a macro with several arguments,
/// what an assembler would include (`.incbin`, `.include`, also in pieces), another name for `__has_include`.
struct IncludeList {
  std::vector<Include> includes;
  std::vector<std::string> askers = {};  // macros that ask for the header that they are called with
  bool complete = true;
  bool names_its_place = false;  // see `names_its_place`
};

/// Reads the includes of `text` as a compiler's first phases would: without comments, strings, raw strings; lines that
/// end in a backslash joined. Conditions are ignored: a branch not taken counts.
IncludeList lex_includes(std::string_view text);

/// What `text` defines `macro` to be, trimmed and without comments, in every `#define` of it. That of a macro with
/// parameters begins with them: "(name) <folder/name>".
std::vector<std::string> definitions_of(std::string_view macro, std::string_view text);

}  // namespace kmux
