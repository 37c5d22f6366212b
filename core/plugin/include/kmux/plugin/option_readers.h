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

/// The given value of a backend's option.
struct OptionValue {
  std::string_view backend;  // for messages
  std::string_view option;  // its name
  std::string_view text;  // as given
};

/// Parses a value and stores it.
///
/// Errors: invalid_argument, usually a `bad_value`, for a value that the option does not accept.
using OptionReader = std::function<Status(const OptionValue& value)>;

/// The readers of a backend's options, by name.
using OptionReaders = std::map<std::string, OptionReader>;

/// Reads `options`. Missing options are read from the host ("cpu.engine" for option "engine" of backend "cpu"); options
/// set in neither keep their values.
///
/// Errors: invalid_argument that names an unknown option and lists the known ones; else those of the readers.
Status read_options(std::string_view backend, const Options& options, const Host& host, const OptionReaders& readers);

/// Returns the error for an invalid value. `allowed` lists the valid ones: `"on" or "off"`, for example.
Error bad_value(const OptionValue& value, std::string_view allowed);

/// Return readers of common kinds. Lifetime: the references must stay valid as long as the reader.
OptionReader on_or_off(bool& result);
/// Any text.
OptionReader any_text(std::string& result);
/// A list, one entry a line, which `check` must accept.
OptionReader lines(std::vector<std::string>& result, std::function<Status(const std::vector<std::string>&)> check);
/// Compiler flags on one or more lines, each split by `split_flags`. `check` must accept the whole list.
OptionReader flags(std::vector<std::string>& result, std::function<Status(const std::vector<std::string>&)> check);
/// Folders, one a line, made absolute.
OptionReader folders(std::vector<std::string>& result);

/// The range of valid numbers, both ends included.
struct NumberRange {
  int least;  // minimum
  int most;  // maximum
};
/// Errors: invalid_argument that names the option and the range.
Result<int> read_number(const OptionValue& value, NumberRange range);
/// An integer in that range.
template <class Number>
OptionReader whole_number(Number& result, NumberRange range) {
  return [&result, range](const OptionValue& value) -> Status {
    KMUX_ASSIGN(const int number, read_number(value, range));
    result = Number(number);
    return Ok{};
  };
}

/// Returns the index of `value` in `words`.
Result<std::size_t> read_word(const OptionValue& value, std::span<const std::string_view> words);
/// A value of an enumeration; `words` must name its values in order.
template <class Choice>
OptionReader one_of(Choice& result, std::span<const std::string_view> words) {
  return [&result, words](const OptionValue& value) -> Status {
    KMUX_ASSIGN(const std::size_t index, read_word(value, words));
    result = static_cast<Choice>(index);
    return Ok{};
  };
}

}  // namespace kmux
