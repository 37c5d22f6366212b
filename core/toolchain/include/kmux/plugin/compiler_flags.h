#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux {

/// The valid values of a flag after its prefix.
enum class FlagValue {
  kNumber,   ///< a number of at most four digits
  kNumbers,  ///< several numbers, separated by commas
  kTruth,    ///< "true" or "false"
  kName,     ///< a name, for example of a processor or standard: letters, digits and "-_.+,!"
  kWord      ///< one of the listed words
};

/// A flag made of the prefix `begin` and a value.
struct ValuedFlag {
  std::string_view begin;  ///< "-ffp-contract="
  FlagValue value = FlagValue::kNumber;  ///< its kind
  std::span<const std::string_view> words = {};  ///< of kWord
  /// Returns true if `flag` has this prefix and a valid value.
  bool matches(std::string_view flag) const;
};

/// The flags that users may pass.
struct FlagList {
  std::span<const std::string_view> whole;       // "-O3"
  std::span<const std::string_view> with_value;  // "-I", followed by any text
  std::span<const ValuedFlag> valued = {};       // "-ffp-contract="
  /// Returns true if the list allows `flag`.
  bool contains(std::string_view flag) const;
};

/// Returns true for -WNAME, -Wno-NAME, -Werror=NAME and -WNAME=NUMBER; false for flags that are passed to other
/// programs (-Wl,).
bool is_warning_flag(std::string_view flag);

/// Splits a text into flags at blanks as a shell does, with '...', "..." and \, but without expansion.
///
/// Errors: invalid_argument for an unclosed quote, and for a \ at the end.
Result<std::vector<std::string>> split_flags(std::string_view text);

/// Returns true if `text` begins with one of `prefixes`.
bool begins_with_any(std::string_view text, std::span<const std::string_view> prefixes);

/// The texts for a backend's error about a flag.
struct FlagRefusal {
  std::string_view backend;  // for messages
  std::string_view examples;  // valid flags: "-D, -U, -I and their like in one piece"
};

/// Checks that `is_allowed` accepts all `flags`: they may change the code of a kernel and have no other effect.
///
/// Errors: invalid_argument that names the first invalid flag.
Status check_flags(const std::vector<std::string>& flags, const std::function<bool(std::string_view flag)>& is_allowed,
                   const FlagRefusal& refusal);

/// Returns the header folders that the caller names: `include_dirs`, and those in `flags` that do not come from the
/// program's `settings`.
std::vector<std::string> folders_of_user(const std::vector<std::string>& include_dirs,
                                         const std::vector<std::string>& flags, const Settings& settings);

/// Returns `flag` with a relative header folder placed in `program`, the folder of the program's files.
std::string in_program(const std::string& flag, std::string_view program);

/// Adds "-std=" with the settings' standard, else with `otherwise`, unless the user's `flags` have one. An empty
/// `otherwise` adds none: for sources in C, whose compilers warn about a standard of C++.
void add_standard(std::vector<std::string>& arguments, const Settings& settings, const std::vector<std::string>& flags,
                  std::string_view otherwise = "c++20");

}  // namespace kmux
