// Measures the project's figures, each with its limit: "bar NAME VALUE UNIT LIMIT held", or "missed". Bars that cannot
// be measured here are named on stderr. Returns exit code 1 if a bar is missed or fails.
//
// bars [--SETTING VALUE]... [GROUP | BAR]...    measures these, or all (settings.h)
// bars --list                                   prints group, name, unit and limit of each
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <set>

#include "bars/bar.h"
#include "bars/measured.h"
#include "bars/settings.h"

namespace kmux::bench {
namespace {

// Names of groups that issues and notes use.
const std::map<std::string, std::string> kAliases = {{"spmd", "cpu"}};

std::vector<Bar> sorted_bars() {
  std::vector<Bar> bars = registered_bars();
  std::ranges::stable_sort(bars, {}, &Bar::group);
  return bars;
}

int list(const std::vector<Bar>& bars) {
  for (const Bar& bar : bars) {
    std::printf("%s\t%s\t%s\t%s\n", bar.group.c_str(), bar.name.c_str(), bar.unit.c_str(), bar.limit.text().c_str());
  }
  return 0;
}

// Reports the valid groups instead of `word`.
int unknown(const std::string& word, const std::vector<Bar>& bars) {
  std::set<std::string> groups;
  for (const Bar& bar : bars) groups.insert(bar.group);
  std::string text;
  for (const std::string& group : groups) text += " " + group;
  std::fprintf(stderr, "bars: no group or bar \"%s\". Groups:%s\n", word.c_str(), text.c_str());
  return 2;
}

bool is_wanted(const Bar& bar, const std::vector<std::string>& words) {
  return words.empty() ||
         std::ranges::any_of(words, [&](const std::string& word) { return word == bar.group || word == bar.name; });
}

int measure(const std::vector<Bar>& bars, const std::vector<std::string>& words) {
  int code = 0;
  for (const Bar& bar : bars) {
    if (!is_wanted(bar, words)) continue;
    try {
      if (!measure_and_print(bar)) code = 1;
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "bars: %s: %s\n", bar.name.c_str(), failure.what());
      code = 1;
    }
  }
  return code;
}

int run_child(std::vector<std::string> words) {
  const auto child = std::ranges::find(registered_children(), words.at(0), &Child::name);
  if (child == registered_children().end()) return unknown(words[0], {});
  words.erase(words.begin());
  return child->run(words);
}

int main(std::vector<std::string> words) {
  take_settings(words);
  const std::vector<Bar> bars = sorted_bars();
  if (words == std::vector<std::string>{"--list"}) return list(bars);
  if (words.size() > 1 && words[0] == "--child") return run_child({words.begin() + 1, words.end()});
  const bool is_once = words.size() == 2 && words[0] == "--once";
  if (is_once) words.erase(words.begin());
  for (std::string& word : words) {
    if (const auto alias = kAliases.find(word); alias != kAliases.end()) word = alias->second;
    if (std::ranges::none_of(bars, [&](const Bar& bar) { return is_wanted(bar, {word}); })) return unknown(word, bars);
  }
  return is_once ? measure_once(*std::ranges::find(bars, words[0], &Bar::name)) : measure(bars, words);
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  try {
    return kmux::bench::main({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bars: %s\n", failure.what());
    return 1;
  }
}
