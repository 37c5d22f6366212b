#include "kmux/plugin/option_readers.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

Error unknown_option(const OptionValue& value, const OptionReaders& readers) {
  std::vector<std::string> known;
  known.reserve(readers.size());
  for (const auto& [name, read] : readers) known.push_back(name);
  return make_error(ErrorCode::kInvalidArgument,
                    "option " + in_double_quotes(value.option) + " is not known (given as " +
                        in_double_quotes(value.text) + "; backend " + std::string(value.backend) + " has " +
                        join(known, "none") + ")." + did_you_mean(value.option, known) + " Correct or remove it.");
}

std::optional<std::string> find_text(std::string_view backend, const std::string& name, const Options& options,
                                     const Host& host) {
  const auto given = options.find(name);
  if (given != options.end()) return given->second;
  return host.option(std::string(backend) + "." + name);
}

}  // namespace

Status read_options(std::string_view backend, const Options& options, const Host& host, const OptionReaders& readers) {
  for (const auto& [name, text] : options) {
    if (!readers.contains(name)) return unknown_option({backend, name, text}, readers);
  }
  for (const auto& [name, read] : readers) {
    const std::optional<std::string> text = find_text(backend, name, options, host);
    if (text) KMUX_TRY(read({backend, name, *text}));
  }
  return Ok{};
}

Error bad_value(const OptionValue& value, std::string_view allowed) {
  return make_error(ErrorCode::kInvalidArgument,
                    "option " + in_double_quotes(value.option) + " cannot be " + in_double_quotes(value.text) +
                        " (backend " + std::string(value.backend) + "). Use " + std::string(allowed) + ".");
}

OptionReader on_or_off(bool& result) {
  return [&result](const OptionValue& value) -> Status {
    if (value.text != "on" && value.text != "off") return bad_value(value, R"("on" or "off")");
    result = value.text == "on";
    return Ok{};
  };
}

OptionReader any_text(std::string& result) {
  return [&result](const OptionValue& value) -> Status {
    result = value.text;
    return Ok{};
  };
}

OptionReader lines(std::vector<std::string>& result, std::function<Status(const std::vector<std::string>&)> check) {
  return [&result, check = std::move(check)](const OptionValue& value) -> Status {
    std::vector<std::string> entries = split_lines(value.text);
    KMUX_TRY(check(entries));
    result = std::move(entries);
    return Ok{};
  };
}

OptionReader flags(std::vector<std::string>& result, std::function<Status(const std::vector<std::string>&)> check) {
  return [&result, check = std::move(check)](const OptionValue& value) -> Status {
    std::vector<std::string> all;
    for (const std::string& line : split_lines(value.text)) {
      KMUX_ASSIGN(std::vector<std::string> some, split_flags(line));
      std::ranges::move(some, std::back_inserter(all));
    }
    KMUX_TRY(check(all));
    result = std::move(all);
    return Ok{};
  };
}

OptionReader folders(std::vector<std::string>& result) {
  return [&result](const OptionValue& value) -> Status {
    for (const std::string& folder : split_lines(value.text)) {
      result.push_back(absolute_path(folder).string());
    }
    return Ok{};
  };
}

Result<int> read_number(const OptionValue& value, NumberRange range) {
  const char* const begin = value.text.data();
  const char* const end = begin + value.text.size();
  int number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error == std::errc() && rest == end && number >= range.least && number <= range.most) return number;
  return bad_value(value, "a number from " + std::to_string(range.least) + " to " + std::to_string(range.most));
}

Result<std::size_t> read_word(const OptionValue& value, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, value.text);
  if (found == words.end()) return bad_value(value, listed(words));
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace kmux
