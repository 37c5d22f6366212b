#pragma once

#include <string>
#include <vector>

namespace kmux::bench {

/// Removes the valid settings "--NAME VALUE" from `words` and keeps them: root, headers, march and reference.
void take_settings(std::vector<std::string>& words);

/// Returns the value of setting `name`, or `fallback` if the command line has none.
std::string setting(const std::string& name, const std::string& fallback = "");

/// Returns the settings as words, for another process of this program.
std::vector<std::string> settings_as_words();

}  // namespace kmux::bench
