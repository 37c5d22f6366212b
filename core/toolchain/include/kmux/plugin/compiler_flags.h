#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux {

/// What may stand behind the beginning of a flag.
enum class FlagValue {
  kNumber,   ///< one of at most four digits
  kNumbers,  ///< several, with commas between them
  kTruth,    ///< "true" or "false"
  kName,     ///< of a processor, a standard or their like: letters, digits and "-_.+,!"
  kWord      ///< one of those that are listed
};

/// A flag that begins with `begin` and goes on with a value.
struct ValuedFlag {
  std::string_view begin;  ///< "-ffp-contract="
  FlagValue value = FlagValue::kNumber;  ///< the kind of it
  std::span<const std::string_view> words = {};  ///< of kWord
  /// Returns true for this flag with such a value.
  bool matches(std::string_view flag) const;
};

/// Flags that are taken from users.
struct FlagList {
  std::span<const std::string_view> whole;       // "-O3"
  std::span<const std::string_view> with_value;  // "-I", behind which any text may stand
  std::span<const ValuedFlag> valued = {};       // "-ffp-contract="
  /// Is `flag` among them?
  bool contains(std::string_view flag) const;
};

/// Returns true for -WNAME, -Wno-NAME, -Werror=NAME and -WNAME=NUMBER, and false for those that go to other programs (-Wl,).
bool is_warning_flag(std::string_view flag);

/// One text as several flags: split at blanks as a shell does it, with '...', "..." and \, and nothing is expanded.
///
/// Errors: invalid_argument for a quote that is not closed, and for a \ at the end.
Result<std::vector<std::string>> split_flags(std::string_view text);

/// Does `text` begin with one of `prefixes`?
bool begins_with_any(std::string_view text, std::span<const std::string_view> prefixes);

/// How a backend refuses a flag.
struct FlagRefusal {
  std::string_view backend;  // for messages
  std::string_view examples;  // of what is taken: "-D, -U, -I and their like in one piece"
};

/// Are all `flags` such as change how a kernel is compiled and nothing else, by `is_allowed`?
///
/// Errors: invalid_argument that names the first other flag.
Status check_flags(const std::vector<std::string>& flags, const std::function<bool(std::string_view flag)>& is_allowed,
                   const FlagRefusal& refusal);

/// Returns the folders of headers that the user of a program names: `include_dirs`, and those of `flags` that are not of the
/// program's own `settings`.
std::vector<std::string> folders_of_user(const std::vector<std::string>& include_dirs,
                                         const std::vector<std::string>& flags, const Settings& settings);

/// Returns `flag`, in which a relative folder of headers is one in `program`, the folder of the program's files.
std::string in_program(const std::string& flag, std::string_view program);

/// Adds "-std=" with the standard of the settings, unless one of the user's `flags` has it.
void add_standard(std::vector<std::string>& arguments, const Settings& settings, const std::vector<std::string>& flags);

}  // namespace kmux
