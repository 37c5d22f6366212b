#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kmux {

/// Returns true if `text` has a directive by which an assembler reads a file, in one piece: `.incbin`, or `.include` before a
/// quote. Capitals count as small letters, as for assemblers.
bool names_a_file_to_assemble(std::string_view text);

/// Literals of a text, joined as a compiler joins those that follow each other.
///
/// A macro among them may stand for any text, so a directive that one literal begins, or ends, at a macro counts as well. So
/// does one that a macro's definition ends with. A "." alone does not count: sentences, and instructions of PTX, end with it.
class PastedText {
 public:
  struct Literal {
    std::string_view content;  // between the quotes
    bool is_raw = false;  // has no escapes
    std::size_t begin = 0;  // in the text
    std::size_t end = 0;  // where what follows begins
    bool follows_word = false;
    bool precedes_word = false;
    bool ends_definition = false;  // is the last of a #define
  };
  void add(const Literal& literal);
  /// Joins what comes now to the literals of `before`, whatever came between.
  void go_on(const PastedText& before);
  /// Returns false if an assembler may read a file.
  bool is_complete() const { return is_complete_; }

 private:
  std::string joined_;  // the end of what was joined, in small letters
  std::size_t next_ = std::string::npos;  // where a literal is joined
  bool is_complete_ = true;
};

}  // namespace kmux
