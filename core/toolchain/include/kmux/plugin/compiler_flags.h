#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux {

/// Flags that are taken from users: in full, or with a value behind them in the same piece.
struct FlagList {
  std::span<const std::string_view> whole;  // "-O3"
  std::span<const std::string_view> with_value;  // "-I", which "-Ifolder" begins with
  /// Is `flag` among them?
  bool contains(std::string_view flag) const;
};

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

/// Adds "-std=" with the standard of the settings, unless one of the user's `flags` has it.
void add_standard(std::vector<std::string>& arguments, const Settings& settings, const std::vector<std::string>& flags);

}  // namespace kmux
