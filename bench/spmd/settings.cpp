#include "settings.h"

namespace kmux::bench::spmd {

void Settings::take_from(std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--verbose") {
      is_verbose = true;
    } else if (words[i] == "--march" && has_value) {
      march = words[++i];
    } else if (words[i] == "--kernels" && has_value) {
      kernels = static_cast<unsigned>(std::stoul(words[++i]));
    } else if (words[i] == "--seed" && has_value) {
      seed = static_cast<unsigned>(std::stoul(words[++i]));
    } else if (words[i] == "--other" && has_value) {
      other_backend = words[++i];
    } else {
      names.push_back(words[i]);
    }
  }
  words = std::move(names);
}

std::vector<std::string> Settings::words() const {
  std::vector<std::string> words = {"--march", march};
  if (is_verbose) words.push_back("--verbose");
  return words;
}

Settings& settings() {
  static Settings& one = *new Settings;
  return one;
}

}  // namespace kmux::bench::spmd
