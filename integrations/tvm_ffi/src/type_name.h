#pragma once

#include <cstdint>
#include <string>

namespace kmux::bridge {

/// "a str", "an int": what a person calls a value of TVM-FFI's type `index`, for messages; the words are Python's.
std::string named_type(std::int32_t index);

}  // namespace kmux::bridge
