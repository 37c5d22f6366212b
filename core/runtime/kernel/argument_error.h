#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kmux/arg.h"
#include "kmux/dlpack.h"
#include "kmux/error.h"
#include "kmux/plugin/check_list.h"
#include "kmux/signature.h"

#include "argument_checker.h"

namespace kmux {

/// A call that failed a check. Borrowed for the call.
struct FailedCall {
  std::string_view kernel;
  const Signature& signature;
  const CheckList& list;
  const AcceptedMemory& memory;
  std::span<const Arg> args;
  const std::int64_t* values;  // those that the checks before the failed one filled
};

/// The error of the check that failed: invalid_argument that names kernel, parameter, actual and expected value.
Error argument_error(const FailedCall& call, const Check& failed);

/// invalid_argument for `actual` arguments where the parameters in `expected` were due. `noun` says what they are.
Error argument_count_error(std::string_view kernel, std::string_view noun, std::span<const Param* const> expected,
                           std::size_t actual);

/// A device by DLPack's name for its kind, for messages: "cpu", "vulkan:0", "device type 42, ordinal 0".
///
/// Source: DLPack 1.1, DLDeviceType.
std::string to_string(DLDevice device);

}  // namespace kmux
