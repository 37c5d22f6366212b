#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/error.h"

#include "messages.h"

namespace kmux::metal {

/// A value of a function constant: `[[function_constant(INDEX)]]` in the source, or its name.
struct Constant {
  std::string name;            // empty: `index` identifies the constant
  std::uint64_t index = 0;
  Count type = 0;              // MTLDataType
  std::array<char, 8> bytes = {};
  bool operator==(const Constant&) const = default;
};

/// Parses "NAME:TYPE=VALUE" or "INDEX:TYPE=VALUE", for example "tile:int=16". TYPE must be bool, char, uchar, short,
/// ushort, int, uint, long, ulong or float.
///
/// Errors: invalid_argument that shows the text and the expected form.
Result<Constant> parse_constant(std::string_view text);

}  // namespace kmux::metal
