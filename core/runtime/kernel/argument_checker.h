#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/arg.h"
#include "kmux/dlpack.h"
#include "kmux/error.h"
#include "kmux/plugin/check_list.h"
#include "kmux/plugin/plugin.h"
#include "kmux/signature.h"

#include "plain_arguments.h"
#include "plan/printed/call_device.h"

namespace kmux {

/// Executes the check list of a signature.
///
/// Threads: any, concurrently.   Lifetime: borrows the signature.
class ArgumentChecker {
 public:
  /// `kernel` is the name in messages.
  ArgumentChecker(std::string kernel, const Signature& signature, CheckList list, AcceptedMemory memory)
      : param_count_(signature.params.size()),
        frame_size_(param_count_ + list.value_names.size()),
        plain_(PlainArguments::of(list, param_count_, memory.device)),
        memory_(memory),
        list_(std::move(list)),
        kernel_(std::move(kernel)),
        signature_(&signature) {}

  /// Returns the number of 8-byte words that `check` fills: one slot per parameter, then the values.
  std::size_t frame_size() const { return frame_size_; }
  std::size_t param_count() const { return param_count_; }

  /// Checks as `first_failure`, for common calls on the kernel's own device. A call that returns false must still be
  /// checked by `first_failure`.
  bool passes_plainly(std::span<const Arg> args, kmux_slot* frame) const noexcept {
    return plain_.fill(args.data(), frame);
  }

  /// Checks one argument per parameter and fills `frame`: slots, then the values (symbols first, so the frame begins
  /// with
  /// the slots of a call). Allocates nothing.
  ///
  /// Returns the check that failed, or null; `device` is set to the device of the call.
  const Check* first_failure(std::span<const Arg> args, kmux_slot* frame, CallDevice& device) const noexcept;

  /// Returns the error of a failed check: invalid_argument that names kernel, parameter, actual and expected value.
  Error explain(const Check& failed, std::span<const Arg> args, const kmux_slot* frame) const;

  /// Checks, and returns the ordinal of the call's device or the error of the failed check.
  Result<int> check(std::span<const Arg> args, kmux_slot* frame) const {
    CallDevice device(memory_);
    const Check* failed = first_failure(args, frame, device);
    if (failed != nullptr) return explain(*failed, args, frame);
    return device.ordinal();
  }

  const AcceptedMemory& memory() const { return memory_; }

  /// Returns the values in a frame that `check` filled.
  std::span<const std::int64_t> values(const kmux_slot* frame) const {
    return {&frame[param_count_].i64, frame_size_ - param_count_};
  }

 private:
  // In the order of use: a plain call reads no further than `memory_`, another valid call no further than the carriers
  // of `list_`.
  std::size_t param_count_;
  std::size_t frame_size_;
  PlainArguments plain_;
  AcceptedMemory memory_;
  CheckList list_;
  std::string kernel_;
  const Signature* signature_;
};

// argument_error.cpp

/// A call that failed a check.
///
/// Lifetime: borrows everything.
struct FailedCall {
  std::string_view kernel;
  const Signature& signature;
  const CheckList& list;
  const AcceptedMemory& memory;
  std::span<const Arg> args;
  const std::int64_t* values;  // as filled by the checks before the failed one
};

/// Returns the error of the failed check: invalid_argument that names kernel, parameter, actual and expected value.
Error argument_error(const FailedCall& call, const Check& failed);

/// Returns invalid_argument for `actual` arguments in place of the parameters in `expected`, which `noun` names.
Error argument_count_error(std::string_view kernel, std::string_view noun, std::span<const Param* const> expected,
                           std::size_t actual);

/// Returns the passed arguments as text for a note of an error: "x is a tensor float32[1024], n is the integer 7".
std::string described_arguments(const Signature& signature, std::span<const Arg> args);

/// Returns a device by DLPack's name for its kind, for messages: "cpu", "vulkan:0", "device type 42, ordinal 0".
///
/// Source: DLPack 1.1, DLDeviceType.
std::string to_string(DLDevice device);

}  // namespace kmux
