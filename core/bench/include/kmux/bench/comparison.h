#pragma once

#include <cstdint>
#include <string>

#include "kmux/dtype.h"
#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// The allowed difference between an element and its expected value.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// Returns the default tolerance of a check: a few units in the last place of the type, 0 for integers.
Tolerance default_tolerance(DType type);

/// The elementwise difference of two tensors: |actual - expected| <= absolute + relative * |expected|. Two NaNs agree.
struct Comparison {
  std::int64_t compared = 0;
  std::int64_t mismatches = 0;
  double worst = 0;  // greatest absolute difference
  std::string first_mismatch;
  /// Returns true if every element agrees.
  bool ok() const { return mismatches == 0; }
  /// Returns the number of compared elements and the worst difference, for messages.
  std::string text() const;
  /// Same for reports.
  Json to_json() const;
};

/// Compares numbers: those of a vector or complex element are compared separately.
///
/// Errors: invalid_argument if the shapes, or the numbers per element, differ.
Result<Comparison> compare(const Tensor& actual, const Tensor& expected, Tolerance tolerance);

/// Returns the numbers of a contiguous host tensor as a flat tensor; vector and complex elements are split into their
/// numbers. Lifetime: borrows its memory.
Tensor numbers_of(const Tensor& tensor);

/// Returns element `index` (row-major) of a contiguous host tensor as a number. 64-bit integers beyond 2^53 are
/// rounded.
double element(const Tensor& tensor, std::int64_t index);

/// Sets element `index` of a contiguous host tensor to the nearest value of its dtype.
void set_element(const Tensor& tensor, std::int64_t index, double value);

/// Returns "[2, 3]" for the row-major `index` of a tensor.
std::string index_text(const Tensor& tensor, std::int64_t index);

}  // namespace kmux::bench
