#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// Reads `bytes` as text form in each supported way: a file NAME.kmux, a source that carries its program, and a
/// kernel's signature in a line.
///
/// A program must be valid, its text and its JSON must read back equal, and formatting must neither change it nor lose
/// a comment. Other input must end in an error that can be shown.
///
/// Returns the broken promise and the input; empty if all hold.
std::string broken_promise(std::string_view bytes);

/// Returns the initial texts: of random programs, of every program of the tree, its .kmux files and its sources that
/// carry one.
std::vector<std::string> seed_texts();

/// Returns the words of tests/fuzz/text.dict, a dictionary of libFuzzer.
std::vector<std::string> dictionary();

}  // namespace kmux
