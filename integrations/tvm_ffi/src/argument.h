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

/// An integer outside int64 as an argument; false unless it is a uint64.
bool read_big_integer(const TVMFFIAny& value, Arg* place) noexcept;

/// Makes an argument of a value; false if a kernel takes none such. Borrows a tensor.
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

/// An integer where the signature has a pointer is an address, as torch and others give it.
inline void take_address(const Param& param, Arg* place) noexcept {
  if (!is_pointer(param) || place->kind() != Arg::Kind::kInteger) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is what the caller has
  std::construct_at(place, Arg::pointer(reinterpret_cast<void*>(place->integer())));
}

/// Would a person call it the wrong type, not the wrong value? A number for a tensor, another dtype, and so on.
bool has_wrong_type(std::span<const Param* const> params, std::span<const Arg> args);

/// "a str", "an int": what a person calls a value of TVM-FFI's type `index`, for messages; the words are Python's.
std::string named_type(std::int32_t index);

}  // namespace kmux::bridge
