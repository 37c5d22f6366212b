#include "constants.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace kmux::metal {
namespace {

template <class Number>
bool store(std::string_view text, std::array<char, 8>& bytes) {
  Number number{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || rest != end) return false;
  std::memcpy(bytes.data(), &number, sizeof number);
  return true;
}

bool store_bool(std::string_view text, std::array<char, 8>& bytes) {
  if (text != "true" && text != "false") return false;
  bytes[0] = text == "true" ? 1 : 0;
  return true;
}

struct Type {
  std::string_view name;
  Count number;
  bool (*store)(std::string_view text, std::array<char, 8>& bytes);
};

// Source: Apple, MTLDataType (MTLArgument.h).
constexpr std::array<Type, 10> kTypes = {{{"bool", 53, store_bool},
                                          {"char", 45, store<std::int8_t>},
                                          {"uchar", 49, store<std::uint8_t>},
                                          {"short", 37, store<std::int16_t>},
                                          {"ushort", 41, store<std::uint16_t>},
                                          {"int", 29, store<std::int32_t>},
                                          {"uint", 33, store<std::uint32_t>},
                                          {"long", 81, store<std::int64_t>},
                                          {"ulong", 85, store<std::uint64_t>},
                                          {"float", 3, store<float>}}};

constexpr std::uint64_t kMaxIndex = std::numeric_limits<std::uint16_t>::max();  // the limit of MSL

Error malformed(std::string_view text, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "function constant \"" + std::string(text) + "\" cannot be read (" + why +
                        "). Write NAME:TYPE=VALUE or INDEX:TYPE=VALUE, for example \"tile:int=16\"; types are bool, "
                        "char, uchar, short, ushort, int, uint, long, ulong and float.");
}

bool is_identifier(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos &&
         (text[0] < '0' || text[0] > '9');
}

}  // namespace

Result<Constant> parse_constant(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.find('=', colon == std::string_view::npos ? 0 : colon);
  if (colon == std::string_view::npos || equals == std::string_view::npos) return malformed(text, "a part is missing");
  Constant constant;
  const std::string_view name = text.substr(0, colon);
  const std::string_view type_name = text.substr(colon + 1, equals - colon - 1);
  if (is_identifier(name)) {
    constant.name = name;
  } else if (const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), constant.index);
             error != std::errc() || rest != name.data() + name.size() || constant.index > kMaxIndex) {
    return malformed(text, "\"" + std::string(name) + "\" is neither a name nor an index");
  }
  const auto type = std::ranges::find(kTypes, type_name, &Type::name);
  if (type == kTypes.end()) return malformed(text, "\"" + std::string(type_name) + "\" is not a type of one");
  constant.type = type->number;
  if (type->store(text.substr(equals + 1), constant.bytes)) return constant;
  return malformed(text, "the value is not of its type");
}

}  // namespace kmux::metal
