#include "text_pool.h"

#include <utility>

#include "contest_section.h"

namespace kmux::bench {
namespace {

std::string title_of(std::string_view what, const Contest& contest, const Entrant& entrant) {
  const std::string from = contest.origin.empty() ? "" : " (" + contest.origin + ")";
  return std::string(what) + " of " + contest.program + " on " + entrant.backend + from;
}

std::string anchor_of(const TextPlace& place) {
  return "t" + std::to_string(place.text) + "-" + std::to_string(place.line);
}

}  // namespace

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
  html.open("pre", attribute("id", id)).raw("\n");  // of which a parser drops the first
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
