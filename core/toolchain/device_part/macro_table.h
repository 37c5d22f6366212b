#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace kmux {

/// The macros that the files of a program define, by the words that they stand for.
///
/// Lifetime: borrows the texts.   Threads: any, once filled.
class MacroTable {
 public:
  struct Text {
    std::vector<std::string_view> words;
    bool is_statement = false;  // ends in a brace or a semicolon
  };

  /// Adds what `directive` defines, if it does.
  void add(std::string_view directive);

  /// Null if there is no such macro.
  const Text* find(std::string_view name) const;

  /// Returns true if `word`, or what it stands for, is one of `marks`.
  bool has_mark(std::string_view word, std::span<const std::string_view> marks) const {
    return has_mark(word, marks, 0);
  }

  /// `IsStatement` of declarations.h; `self` is a table.
  static bool is_statement(void* self, std::string_view name);

 private:
  bool has_mark(std::string_view word, std::span<const std::string_view> marks, int depth) const;
  std::map<std::string_view, Text> macros_;
};

}  // namespace kmux
