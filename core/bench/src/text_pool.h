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

/// A line of one of several texts, both numbered from 0.
struct TextPlace {
  std::size_t text = 0;
  std::size_t line = 0;
  auto operator<=>(const TextPlace&) const = default;
};

/// Consecutive lines of a text: its own, or equal to those from `same_as` on.
struct TextPiece {
  std::size_t line = 0;
  std::size_t count = 0;
  std::optional<TextPlace> same_as = {};
  bool operator==(const TextPiece&) const = default;
};

/// Finds in each text the runs of lines that an earlier text has as its own. References are never chained: each leads
/// to a text's own lines.
class TextPieces {
 public:
  /// The minimum number of equal consecutive lines in a run.
  static constexpr std::size_t kFewest = 12;

  /// Adds the next text and returns its pieces, which cover its lines.
  std::vector<TextPiece> add(const std::vector<std::string_view>& lines);

 private:
  using LineId = std::size_t;  // equal for equal lines
  using Window = std::array<LineId, kFewest>;
  struct Text {
    std::vector<LineId> ids;
    std::vector<std::size_t> own_end;  // for each own line the end of its piece
  };
  std::vector<LineId> ids_of(const std::vector<std::string_view>& lines);
  static Window window_at(const std::vector<LineId>& ids, std::size_t line);
  std::size_t length_at(const std::vector<LineId>& ids, std::size_t line, const TextPlace& place) const;
  void keep(std::vector<LineId> ids, const std::vector<TextPiece>& pieces);

  std::map<std::string, LineId, std::less<>> known_lines_;
  std::map<Window, TextPlace> known_windows_;  // the first place of each
  std::vector<Text> texts_;
};

/// Returns the lines of a text; joined with newlines they are the text.
std::vector<std::string_view> lines_of(std::string_view text);

/// All launchers and sources of a report, for one page. A run of lines that several texts share is written in the
/// first. The others have a link to it that names the lines.
///
/// A text is `<pre id="tN">`. A shared run is a link `<a class="same" href="#tN-L" data-count="C">`: the C lines from
/// line L of text N, numbered from 0. So every text can be reconstructed from the page.
class TextPool {
 public:
  /// Reads all texts of `report`, which must outlive the pool.
  explicit TextPool(const BenchReport& report);

  /// Writes the texts of an entrant as collapsed sections; a text already written under the same title becomes a link
  /// to it.
  void write(HtmlWriter& html, const Contest& contest, const Entrant& entrant);

 private:
  struct Text {
    std::string title;
    std::vector<std::string_view> lines;
    std::vector<TextPiece> pieces;
    std::set<std::size_t> anchors;  // lines with incoming links
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
