#include "command_line.h"

#include <algorithm>
#include <iostream>
#include <sstream>

#include <boost/program_options.hpp>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/word_list.h"

namespace kmux::conformance {
namespace {

namespace po = boost::program_options;

po::options_description options_of(CommandLine& line, std::string& tags) {
  po::options_description options("options");
  auto add = options.add_options();
  add("plugin", po::value(&line.plugin)->value_name("NAME"), "the backend under test");
  add("plugin-path", po::value(&line.folder)->value_name("FOLDER"),
      "where its plugin is (else where kmux finds plugins)");
  add("device", po::value(&line.device)->value_name("N"), "ordinal of the device (0)");
  add("tags", po::value(&tags)->value_name("GROUP,..."), "only these groups");
  add("isolation", po::value(&line.isolation)->value_name("WHERE"),
      "none, or process: cold calls in a process of their own");
  add("require-device", po::bool_switch(&line.needs_device), "that it cannot run here is a failure, not a skip (77)");
  add("json", po::bool_switch(&line.json), "print one JSON document instead of lines");
  add("junit", po::value(&line.junit)->value_name("FILE"), "write the results in JUnit's form, too");
  add("rehearse", po::bool_switch(&line.rehearses), "over a driver that computes nothing: that every program compiles");
  add("cached", po::bool_switch(&line.is_cached), "where no compiler is: what a cache has");
  add("inside", po::bool_switch(&line.inside), "for the suite itself");
  add("help,h", "print this");
  return options;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream rest(list);
  for (std::string word; std::getline(rest, word, ',');) words.push_back(lower_case(word));
  return words;
}

Error refused(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the command line is wrong (" + why + "). `kmux-conformance --help` lists the options.");
}

}  // namespace

Result<std::optional<CommandLine>> read_command_line(const std::vector<std::string>& words,
                                                     std::vector<std::string>& rest) {
  CommandLine line;
  std::string tags;
  const po::options_description options = options_of(line, tags);
  std::vector<std::string> own;
  for (const std::string& word : words) (word.starts_with("--gtest_") ? rest : own).push_back(word);
  po::variables_map values;
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(own).options(options).style(style).run(), values);
    po::notify(values);
  } catch (const po::error& error) {
    return refused(error.what());
  }
  if (values.count("help") != 0) {
    std::cout << "usage: kmux-conformance --plugin NAME [options] [GoogleTest's flags]\n\n" << options;
    return std::optional<CommandLine>();
  }
  line.tags = split(tags);
  if (line.plugin.empty()) return refused("--plugin is missing");
  return std::optional(std::move(line));
}

Result<std::string> filter_of(const std::vector<std::string>& tags, const std::vector<std::string>& groups) {
  if (tags.empty()) return std::string("*");
  std::string filter;
  for (const std::string& tag : tags) {
    const auto found = std::ranges::find_if(groups, [&](const std::string& group) { return lower_case(group) == tag; });
    if (found == groups.end()) return refused("there is no group " + in_quotes(tag) + ", but " + listed(groups));
    filter += (filter.empty() ? "" : ":") + *found + ".*:" + *found + "/*";
  }
  return filter;
}

}  // namespace kmux::conformance
