#include "mentions.h"

namespace kmux {
namespace {

bool is_name_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

bool mentions(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    const bool begins = at == 0 || !is_name_character(code[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == code.size() || !is_name_character(code[end]))) return true;
  }
  return false;
}

}  // namespace kmux
