#include "bars/settings.h"

#include <algorithm>
#include <array>
#include <map>

namespace kmux::bench {
namespace {

// root: the source tree; headers: a folder with TileLang's headers; march: the architecture of kernels for a processor
// and of their native rivals; reference: the build of another commit (bench/streams/reference.sh).
constexpr std::array kNames = {"--root", "--headers", "--march", "--reference"};

std::map<std::string, std::string>& values() {
  static auto& values = *new std::map<std::string, std::string>;
  return values;
}

}  // namespace

void take_settings(std::vector<std::string>& words) {
  std::vector<std::string> left;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::find(kNames, words[i]) != kNames.end() && i + 1 < words.size()) {
      const std::string& name = words[i++];
      values()[name] = words[i];
    } else {
      left.push_back(words[i]);
    }
  }
  words = std::move(left);
}

std::string setting(const std::string& name, const std::string& fallback) {
  const auto found = values().find("--" + name);
  return found == values().end() ? fallback : found->second;
}

std::vector<std::string> settings_as_words() {
  std::vector<std::string> words;
  for (const auto& [name, value] : values()) words.insert(words.end(), {name, value});
  return words;
}

}  // namespace kmux::bench
