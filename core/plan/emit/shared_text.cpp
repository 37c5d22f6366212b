#include "kmux/plugin/shared_text.h"

#include <algorithm>

namespace kmux {
namespace {

constexpr std::string_view kSharedBegin = "// kmux: the same in every launcher from here on: ";
constexpr std::string_view kSharedEnd = "// kmux: end of ";

/// Takes the first line off `text`, with its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

/// Takes what is shared off `text`, with its last line; gives how many lines that are without it.
std::size_t take_shared(std::string_view& text) {
  std::size_t lines = 0;
  while (!text.empty() && !take_line(text).starts_with(kSharedEnd)) ++lines;
  return lines;
}

}  // namespace

std::string shared_text(std::string_view title, std::string_view text) {
  std::string shared(kSharedBegin);
  shared.append(title).append("\n").append(text);
  if (!text.ends_with('\n')) shared += '\n';
  return shared.append(kSharedEnd).append(title).append("\n");
}

std::string own_text(std::string_view launcher) {
  std::string own;
  while (!launcher.empty()) {
    std::string_view line = take_line(launcher);
    if (!line.starts_with(kSharedBegin)) {
      own += line;
      continue;
    }
    line.remove_prefix(kSharedBegin.size());
    line = line.substr(0, line.find('\n'));
    const std::size_t lines = take_shared(launcher);
    own.append("// ").append(line).append(" (").append(std::to_string(lines));
    own.append(" lines, the same in every launcher)\n");
  }
  return own;
}

}  // namespace kmux
