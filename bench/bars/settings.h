#pragma once

#include <string>
#include <vector>

namespace kmux::bench {

/// Takes "--NAME VALUE" of the settings that there are out of `words`: root, headers, march and reference.
void take_settings(std::vector<std::string>& words);

/// The value of setting `name`, or `fallback` where the command line has none.
std::string setting(const std::string& name, const std::string& fallback = "");

/// The settings as words, for another process of this program.
std::vector<std::string> settings_as_words();

}  // namespace kmux::bench
