#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace kmux {

/// The macros defined in a program's files, with the words of their definitions.
///
/// Lifetime: the texts must outlive the table.   Threads: any, once filled.
class MacroTable {
 public:
  struct Text {
    std::vector<std::string_view> words;
    bool is_statement = false;  // ends in a brace or a semicolon
  };

  /// Adds the macro if `directive` defines one.
  void add(std::string_view directive);

  /// Returns the macro, or null if unknown.
  const Text* find(std::string_view name) const;

  /// Returns true if `word`, or a word of its expansion, is one of `marks`.
  bool has_mark(std::string_view word, std::span<const std::string_view> marks) const {
    return has_mark(word, marks, 0);
  }

  /// Implements `IsStatement` of declarations.h; `self` must be a table.
  static bool is_statement(void* self, std::string_view name);

 private:
  bool has_mark(std::string_view word, std::span<const std::string_view> marks, int depth) const;
  std::map<std::string_view, Text> macros_;
};

}  // namespace kmux
