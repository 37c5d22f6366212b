#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/plugin.h"

namespace kmux {

/// "a, b, c" for a message; `if_empty` where there are none.
std::string join(const std::vector<std::string>& words, std::string_view if_empty = "");

/// The lines of `text` that are not empty: how a list is written in an option.
std::vector<std::string> split_lines(std::string_view text);

/// `word` with its ASCII letters in lower case, whatever the locale.
std::string lower_case(std::string_view word);

/// Bytes of the character of UTF-8 that `text` begins with; 0 if it begins with none.
std::size_t character_size(std::string_view text);

/// `text` between double quotes on one line, for a message: quotes, backslashes and what is not visible, or not UTF-8, are
/// escaped, long text is cut.
std::string in_double_quotes(std::string_view text);

/// Text such as `"a", "b" or "c"`, of words in a vector, an array or a span.
template <class Words>
std::string listed(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += in_double_quotes(words[i]);
  }
  return text;
}

/// The member of `known` that `word` most likely means: at most a third of its letters (and at least one) differ, case
/// aside; the first of equals. Nothing if none is that near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// " Did you mean 'x'?" for a message; "" if nothing is near or `word` is itself known.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// `text` between double quotes, for messages. It is a name: nothing is escaped.
inline std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

/// 32 hexadecimal digits from the system's generator: a name that no other process gives. Empty if there is no generator.
std::string random_word();

/// Appends `text` to what `sink` has been given.
///
/// Threads: as of the sink.
inline void write(kmux_sink sink, std::string_view text) { sink.write(sink.self, text.data(), text.size()); }

/// A sink that appends to `text`.
///
/// Lifetime: borrows it.
inline kmux_sink append_to(std::string& text) noexcept {
  return {&text, [](void* self, const char* data, std::size_t size) noexcept -> std::int32_t {
            try {
              static_cast<std::string*>(self)->append(data, size);
              return 0;
            } catch (...) {  // no memory, or more than a string holds: nothing may be thrown through a plugin
              return 1;
            }
          }};
}

/// A sink that keeps nothing.
inline kmux_sink discard() noexcept {
  return {nullptr, [](void*, const char*, std::size_t) noexcept -> std::int32_t { return 0; }};
}

}  // namespace kmux
