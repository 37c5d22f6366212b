#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kmux/arg.h"
#include "kmux/check_list.h"
#include "kmux/error.h"
#include "kmux/plugin.h"
#include "kmux/signature.h"

namespace kmux {

/// Where tensors must be: on `device`, or in memory of another kind that the backend takes too.
struct AcceptedMemory {
  DLDevice device{kDLCPU, 0};
  std::uint64_t other_types = 0;  // a bit for each further DLDeviceType

  bool accepts(DLDevice actual) const {
    // The host is one device, whatever ordinal a framework gives it.
    if (actual.device_type == device.device_type) return actual.device_id == device.device_id || is_host(actual);
    const auto type = static_cast<unsigned>(actual.device_type);
    return type < 64 && ((other_types >> type) & 1) != 0;
  }
  static bool is_host(DLDevice device) { return device.device_type == kDLCPU; }
};

/// Executes the check list of a signature.
///
/// Threads: any, concurrently.   Lifetime: borrows the signature.
class ArgumentChecker {
 public:
  /// `kernel` is the name in messages.
  ArgumentChecker(std::string kernel, const Signature& signature, CheckList list, AcceptedMemory memory)
      : kernel_(std::move(kernel)), signature_(&signature), list_(std::move(list)), memory_(memory) {}

  /// 8-byte words that `check` fills: a slot a parameter, then the values.
  std::size_t frame_size() const { return signature_->params.size() + list_.value_names.size(); }

  /// Checks one argument a parameter and fills `frame`: slots, then the values (symbols first, so the frame begins with
  /// the slots of a call). Allocates nothing.
  ///
  /// Returns the check that failed, or null.
  const Check* first_failure(std::span<const Arg> args, kmux_slot* frame) const noexcept;

  /// The error of a check that failed: invalid_argument that names kernel, parameter, actual and expected value.
  Error explain(const Check& failed, std::span<const Arg> args, const kmux_slot* frame) const;

  /// Both together.
  Status check(std::span<const Arg> args, kmux_slot* frame) const {
    const Check* failed = first_failure(args, frame);
    return failed == nullptr ? Status(Ok{}) : explain(*failed, args, frame);
  }

  /// The values in a frame that `check` filled.
  std::span<const std::int64_t> values(const kmux_slot* frame) const {
    return {&frame[signature_->params.size()].i64, list_.value_names.size()};
  }

 private:
  std::string kernel_;
  const Signature* signature_;
  CheckList list_;
  AcceptedMemory memory_;
};

}  // namespace kmux
