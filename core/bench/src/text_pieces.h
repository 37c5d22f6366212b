#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
/// referred to: whoever follows a reference is where the lines stand.
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

}  // namespace kmux::bench
