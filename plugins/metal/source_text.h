#pragma once

#include <string>

#include "kmux/dispatch.h"

namespace kmux::metal {

/// The sources of a variant as one text: Metal compiles a text and knows no folder of headers, so the program's own
/// files stand where they are included. `#line` keeps the user's files and lines in messages.
///
/// Files that the program does not have (<metal_stdlib>) stay as they are.
std::string source_text(const Variant& variant);

}  // namespace kmux::metal
