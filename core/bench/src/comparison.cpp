#include "kmux/bench/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "kmux/plugin/word_list.h"

#include "ir/float_convert.h"

namespace kmux::bench {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::int64_t numbers_each(DType type) { return total_bits(type) / number_of(type).bits; }

bool agree(double actual, double expected, Tolerance tolerance) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (actual == expected) return true;  // includes infinities
  return std::abs(actual - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

}  // namespace

Tolerance default_tolerance(DType element) {
  const DType type = number_of(element);
  if (!is_float(type)) return {};
  if (type.bits >= 64) return {1e-9, 1e-12};
  if (type.bits >= 32) return {1e-4, 1e-5};
  if (type.bits >= 16) return {2e-2, 1e-3};
  return {2e-1, 1e-2};
}

std::string Comparison::text() const {
  const std::string worst_text = "greatest difference " + number(worst);
  if (ok()) return std::to_string(compared) + " elements agree, " + worst_text;
  return std::to_string(mismatches) + " of " + std::to_string(compared) + " elements differ, " + worst_text +
         ", first " + first_mismatch;
}

Json Comparison::to_json() const {
  return Json::Object{{"compared", compared},
                      {"mismatches", mismatches},
                      {"worst", worst},
                      {"ok", ok()},
                      {"first_mismatch", first_mismatch}};
}

Result<Comparison> compare(const Tensor& actual, const Tensor& expected, Tolerance tolerance) {
  const bool are_alike = numbers_each(actual.dtype()) == numbers_each(expected.dtype());
  if (!are_alike || !std::ranges::equal(actual.shape(), expected.shape())) {
    return make_error(ErrorCode::kInvalidArgument, "the reference is " + describe(*expected.dl()) + ", the result " +
                                                       describe(*actual.dl()) +
                                                       ". Give a reference of that shape and kind.");
  }
  Comparison result;
  const Tensor actual_numbers = numbers_of(actual);
  const Tensor expected_numbers = numbers_of(expected);
  result.compared = actual_numbers.element_count();
  for (std::int64_t i = 0; i < result.compared; ++i) {
    const double a = element(actual_numbers, i);
    const double e = element(expected_numbers, i);
    if (!std::isnan(a - e)) result.worst = std::max(result.worst, std::abs(a - e));
    if (agree(a, e, tolerance)) continue;
    if (result.mismatches++ == 0) {
      result.first_mismatch =
          "at " + index_text(actual, i / numbers_each(actual.dtype())) + ": " + number(a) + ", expected " + number(e);
    }
  }
  return result;
}

namespace {

std::size_t bytes_of(DType type) { return static_cast<std::size_t>(type.bits / 8); }

}  // namespace

Tensor numbers_of(const Tensor& tensor) {
  const std::int64_t count = tensor.element_count() * numbers_each(tensor.dtype());
  return Tensor::borrow(tensor.data(), {count}, number_of(tensor.dtype()));
}

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
