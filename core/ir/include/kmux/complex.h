#pragma once

#include <complex>

#include "kmux/dtype.h"

// Makes std::complex<float> and std::complex<double> tensor elements: `Tensor::from<std::complex<float>>` has
// complex64.
namespace kmux {

/// The code of complex64.
template <>
inline constexpr std::uint8_t dtype_code<std::complex<float>> = kDLComplex;
/// The code of complex128.
template <>
inline constexpr std::uint8_t dtype_code<std::complex<double>> = kDLComplex;

}  // namespace kmux
