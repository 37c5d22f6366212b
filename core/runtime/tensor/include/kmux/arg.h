#pragma once

#include <concepts>
#include <cstdint>

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
  enum class Kind : std::uint8_t { kTensor, kInteger, kUnsigned, kFloat, kBool, kBits, kPointer };

  Arg(const Tensor& tensor)
      : kind_(Kind::kTensor), read_only_(tensor.is_read_only()), is_ours_(true), tensor_(tensor.dl()) {}
  Arg(const DLTensor* tensor) : kind_(Kind::kTensor), tensor_(tensor) {}
  /// A null tensor.
  Arg(std::nullptr_t) : kind_(Kind::kTensor), tensor_(nullptr) {}
  Arg(bool value) : kind_(Kind::kBool), integer_(value ? 1 : 0) {}
  template <std::signed_integral T>
  Arg(T value) : kind_(Kind::kInteger), integer_(value) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Arg(T value) : kind_(Kind::kUnsigned), bits_(value) {}
  template <std::floating_point T>
  Arg(T value) : kind_(Kind::kFloat), float_(value) {}
  /// A scalar of exactly `dtype`, given by its bits.
  static Arg bits(DType dtype, std::uint64_t bits) { return Arg(dtype, bits); }
  static Arg pointer(void* address) { return Arg(address, 0); }

  Kind kind() const { return kind_; }
  const DLTensor* tensor() const { return tensor_; }
  bool is_read_only() const { return read_only_; }  // of kTensor
  /// Whether it was made of a `Tensor`; then `memory` is that of the tensor, null where it is not a device's of ours.
  bool is_ours() const { return is_ours_; }
  DeviceMemory* memory() const { return reinterpret_cast<const Tensor::View*>(tensor_)->memory; }
  std::int64_t integer() const { return integer_; }
  std::uint64_t bits() const { return bits_; }
  double floating() const { return float_; }
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
