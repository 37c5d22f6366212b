#include "made_up_values.h"

#include <random>

#include "kmux/bench/binding.h"
#include "kmux/bench/comparison.h"

namespace kmux::bench {
namespace {

/// Returns a number that is uniform in [-1, 1) for floating-point types, and a small integer for others, so that sums
/// stay exact. The C++ standard defines the generator; the mapping is kmux's, since distributions differ between
/// libraries.
double random_value(std::mt19937_64& generator, DType type) {
  const double unit = static_cast<double>(generator() >> 11) * 0x1.0p-53;
  if (is_float(type)) return 2 * unit - 1;
  if (is_bool(type)) return unit < 0.5 ? 0 : 1;
  const double low = type.code == kDLUInt ? 0 : -4;
  return low + static_cast<double>(static_cast<int>(unit * 9));
}

}  // namespace

bool is_generator(std::string_view source) {
  return source == "zeros" || source == "ones" || source == "arange" || source.starts_with(kRandom);
}

Result<std::uint64_t> seed_of(const std::string& source) {
  const auto seed = parse_integer(std::string_view(source).substr(kRandom.size()));
  if (!seed) return make_error(ErrorCode::kInvalidArgument, "\"" + source + "\" has no seed. Write random:1.");
  return static_cast<std::uint64_t>(*seed);
}

Status check_has_bytes(DType type) {
  if (type.bits % 8 == 0) return Ok{};
  return make_error(ErrorCode::kUnsupported,
                    "a tensor of " + to_string(type) + " cannot be generated (its elements share bytes). Give a file.");
}

Status fill(const Tensor& whole, const std::string& source) {
  KMUX_TRY(check_has_bytes(whole.dtype()));
  const Tensor tensor = numbers_of(whole);
  std::mt19937_64 generator;
  if (source.starts_with(kRandom)) {
    KMUX_ASSIGN(const std::uint64_t seed, seed_of(source));
    generator.seed(seed);
  }
  const std::int64_t count = tensor.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = source == "zeros"    ? 0
                         : source == "ones"   ? 1
                         : source == "arange" ? static_cast<double>(i)
                                              : random_value(generator, tensor.dtype());
    set_element(tensor, i, value);
  }
  return Ok{};
}

}  // namespace kmux::bench
