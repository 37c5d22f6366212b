// SPDX-License-Identifier: Apache-2.0
#include "recorded_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/quoting.h"

#include "recording.h"

namespace kmux::cli {
namespace {

constexpr std::array<std::string_view, 7> kPathFlags = {"-I", "-i", "--include-path", "--sysroot", "-L", "-B", "@"};

/// Returns true if `flag` names a path. A macro's value may be one: it opens nothing that the source could not.
bool names_a_path(std::string_view flag) {
  if (flag.starts_with("-D") || flag.starts_with("-U")) return false;
  return begins_with_any(flag, kPathFlags) || flag.find('/') != std::string_view::npos;
}

/// Returns `word` quoted as one word of a flags text.
std::string quoted_word(std::string_view word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Filters the options of a kernel.json.
class OptionFilter {
 public:
  RecordedOptions run(const Json& how) && {
    for (const std::string& text : recorded_texts(how, "compile_flags")) take_flags(text);
    for (const std::string& folder : recorded_texts(how, "include_dirs")) ignore("include folder", folder);
    const Json* const given = how.find("options");
    if (given == nullptr || given->as_object() == nullptr) return std::move(read_);
    for (const auto& [name, value] : *given->as_object()) {
      if (value.as_string() != nullptr) take_option(name, *value.as_string());
    }
    return std::move(read_);
  }

 private:
  void ignore(const std::string& noun, std::string_view name) {
    read_.ignored.push_back(noun + " " + in_double_quotes(name));
  }

  void take_option(const std::string& name, const std::string& value) {
    if (name == "compile_flags") return take_lines(value);
    const bool is_path = name == "host_compiler" || name == "include_dirs" || value.find('/') != std::string::npos;
    if (is_path) return ignore("option", name);
    read_.options[name] = value;
  }

  void take_lines(std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      take_flags(lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }

  void take_flags(std::string_view text) {
    if (std::string kept = kept_flags(text); !kept.empty()) read_.compile_flags.push_back(std::move(kept));
  }

  /// Returns the flags of `text` without those that name a path. A text that cannot be split stays unchanged: backends
  /// reject it.
  std::string kept_flags(std::string_view text) {
    const Result<std::vector<std::string>> flags = split_flags(text);
    if (!flags || std::ranges::none_of(*flags, names_a_path)) return std::string(text);
    std::string kept;
    for (const std::string& flag : *flags) {
      if (names_a_path(flag)) {
        ignore("flag", flag);
      } else {
        kept.append(kept.empty() ? "" : " ").append(quoted_word(flag));
      }
    }
    return kept;
  }

  RecordedOptions read_;
};

}  // namespace

void RecordedOptions::add_to(CompileOptions& asked) const {
  asked.compile_flags.insert(asked.compile_flags.begin(), compile_flags.begin(), compile_flags.end());
  for (const auto& [name, value] : options) asked.options.try_emplace(name, value);
}

RecordedOptions recorded_options(const Json& how) { return OptionFilter().run(how); }

}  // namespace kmux::cli
