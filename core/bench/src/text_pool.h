#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"
#include "text_pieces.h"

namespace kmux::bench {

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
