#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// Reads `bytes` as a text form, in each way that one is read: as a file NAME.kmux, as a source that carries its program, and
/// as the signature of a kernel in a line.
///
/// What is a program has to be valid, its text and its JSON have to read back as it, and formatting must neither change it
/// nor lose a comment; what is none has to end in an error that can be shown.
///
/// Returns the promise that does not hold, with what was read; empty if all hold.
std::string broken_promise(std::string_view bytes);

/// Texts to begin with: of random programs, of every program of the tree, its .kmux files and its sources that carry one.
std::vector<std::string> seed_texts();

/// The words of tests/fuzz/text.dict, which is in the form of libFuzzer.
std::vector<std::string> dictionary();

}  // namespace kmux
