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
/// must fit, floating-point values are rounded.
///
/// Lifetime: borrows tensors for the call.
class Arg {
 public:
  /// What an argument can be; kInteger is signed, kBits a scalar given by its bits.
  enum class Kind : std::uint8_t { kTensor, kInteger, kUnsigned, kFloat, kBool, kBits, kPointer };

  /// A tensor; an empty handle is a null tensor.
  Arg(const Tensor& tensor)
      : kind_(Kind::kTensor), read_only_(tensor.is_read_only()), is_ours_(true), tensor_(tensor.dl()) {}
  /// A DLPack tensor, or null; `is_ours` is false.
  Arg(const DLTensor* tensor) : kind_(Kind::kTensor), tensor_(tensor) {}
  /// A null tensor.
  Arg(std::nullptr_t) : kind_(Kind::kTensor), tensor_(nullptr) {}
  /// A truth value: a bool alone, since pointers and enumerations convert to it.
  template <std::same_as<bool> T>
  Arg(T value) : kind_(Kind::kBool), integer_(value ? 1 : 0) {}
  /// No other address is an argument: `pointer` passes one to a pointer parameter, and a scalar is passed by its value.
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
  /// A scalar of exactly `dtype`, given by its bits.
  static Arg bits(DType dtype, std::uint64_t bits) { return Arg(dtype, bits); }
  /// An address, for a pointer parameter.
  static Arg pointer(void* address) { return Arg(address, 0); }

  /// What the argument is.
  Kind kind() const { return kind_; }
  /// Of kTensor; may be null.
  const DLTensor* tensor() const { return tensor_; }
  bool is_read_only() const { return read_only_; }  // of kTensor
  /// Whether it was made of a `Tensor`; then `memory` is that of the tensor, null where it is not a device's of ours.
  bool is_ours() const { return is_ours_; }
  /// Precondition: is_ours(), and tensor() is not null.
  DeviceMemory* memory() const { return reinterpret_cast<const Tensor::View*>(tensor_)->memory; }
  /// Of kInteger and kBool (0 or 1).
  std::int64_t integer() const { return integer_; }
  /// Of kUnsigned and kBits.
  std::uint64_t bits() const { return bits_; }
  /// Of kFloat.
  double floating() const { return float_; }
  /// Of kPointer.
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
