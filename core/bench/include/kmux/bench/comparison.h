#pragma once

#include <cstdint>
#include <string>

#include "kmux/dtype.h"
#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// How far an element may be from what is expected of it.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// What a check accepts by default: a few units in the last place of the type, 0 for integers.
Tolerance default_tolerance(DType type);

/// How two tensors differ, element by element: |actual - expected| <= absolute + relative * |expected|. Two NaNs agree.
struct Comparison {
  std::int64_t compared = 0;
  std::int64_t mismatches = 0;
  double worst = 0;  // greatest absolute difference
  std::string first_mismatch;
  /// Does every element agree?
  bool ok() const { return mismatches == 0; }
  /// For a message: how many elements were compared, and how the worst one differs.
  std::string text() const;
  /// The same for reports.
  Json to_json() const;
};

/// Compares number by number: those of a vector or of a complex element count one by one.
///
/// Errors: invalid_argument if the shapes differ, or one has complex elements.
Result<Comparison> compare(const Tensor& actual, const Tensor& expected, Tolerance tolerance);

/// The numbers of a contiguous host tensor in a row: those of vectors and of complex elements one by one. Borrows its memory.
Tensor numbers_of(const Tensor& tensor);

/// Element `index` (row-major) of a contiguous host tensor as a number. 64-bit integers beyond 2^53 are rounded.
double element(const Tensor& tensor, std::int64_t index);

/// Sets element `index` of a contiguous host tensor to the nearest value of its dtype.
void set_element(const Tensor& tensor, std::int64_t index, double value);

/// "[2, 3]" for the row-major `index` of a tensor.
std::string index_text(const Tensor& tensor, std::int64_t index);

}  // namespace kmux::bench
