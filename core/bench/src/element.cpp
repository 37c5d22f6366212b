#include "kmux/bench/element.h"

#include <cmath>
#include <cstring>

#include "kmux/plugin/words.h"

#include "ir/float_convert.h"

namespace kmux::bench {
namespace {

std::size_t bytes_of(DType type) { return static_cast<std::size_t>(type.bits / 8); }

}  // namespace

double element(const Tensor& tensor, std::int64_t index) {
  const DType type = tensor.dtype();
  std::uint64_t bits = 0;
  std::memcpy(&bits, tensor.data_as<const char>() + static_cast<std::size_t>(index) * bytes_of(type), bytes_of(type));
  if (has_float_conversion(type)) return bits_to_float(type, bits);
  if (type.code != kDLInt) return static_cast<double>(bits);
  const int unused = 64 - type.bits;
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

void set_element(const Tensor& tensor, std::int64_t index, double value) {
  const DType type = tensor.dtype();
  const std::uint64_t bits = has_float_conversion(type) ? float_to_bits(type, value)
                             : value < 0                ? static_cast<std::uint64_t>(std::llround(value))
                                                        : static_cast<std::uint64_t>(value);
  std::memcpy(tensor.data_as<char>() + static_cast<std::size_t>(index) * bytes_of(type), &bits, bytes_of(type));
}

std::string index_text(const Tensor& tensor, std::int64_t index) {
  std::vector<std::string> places(tensor.shape().size());
  for (std::size_t i = places.size(); i-- > 0;) {
    places[i] = std::to_string(index % tensor.shape()[i]);
    index /= tensor.shape()[i];
  }
  return "[" + join(places) + "]";
}

}  // namespace kmux::bench
