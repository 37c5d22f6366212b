#include "exemptions.h"

#include <fstream>
#include <sstream>

namespace kmux::conformance {
namespace {

Error malformed(const std::filesystem::path& path, int line, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, path.string() + ":" + std::to_string(line) + ": " + why +
                                                     ". Write \"unsupported PATTERN REASON\" or "
                                                     "\"expected-failure PATTERN REASON\".");
}

} // namespace

Result<Exemptions> read_exemptions(const std::filesystem::path& path) {
  Exemptions exemptions;
  std::ifstream file(path);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    text = text.substr(0, text.find('#'));
    std::istringstream words(text);
    std::string kind;
    Exemptions::Entry entry;
    if (!(words >> kind)) continue;
    words >> entry.pattern >> std::ws;
    std::getline(words, entry.reason);
    if (entry.reason.empty()) return malformed(path, line, "an entry without a reason");
    if (kind == "unsupported") {
      exemptions.unsupported.push_back(std::move(entry));
    } else if (kind == "expected-failure") {
      exemptions.expected_failures.push_back(std::move(entry));
    } else {
      return malformed(path, line, "unknown word \"" + kind + "\"");
    }
  }
  return exemptions;
}

} // namespace kmux::conformance
