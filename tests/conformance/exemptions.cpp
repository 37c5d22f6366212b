#include "exemptions.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace kmux::conformance {
namespace {

Error malformed(const std::filesystem::path& path, int line, const std::string& why) {
  return make_error(
      ErrorCode::kInvalidArgument,
      path.string() + ":" + std::to_string(line) + ": " + why +
          ". Write \"unsupported PATTERN REASON\" or \"expected-failure PATTERN REASON\", or \"dialect NAME FILE\" "
          "and below it \"first-line\", \"kernel\", \"pointer\", \"value\", \"shared\", \"block\", \"thread\", "
          "\"positions\" or \"replace FROM -> TO\".");
}

// Removes the first word of `text` and returns it.
std::string take_word(std::string& text) {
  std::istringstream words(text);
  std::string word;
  words >> word >> std::ws;
  std::string rest;
  std::getline(words, rest);
  text = rest;
  return word;
}

// Stores the line `kind` `rest` of a dialect in `form`. Returns true if the line is valid; '#' begins no comment in it.
bool read_form(const std::string& kind, const std::string& rest, DialectForm& form) {
  if (kind == "first-line") form.first_line = rest;
  if (kind == "kernel") form.kernel = rest;
  if (kind == "pointer") form.pointer = rest;
  if (kind == "value") form.value = rest;
  if (kind == "shared") form.shared = rest;
  if (kind == "block") form.block = rest;
  if (kind == "thread") form.thread = rest;
  if (kind == "positions") form.positions = rest;
  if (kind != "replace") return !rest.empty();
  constexpr std::string_view kArrow = " ->";
  const std::size_t arrow = rest.find(kArrow);
  if (arrow == std::string::npos || arrow == 0) return false;
  const std::size_t to = std::min(rest.find_first_not_of(' ', arrow + kArrow.size()), rest.size());
  form.replacements.emplace_back(rest.substr(0, arrow), rest.substr(to));
  return true;
}

bool is_of_form(const std::string& kind) {
  constexpr std::array kKinds = std::to_array<std::string_view>(
      {"first-line", "kernel", "pointer", "value", "shared", "block", "thread", "positions", "replace"});
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

}  // namespace

Result<Exemptions> read_exemptions(const std::filesystem::path& path) {
  Exemptions exemptions;
  std::ifstream file(path);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    const std::string kind = take_word(text);
    if (kind.empty() || kind.starts_with('#')) continue;
    if (is_of_form(kind)) {
      if (exemptions.dialects.empty() || !read_form(kind, text, exemptions.dialects.back()))
        return malformed(path, line, "\"" + kind + "\" is without a text, or without a dialect above it");
      continue;
    }
    text = text.substr(0, text.find('#'));
    Exemptions::Entry entry{take_word(text), text};
    if (entry.reason.empty()) return malformed(path, line, "an entry without a reason");
    if (kind == "unsupported") {
      exemptions.unsupported.push_back(std::move(entry));
    } else if (kind == "expected-failure") {
      exemptions.expected_failures.push_back(std::move(entry));
    } else if (kind == "dialect") {
      exemptions.dialects.push_back({.name = entry.pattern, .file = entry.reason});
    } else {
      return malformed(path, line, "unknown word \"" + kind + "\"");
    }
  }
  return exemptions;
}

}  // namespace kmux::conformance
