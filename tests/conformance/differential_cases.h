#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "kmux/arg.h"
#include "kmux/dispatch.h"

namespace kmux::conformance {

/// Input values of a program, as a tensor of float32.
struct DifferentialInput {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Largest difference between an output and the reference: `absolute` + `relative` * |reference|. If both are 0, the
/// outputs must be equal bit for bit.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// A program with one variant for the host and some for devices. Inputs and outputs are float32; `inputs` and `scalars`
/// are the arguments of a call, in order.
struct DifferentialCase {
  std::string name;
  Program program;
  std::vector<DifferentialInput> inputs;
  std::vector<Arg> scalars;
  Tolerance tolerance;
};

inline void PrintTo(const DifferentialCase& one, std::ostream* out) { *out << "program " << one.name; }

std::vector<DifferentialCase> differential_cases();

}  // namespace kmux::conformance
