#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "kmux/arg.h"
#include "kmux/dispatch.h"

namespace kmux::conformance {

/// Numbers that go into a program, as a tensor of float32.
struct DifferentialInput {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// How far an output may be from the reference's: `absolute` + `relative` *
/// |reference|. Both 0: the same bits.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// A program with a variant for the host and some for devices. Inputs and
/// outputs are float32; `inputs` and `scalars` are what a call takes, in order.
struct DifferentialCase {
  std::string name;
  Program program;
  std::vector<DifferentialInput> inputs;
  std::vector<Arg> scalars;
  Tolerance tolerance;
};

inline void PrintTo(const DifferentialCase& one, std::ostream* out) { *out << "program " << one.name; }

std::vector<DifferentialCase> differential_cases();

} // namespace kmux::conformance
