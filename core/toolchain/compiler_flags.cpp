#include "kmux/plugin/compiler_flags.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kmux/plugin/quoting.h"
#include "kmux/plugin/source_unit.h"

namespace kmux {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

/// Splits a text into words like a POSIX shell.
class FlagSplitter {
 public:
  explicit FlagSplitter(std::string_view text) : rest_(text) {}

  /// Splits all of the text. Returns false if it ends within a quote or an escape.
  bool split(std::vector<std::string>& words) {
    while (!rest_.empty()) {
      const char next = take();
      if (kBlanks.find(next) != std::string_view::npos) {
        end_word(words);
      } else if (!take_piece(next)) {
        return false;
      }
    }
    end_word(words);
    return true;
  }

 private:
  char take() {
    const char next = rest_.front();
    rest_.remove_prefix(1);
    return next;
  }

  bool take_piece(char first) {
    if (first == '\'' || first == '"') return take_quoted(first);
    if (first != '\\') return put(first);
    return !rest_.empty() && put(take());
  }

  /// Within double quotes, \ is literal except before a quote or another \.
  bool take_quoted(char quote) {
    is_word_ = true;
    while (!rest_.empty()) {
      const char next = take();
      if (next == quote) return true;
      const bool escapes = quote == '"' && next == '\\' && !rest_.empty() && (rest_[0] == '"' || rest_[0] == '\\');
      put(escapes ? take() : next);
    }
    return false;
  }

  bool put(char next) {
    word_ += next;
    is_word_ = true;
    return true;
  }

  void end_word(std::vector<std::string>& words) {
    if (is_word_) words.push_back(std::exchange(word_, {}));
    is_word_ = false;
  }

  std::string_view rest_;
  std::string word_;
  bool is_word_ = false;
};

}  // namespace

Result<std::vector<std::string>> split_flags(std::string_view text) {
  std::vector<std::string> flags;
  if (FlagSplitter(text).split(flags)) return flags;
  return make_error(ErrorCode::kInvalidArgument,
                    "compiler flags " + in_double_quotes(text) +
                        " end within a quote or after a \\ (they are split at blanks as a shell does it). Close it.");
}

namespace {

constexpr std::string_view kDecimalDigits = "0123456789";
constexpr std::string_view kLettersAndDigits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool consists_of(std::string_view text, std::string_view characters, std::string_view more = {}) {
  const auto is_of = [&](char c) { return characters.find(c) != characters.npos || more.find(c) != more.npos; };
  return !text.empty() && std::ranges::all_of(text, is_of);
}

// Large enough for every use, and too small to keep a compiler busy or to overflow its stack.
bool is_small_number(std::string_view text) { return text.size() <= 4 && consists_of(text, kDecimalDigits); }

}  // namespace

bool ValuedFlag::matches(std::string_view flag) const {
  if (!flag.starts_with(begin)) return false;
  const std::string_view text = flag.substr(begin.size());
  switch (value) {
    case FlagValue::kNumber:
      return is_small_number(text);
    case FlagValue::kNumbers:
      return consists_of(text, kDecimalDigits, ",");
    case FlagValue::kTruth:
      return text == "true" || text == "false";
    case FlagValue::kName:
      return consists_of(text, kLettersAndDigits, "-_.+,!");
    case FlagValue::kWord:
      return std::ranges::find(words, text) != words.end();
  }
  return false;
}

bool FlagList::contains(std::string_view flag) const {
  const auto goes_on = [&](std::string_view prefix) { return flag.starts_with(prefix) && flag.size() > prefix.size(); };
  const auto matches = [&](const ValuedFlag& one) { return one.matches(flag); };
  return std::ranges::find(whole, flag) != whole.end() || std::ranges::any_of(with_value, goes_on) ||
         std::ranges::any_of(valued, matches);
}

bool is_warning_flag(std::string_view flag) {
  if (!flag.starts_with("-W")) return false;
  const std::size_t equals = std::min(flag.find('='), flag.size());
  const bool is_error = flag.starts_with("-Werror=") || flag.starts_with("-Wno-error=");
  const std::string_view name = is_error ? flag.substr(equals + 1) : flag.substr(2, equals - 2);
  if (!consists_of(name, kLettersAndDigits, "-+")) return false;
  return is_error || equals == flag.size() || is_small_number(flag.substr(equals + 1));
}

bool begins_with_any(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

Status check_flags(const std::vector<std::string>& flags, const std::function<bool(std::string_view flag)>& is_allowed,
                   const FlagRefusal& refusal) {
  const auto refused = std::ranges::find_if_not(flags, is_allowed);
  if (refused == flags.end()) return Ok{};
  std::string message = "compiler flag " + in_double_quotes(*refused) + " is not allowed (backend ";
  message.append(refusal.backend);
  message.append("; it could write files, load code or change the steps of the compilation). Use ");
  message.append(refusal.examples).append(".");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

namespace {

// Returns the prefix of a flag that names a header folder; empty for other flags.
std::string_view folder_prefix(std::string_view flag) {
  for (const std::string_view prefix : {"-I", "--include-path="}) {
    if (flag.starts_with(prefix)) return prefix;
  }
  return {};
}

}  // namespace

std::vector<std::string> folders_of_user(const std::vector<std::string>& include_dirs,
                                         const std::vector<std::string>& flags, const Settings& settings) {
  std::vector<std::string> folders = include_dirs;
  for (const std::string& flag : flags) {
    const std::string_view prefix = folder_prefix(flag);
    const bool is_programs = std::ranges::find(settings.compile_flags, flag) != settings.compile_flags.end();
    if (!prefix.empty() && !is_programs) folders.push_back(flag.substr(prefix.size()));
  }
  return folders;
}

std::string in_program(const std::string& flag, std::string_view program) {
  const std::string_view prefix = folder_prefix(flag);
  if (prefix.empty() || flag.substr(prefix.size()).starts_with('/')) return flag;
  return std::string(prefix).append(program).append("/").append(flag.substr(prefix.size()));
}

void add_standard(std::vector<std::string>& arguments, const Settings& settings, const std::vector<std::string>& flags,
                  std::string_view otherwise) {
  constexpr std::array<std::string_view, 2> kNames = {"-std=", "--std="};
  const auto names_one = [&](std::string_view flag) { return begins_with_any(flag, kNames); };
  const std::string_view standard = settings.standard.empty() ? otherwise : settings.standard;
  if (!standard.empty() && std::ranges::none_of(flags, names_one))
    arguments.push_back(std::string("-std=").append(standard));
}

}  // namespace kmux
