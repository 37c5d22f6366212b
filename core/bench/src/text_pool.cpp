#include "text_pool.h"

#include <algorithm>
#include <utility>

#include "page_sections.h"

namespace kmux::bench {
namespace {

/// Appends a line to the last piece if that is the text's own, else begins a piece.
void add_own_line(std::vector<TextPiece>& pieces, std::size_t line) {
  if (pieces.empty() || pieces.back().same_as) pieces.push_back({line, 0, {}});
  ++pieces.back().count;
}

std::string title_of(std::string_view what, const Contest& contest, const Entrant& entrant) {
  const std::string from = contest.origin.empty() ? "" : " (" + contest.origin + ")";
  return std::string(what) + " of " + program_text(contest) + " on " + entrant.backend + from;
}

std::string anchor_of(const TextPlace& place) {
  return "t" + std::to_string(place.text) + "-" + std::to_string(place.line);
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

TextPool::TextPool(const BenchReport& report) {
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) {
      take(title_of("launcher", contest, entrant), entrant.launcher);
      take(title_of("source", contest, entrant), entrant.source);
    }
  }
}

void TextPool::take(const std::string& title, const std::string& text) {
  if (text.empty() || !numbers_.emplace(std::pair(title, text), texts_.size()).second) return;
  Text taken{title, lines_of(text), {}, {}, false};
  taken.pieces = pieces_.add(taken.lines);
  texts_.push_back(std::move(taken));
  for (const TextPiece& piece : texts_.back().pieces) {
    if (piece.same_as) texts_[piece.same_as->text].anchors.insert(piece.same_as->line);
  }
}

void TextPool::write(HtmlWriter& html, const Contest& contest, const Entrant& entrant) {
  write(html, title_of("launcher", contest, entrant), entrant.launcher);
  write(html, title_of("source", contest, entrant), entrant.source);
}

void TextPool::write(HtmlWriter& html, const std::string& title, const std::string& text) {
  if (text.empty()) return;
  const std::size_t number = numbers_.at({title, text});
  const std::string id = "t" + std::to_string(number);
  if (std::exchange(texts_[number].is_written, true)) {
    html.open("span", R"(class="again")").element("a", title, attribute("href", "#" + id)).close("span");
    return;
  }
  html.open("details", R"(class="text")").element("summary", title);
  html.open("pre", attribute("id", id)).raw("\n");  // a parser drops the first newline
  write_pieces(html, number);
  html.close("pre").close("details");
}

void TextPool::write_pieces(HtmlWriter& html, std::size_t number) const {
  const Text& text = texts_[number];
  for (const TextPiece& piece : text.pieces) {
    if (piece.same_as) write_link(html, piece, text.lines.size());
    for (std::size_t i = 0; !piece.same_as && i < piece.count; ++i) {
      const std::size_t line = piece.line + i;
      if (text.anchors.contains(line)) html.raw("<span" + attribute("id", anchor_of({number, line})) + "></span>");
      html.text(text.lines[line]);
      if (line + 1 < text.lines.size()) html.raw("\n");
    }
  }
}

void TextPool::write_link(HtmlWriter& html, const TextPiece& piece, std::size_t lines) const {
  const Text& other = texts_[piece.same_as->text];
  html.open("a", R"(class="same")" + attribute("href", "#" + anchor_of(*piece.same_as)) +
                     attribute("data-count", std::to_string(piece.count)));
  html.text(std::to_string(piece.count) + " lines as in the " + other.title + ", from line " +
            std::to_string(piece.same_as->line + 1));
  html.raw(piece.line + piece.count < lines ? "</a>\n" : "</a>");
}

}  // namespace kmux::bench
