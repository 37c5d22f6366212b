#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kmux/arg.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// A tensor without its memory.
struct SampleTensor {
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // empty: contiguous
  bool operator==(const SampleTensor&) const = default;
};

/// What a call was made with, without its memory: a shape, a scalar or null for each parameter.
using CallSample = std::vector<std::variant<SampleTensor, Arg>>;

/// The sample of a call with `args`, which are all parameters in order.
///
/// Errors: unsupported for a pointer parameter: nobody knows what memory is behind it; invalid_argument for a tensor's
///         parameter without one, or another number of arguments.
Result<CallSample> sample_of(const Signature& signature, std::span<const Arg> args);

/// The sample of a call that was launched with `slots`.
///
/// Errors: as above.
Result<CallSample> sample_of(const Signature& signature, const kmux_slot* slots);

/// The sample of a call with the example values of the program, or nothing if they do not say every shape.
std::optional<CallSample> example_of(const Program& program);

/// The class of shapes that a sample belongs to: every extent by its power of two. "[2^10, 2^3] [2^10]".
std::string bucket_of(const CallSample& sample);

}  // namespace kmux
