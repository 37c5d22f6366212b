#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kmux {

/// Text in columns, for people.
class TextTable {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Appends a row; missing cells are empty. The row must not have more cells than the table has columns.
  void add(std::vector<std::string> cells);

  /// Returns the titles and the rows, one line each, with two spaces between columns and none at the end of a line.
  /// Each line begins with `indent` spaces.
  ///
  /// Units: widths count UTF-8 characters.
  std::string to_string(std::size_t indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace kmux
