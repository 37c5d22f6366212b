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
  std::string name;            // empty: told by `index`
  std::uint64_t index = 0;
  Count type = 0;              // MTLDataType
  std::array<char, 8> bytes = {};
  bool operator==(const Constant&) const = default;
};

/// Reads "NAME:TYPE=VALUE" or "INDEX:TYPE=VALUE", for example "tile:int=16". TYPE is bool, char, uchar, short,
/// ushort, int, uint, long, ulong or float.
///
/// Errors: invalid_argument that shows the text, and what was expected.
Result<Constant> parse_constant(std::string_view text);

}  // namespace kmux::metal
