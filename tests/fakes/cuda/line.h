#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cubin.h"

namespace kmux::fake_cuda {

/// An address that the interface passes as a number.
struct Hex {
  std::uint64_t value;
};

inline void append(std::string& line, std::string_view text) { line += text; }
inline void append(std::string& line, Hex address) {
  char text[32];
  line.append(text, std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address.value)));
}
inline void append(std::string& line, double number) {
  char text[32];
  line.append(text, std::snprintf(text, sizeof text, "%g", number));
}
template <class T>
  requires std::is_integral_v<T>
void append(std::string& line, T number) {
  line += std::to_string(number);
}
inline void append(std::string& line, const char* text) { line += text; }
template <class T>
void append(std::string& line, T* pointer) {
  append(line, Hex{reinterpret_cast<std::uintptr_t>(pointer)});
}

/// Example: "4,1,1"
template <class T>
std::string list(const T* values, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(values[i]);
  return text;
}

/// Returns the text of a kernel argument: a number of its width for 1, 2, 4 and 8 bytes, else its bytes in order.
std::string argument_text(const void* bytes, std::size_t size);

/// Returns " args [0x00000001 ...]", or " args [?]" if the parameters are unknown.
std::string arguments_text(void* const* args, const std::vector<Parameter>* parameters);

}  // namespace kmux::fake_cuda
