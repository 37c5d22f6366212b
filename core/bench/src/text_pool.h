#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"

namespace kmux::bench {

/// A line of one of several texts, both counted from 0.
struct TextPlace {
  std::size_t text = 0;
  std::size_t line = 0;
  auto operator<=>(const TextPlace&) const = default;
};

/// Lines of a text that follow each other: its own, or the same as those from `same_as` on.
struct TextPiece {
  std::size_t line = 0;
  std::size_t count = 0;
  std::optional<TextPlace> same_as = {};
  bool operator==(const TextPiece&) const = default;
};

/// Finds in each text the stretches of lines that an earlier one has as its own. A place that is the same as another is never
/// referred to: a reference leads to where the lines stand.
class TextPieces {
 public:
  /// As many lines in a row must be the same to be one stretch.
  static constexpr std::size_t kFewest = 12;

  /// The pieces of the next text, which together are its lines.
  std::vector<TextPiece> add(const std::vector<std::string_view>& lines);

 private:
  using LineId = std::size_t;  // of equal lines the same
  using Window = std::array<LineId, kFewest>;
  struct Text {
    std::vector<LineId> ids;
    std::vector<std::size_t> own_end;  // of each line of its own: where the piece ends
  };
  std::vector<LineId> ids_of(const std::vector<std::string_view>& lines);
  static Window window_at(const std::vector<LineId>& ids, std::size_t line);
  std::size_t length_at(const std::vector<LineId>& ids, std::size_t line, const TextPlace& place) const;
  void keep(std::vector<LineId> ids, const std::vector<TextPiece>& pieces);

  std::map<std::string, LineId, std::less<>> known_lines_;
  std::map<Window, TextPlace> known_windows_;  // the first place of each
  std::vector<Text> texts_;
};

/// The lines of a text; joined with newlines they are the text.
std::vector<std::string_view> lines_of(std::string_view text);

/// All launchers and sources of a report, for one page. A stretch of lines that several have stands in the first; in the
/// others a link says which lines they are, and leads there.
///
/// A text is `<pre id="tN">`. A stretch that stands elsewhere is a link `<a class="same" href="#tN-L" data-count="C">`: the C
/// lines from line L of text N, counted from 0. So every text can be put together again from the page.
class TextPool {
 public:
  /// Takes all texts of `report`, which must stay.
  explicit TextPool(const BenchReport& report);

  /// The texts of an entrant, each in details that open; where one has stood under the same title, a link to it.
  void write(HtmlWriter& html, const Contest& contest, const Entrant& entrant);

 private:
  struct Text {
    std::string title;
    std::vector<std::string_view> lines;
    std::vector<TextPiece> pieces;
    std::set<std::size_t> anchors;  // lines that links lead to
    bool is_written = false;
  };
  void take(const std::string& title, const std::string& text);
  void write(HtmlWriter& html, const std::string& title, const std::string& text);
  void write_pieces(HtmlWriter& html, std::size_t number) const;
  void write_link(HtmlWriter& html, const TextPiece& piece, std::size_t lines) const;

  TextPieces pieces_;
  std::vector<Text> texts_;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;  // by title and text
};

}  // namespace kmux::bench
