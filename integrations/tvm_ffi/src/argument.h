#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <tvm/ffi/c_api.h>

#include "kmux/arg.h"
#include "kmux/error.h"
#include "kmux/signature.h"

namespace kmux::bridge {

/// Reads an integer outside int64 as an argument. Returns false unless it is a uint64.
bool read_big_integer(const TVMFFIAny& value, Arg* place) noexcept;

/// Rounds an integer outside int64 to the nearest double. Returns false for any other value, and for one beyond the
/// largest double.
bool round_big_integer(const TVMFFIAny& value, Arg* place) noexcept;

/// Makes an argument of a value. Returns false if no kernel takes such a value. Borrows a tensor.
[[gnu::always_inline]] inline bool read_argument(const TVMFFIAny& value, Arg* place) noexcept {
  switch (value.type_index) {
    case kTVMFFITensor:
      return std::construct_at(place, TVMFFITensorGetDLTensorPtr(value.v_obj)), true;
    case kTVMFFIDLTensorPtr:
      return std::construct_at(place, static_cast<const DLTensor*>(value.v_ptr)), true;
    case kTVMFFIInt:
      return std::construct_at(place, value.v_int64), true;
    case kTVMFFIFloat:
      return std::construct_at(place, value.v_float64), true;
    case kTVMFFIBool:
      return std::construct_at(place, value.v_int64 != 0), true;
    case kTVMFFINone:
      return std::construct_at(place, nullptr), true;
    case kTVMFFIOpaquePtr:
      return std::construct_at(place, Arg::pointer(value.v_ptr)), true;
    default:
      return read_big_integer(value, place);
  }
}

/// Converts an integer to an address if the parameter is a pointer: torch and others pass addresses as integers.
inline void take_address(const Param& param, Arg* place) noexcept {
  if (!is_pointer(param) || place->kind() != Arg::Kind::kInteger) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is what the caller has
  std::construct_at(place, Arg::pointer(reinterpret_cast<void*>(place->integer())));
}

/// Returns true if an argument has the wrong type, not just an invalid value: a number for a tensor, another dtype, and
/// so on.
bool has_wrong_type(std::span<const Param* const> params, std::span<const Arg> args);

/// Returns the Python name of TVM-FFI's type `index`, with its article, for messages: "a str", "an int".
std::string named_type(std::int32_t index);

}  // namespace kmux::bridge
