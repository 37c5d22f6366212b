#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace kmux::cpu {

/// A number with 113 bits of precision, which `long double` is on AArch64.
#if LDBL_MANT_DIG == 113
using Exact = long double;
#else
__extension__ typedef __float128 Exact;
#endif

/// The properties of a floating-point format: its precision in bits, its least exponent, and its largest number.
struct NumberKind {
  int digits;
  int least;
  double largest;
};

inline constexpr NumberKind kHalf{11, -24, 65504};
inline constexpr NumberKind kBfloat16{8, -133, 3.3895313892515355e38};

/// Returns `high` + `low`, where |low| is less than the last bit of `high`, rounded to nearest even in `kind`. Follows
/// the definition literally, as a reference.
inline double rounded(Exact high, Exact low, const NumberKind& kind) {
  const auto near = static_cast<long double>(high);
  if (std::isnan(near) || std::isinf(near) || near == 0) return static_cast<double>(near);
  const Exact magnitude = high < 0 ? -high : high;
  const Exact rest = high < 0 ? -low : low;
  int exponent = std::ilogb(near);
  if (magnitude < static_cast<Exact>(std::ldexp(1.0L, exponent))) --exponent;
  const Exact step = std::ldexp(1.0L, std::max(exponent - kind.digits + 1, kind.least));
  const Exact steps = magnitude / step;
  auto whole = static_cast<long long>(steps);
  const Exact fraction = steps - whole;
  if (fraction > 0.5 || (fraction == 0.5 && (rest > 0 || (rest == 0 && whole % 2 == 1)))) ++whole;
  const auto result = static_cast<double>(static_cast<long double>(whole * step));
  const double signed_result = result > kind.largest ? HUGE_VAL : result;
  return high < 0 ? -signed_result : signed_result;
}

}  // namespace kmux::cpu
