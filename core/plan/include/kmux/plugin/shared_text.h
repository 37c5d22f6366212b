#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// A piece of a printed launcher that is the same in every launcher of its kind, between two lines that `own_text` knows.
/// `title`, one line, says what it is: "the launch layer". `text` has no such piece in itself.
std::string shared_text(std::string_view title, std::string_view text);

/// What of `launcher` is its program's: in the place of each `shared_text` stands a comment with its title and length.
std::string own_text(std::string_view launcher);

}  // namespace kmux
