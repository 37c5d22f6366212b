#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kmux {

/// Returns true if `text` contains an assembler directive that reads a file: `.incbin`, or `.include` before a quote.
/// Case-insensitive, like assemblers.
bool names_a_file_to_assemble(std::string_view text);

/// Returns true if `text` has assembly that may put directives together: macros of the assembler (`.macro`, `.irp`,
/// `.rept`), or an argument like `(.inc)` of a macro, which may make a literal of it.
bool may_put_directives_together(std::string_view text);

/// The literals of a text, joined as a compiler joins adjacent ones.
///
/// A macro among them may expand to any text. So a directive that begins or ends at a macro counts as well, and so does
/// one at the end of a macro's definition. A "." alone does not count: sentences and PTX instructions end with it.
class PastedText {
 public:
  struct Literal {
    std::string_view content;  // between the quotes
    bool is_raw = false;  // without escapes
    std::size_t begin = 0;  // in the text
    std::size_t end = 0;  // begin of the next token
    bool follows_word = false;
    bool precedes_word = false;
    bool ends_definition = false;  // last token of a #define
  };
  void add(const Literal& literal);
  /// Joins the next literal to those of `before`, ignoring everything between.
  void go_on(const PastedText& before);
  /// Returns false if an assembler may read a file.
  bool is_complete() const { return is_complete_; }

 private:
  std::string joined_;  // end of the joined text, in small letters
  std::size_t next_ = std::string::npos;  // where the next joined literal begins
  bool is_complete_ = true;
};

}  // namespace kmux
