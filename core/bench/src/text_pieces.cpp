#include "text_pieces.h"

#include <algorithm>
#include <utility>

namespace kmux::bench {
namespace {

/// Adds a line to the piece at the end if that is the text's own, else begins one.
void add_own_line(std::vector<TextPiece>& pieces, std::size_t line) {
  if (pieces.empty() || pieces.back().same_as) pieces.push_back({line, 0, {}});
  ++pieces.back().count;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<TextPiece> TextPieces::add(const std::vector<std::string_view>& lines) {
  std::vector<LineId> ids = ids_of(lines);
  std::vector<TextPiece> pieces;
  for (std::size_t line = 0; line < ids.size();) {
    const auto found = line + kFewest <= ids.size() ? known_windows_.find(window_at(ids, line)) : known_windows_.end();
    if (found == known_windows_.end()) {
      add_own_line(pieces, line++);
      continue;
    }
    pieces.push_back({line, length_at(ids, line, found->second), found->second});
    line += pieces.back().count;
  }
  keep(std::move(ids), pieces);
  return pieces;
}

std::vector<TextPieces::LineId> TextPieces::ids_of(const std::vector<std::string_view>& lines) {
  std::vector<LineId> ids;
  ids.reserve(lines.size());
  for (const std::string_view line : lines) {
    ids.push_back(known_lines_.try_emplace(std::string(line), known_lines_.size()).first->second);
  }
  return ids;
}

TextPieces::Window TextPieces::window_at(const std::vector<LineId>& ids, std::size_t line) {
  Window window{};
  std::ranges::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(line), kFewest, window.begin());
  return window;
}

std::size_t TextPieces::length_at(const std::vector<LineId>& ids, std::size_t line, const TextPlace& place) const {
  const Text& other = texts_[place.text];
  const std::size_t most = std::min(ids.size() - line, other.own_end[place.line] - place.line);
  std::size_t length = kFewest;
  while (length < most && ids[line + length] == other.ids[place.line + length]) ++length;
  return length;
}

void TextPieces::keep(std::vector<LineId> ids, const std::vector<TextPiece>& pieces) {
  std::vector<std::size_t> own_end(ids.size(), 0);
  for (const TextPiece& piece : pieces) {
    if (piece.same_as) continue;
    const std::size_t end = piece.line + piece.count;
    for (std::size_t line = piece.line; line < end; ++line) {
      own_end[line] = end;
      if (line + kFewest <= end) known_windows_.try_emplace(window_at(ids, line), TextPlace{texts_.size(), line});
    }
  }
  texts_.push_back({std::move(ids), std::move(own_end)});
}

}  // namespace kmux::bench
