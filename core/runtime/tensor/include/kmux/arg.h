#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kmux/dlpack.h"
#include "kmux/dtype.h"
#include "kmux/tensor.h"

namespace kmux {

/// One argument of a call: a tensor, a scalar or a pointer. Numbers are converted to the parameter's dtype: integers
/// must be in range, floating-point values are rounded.
///
/// Lifetime: borrows tensors for the call.
class Arg {
 public:
  /// The kinds of arguments; kInteger is signed, kBits is a scalar given by its bits.
  enum class Kind : std::uint8_t { kTensor, kInteger, kUnsigned, kFloat, kBool, kBits, kPointer };

  /// A tensor; an empty handle is a null tensor.
  Arg(const Tensor& tensor)
      : kind_(Kind::kTensor), read_only_(tensor.is_read_only()), is_ours_(true), tensor_(tensor.dl()) {}
  /// A DLPack tensor, or null; `is_ours` is false.
  Arg(const DLTensor* tensor) : kind_(Kind::kTensor), tensor_(tensor) {}
  /// A null tensor.
  Arg(std::nullptr_t) : kind_(Kind::kTensor), tensor_(nullptr) {}
  /// A bool. Only for type bool, since pointers and enumerations convert to it implicitly.
  template <std::same_as<bool> T>
  Arg(T value) : kind_(Kind::kBool), integer_(value ? 1 : 0) {}
  /// Deleted for other addresses: callers pass scalars by value, and addresses for pointer parameters through
  /// `pointer`.
  template <class T>
    requires(!std::same_as<std::remove_cv_t<T>, DLTensor>)
  Arg(T* address) = delete;
  /// A signed integer.
  template <std::signed_integral T>
  Arg(T value) : kind_(Kind::kInteger), integer_(value) {}
  /// An unsigned integer.
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Arg(T value) : kind_(Kind::kUnsigned), bits_(value) {}
  /// A floating-point number, kept as double.
  template <std::floating_point T>
  Arg(T value) : kind_(Kind::kFloat), float_(value) {}
  /// Returns a scalar of exactly `dtype`, given by its bits.
  static Arg bits(DType dtype, std::uint64_t bits) { return Arg(dtype, bits); }
  /// Returns an address, for a pointer parameter.
  static Arg pointer(void* address) { return Arg(address, 0); }

  /// Returns the kind of this argument.
  Kind kind() const { return kind_; }
  /// Returns the tensor of kTensor; may be null.
  const DLTensor* tensor() const { return tensor_; }
  bool is_read_only() const { return read_only_; }  // of kTensor
  /// Returns true if it was made from a `Tensor`. Then `memory` returns that tensor's memory, or null if it is not
  /// device memory owned by kmux.
  bool is_ours() const { return is_ours_; }
  /// Returns the device memory of the tensor. is_ours() must be true and tensor() must not be null.
  DeviceMemory* memory() const { return reinterpret_cast<const Tensor::View*>(tensor_)->memory; }
  /// Returns the value of kInteger or kBool (0 or 1).
  std::int64_t integer() const { return integer_; }
  /// Returns the value of kUnsigned or kBits.
  std::uint64_t bits() const { return bits_; }
  /// Returns the value of kFloat.
  double floating() const { return float_; }
  /// Returns the value of kPointer.
  void* pointer() const { return pointer_; }
  DType dtype() const { return dtype_; }  // of kBits

 private:
  Arg(DType dtype, std::uint64_t bits) : kind_(Kind::kBits), dtype_(dtype), bits_(bits) {}
  Arg(void* address, int) : kind_(Kind::kPointer), pointer_(address) {}
  Kind kind_;
  bool read_only_ = false;
  bool is_ours_ = false;
  DType dtype_{};
  union {
    const DLTensor* tensor_;
    std::int64_t integer_;
    std::uint64_t bits_;
    double float_;
    void* pointer_;
  };
};

}  // namespace kmux
