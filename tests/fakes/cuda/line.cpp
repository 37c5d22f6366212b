#include "line.h"

namespace kmux::fake_cuda {

std::string argument_text(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const unsigned char*>(bytes);
  const bool number = size == 1 || size == 2 || size == 4 || size == 8;
  std::string text = "0x";
  for (std::size_t i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const unsigned char byte = from[number ? size - 1 - i : i];
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

std::string arguments_text(void* const* args, const std::vector<Parameter>* parameters) {
  if (parameters == nullptr || (args == nullptr && !parameters->empty())) return " args [?]";
  std::string text = " args [";
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    text += (i == 0 ? "" : " ") + argument_text(args[i], (*parameters)[i].size);
  }
  return text + "]";
}

}  // namespace kmux::fake_cuda
