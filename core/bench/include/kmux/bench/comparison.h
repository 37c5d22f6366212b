#pragma once

#include <cstdint>
#include <string>

#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/tensor.h"

namespace kmux::bench {

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// What a check accepts if the user does not say: a few units in the last place of the type, 0 for integers.
Tolerance default_tolerance(DType type);

/// How two tensors differ, element by element: |actual - expected| <= absolute + relative * |expected|. Two NaNs agree.
struct Comparison {
  std::int64_t compared = 0;
  std::int64_t mismatches = 0;
  double worst = 0;  // greatest absolute difference
  std::string first_mismatch;
  bool ok() const { return mismatches == 0; }
  std::string text() const;
  Json to_json() const;
};

/// Errors: invalid_argument if the shapes differ.
Result<Comparison> compare(const Tensor& actual, const Tensor& expected, Tolerance tolerance);

}  // namespace kmux::bench
