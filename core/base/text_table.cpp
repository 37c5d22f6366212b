#include "text_table.h"

#include <algorithm>

namespace kmux {
namespace {

using Cells = std::vector<std::string>;

/// Returns the number of characters: UTF-8 continuation bytes are not counted.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void widen(std::vector<std::size_t>& widths, const Cells& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width_of(cells[i]));
}

}  // namespace

void TextTable::add(Cells cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string(std::size_t indent) const {
  Cells titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::vector<std::size_t> widths(columns_.size());
  widen(widths, titles);
  for (const Cells& row : rows_) widen(widths, row);

  std::string text;
  const auto print = [&](const Cells& cells) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - width_of(cells[i]), ' ');
      line += columns_[i].align == Align::kRight ? padding + cells[i] : cells[i] + padding;
      line += "  ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  print(titles);
  std::for_each(rows_.begin(), rows_.end(), print);
  return text;
}

}  // namespace kmux
