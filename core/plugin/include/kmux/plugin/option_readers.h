#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux {

/// What an option was given, and whose it is.
struct OptionValue {
  std::string_view backend;  // for messages
  std::string_view option;  // its name
  std::string_view text;  // as given
};

/// Puts a value where it belongs.
///
/// Errors: invalid_argument, usually a `bad_value`, for one that the option does not take.
using OptionReader = std::function<Status(const OptionValue& value)>;

/// The options that a backend has, by name.
using OptionReaders = std::map<std::string, OptionReader>;

/// Reads `options`; what is absent there is read from the host ("cpu.engine" for option "engine" of backend
/// "cpu"); what is in neither is left as it is.
///
/// Errors: invalid_argument that names an unknown option, with the known ones; else as of the readers.
Status read_options(std::string_view backend, const Options& options, const Host& host, const OptionReaders& readers);

/// The refusal of a value, with what the option takes: `"on" or "off"`, for example.
Error bad_value(const OptionValue& value, std::string_view allowed);

/// Readers of common kinds. Lifetime: they borrow what they are given.
OptionReader on_or_off(bool& result);
/// Any text.
OptionReader any_text(std::string& result);
/// A list, one entry a line, of which `check` approves.
OptionReader lines(std::vector<std::string>& result, std::function<Status(const std::vector<std::string>&)> check);
/// Flags for a compiler, several lines of them, each split as `split_flags` does it; of all of which `check` approves.
OptionReader flags(std::vector<std::string>& result, std::function<Status(const std::vector<std::string>&)> check);
/// Folders, one a line, made absolute.
OptionReader folders(std::vector<std::string>& result);

/// The numbers that an option takes, both ends included.
struct NumberRange {
  int least;  // allowed
  int most;  // allowed
};
/// Errors: invalid_argument that names the option and the range.
Result<int> read_number(const OptionValue& value, NumberRange range);
/// A whole number of that range.
template <class Number>
OptionReader whole_number(Number& result, NumberRange range) {
  return [&result, range](const OptionValue& value) -> Status {
    KMUX_ASSIGN(const int number, read_number(value, range));
    result = Number(number);
    return Ok{};
  };
}

/// Where `value` stands among `words`.
Result<std::size_t> read_word(const OptionValue& value, std::span<const std::string_view> words);
/// One of an enumeration's values; `words` names them in their order.
template <class Choice>
OptionReader one_of(Choice& result, std::span<const std::string_view> words) {
  return [&result, words](const OptionValue& value) -> Status {
    KMUX_ASSIGN(const std::size_t index, read_word(value, words));
    result = static_cast<Choice>(index);
    return Ok{};
  };
}

}  // namespace kmux
