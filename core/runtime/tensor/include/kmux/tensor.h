#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kmux/device.h"
#include "kmux/dlpack.h"
#include "kmux/dtype.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/shared.h"

namespace kmux {

class DeviceMemory;
class PinnedMemory;

/// A tensor that owns or borrows its memory, described by a DLTensor.
///
/// Shapes:   any rank; strides in elements, absent means contiguous.
/// Threads:  the handle any; the memory as the application arranges.
/// Lifetime: copies share the memory; the last one frees it (and the plugin it came from may go). Memory of a device belongs
///           to the stream that it was allocated on and is freed in the order of that stream, behind what kernels of ours
///           launched on other streams and what `used_on` names; nothing waits on the host (docs/memory.md).
class KMUX_API Tensor {
 public:
  /// An empty handle: passed to a kernel, it is a null tensor.
  Tensor() = default;

  /// New memory, not initialised, in the order of `stream`: work on another stream may use it once that waits for `stream`.
  /// Host memory is aligned to 64 bytes.
  ///
  /// Errors: invalid_argument for negative extents or more bytes than 2^63; out_of_memory if there is not enough memory.
  static Result<Tensor> empty(std::vector<std::int64_t> shape, DType dtype, const Device& device = {},
                              StreamRef stream = {});
  /// New memory of the host, not initialised, that the devices of the backend of `device` copy to and from while the host goes
  /// on (page-locked). The last copy waits for those copies, since the host is in the order of no stream.
  ///
  /// Errors: as `empty`; invalid_argument for a device without a backend; unsupported where the backend has no such memory.
  static Result<Tensor> pinned(std::vector<std::int64_t> shape, DType dtype, const Device& device);
  /// New memory that is zero when it returns, on every stream.
  ///
  /// Errors: as `empty`; invalid_argument on a stream that is captured; the backend's own if it cannot set the memory.
  static Result<Tensor> zeros(std::vector<std::int64_t> shape, DType dtype, const Device& device = {},
                              StreamRef stream = {});
  /// Host memory with a copy of `values`; the dtype is that of their C++ type (bool, an integer, float or double).
  ///
  /// Errors: invalid_argument unless the shape has as many elements.
  template <class Values, class T = typename decltype(std::span(std::declval<const Values&>()))::value_type>
    requires HasDType<T>
  static Result<Tensor> from(std::vector<std::int64_t> shape, const Values& values) {
    const std::span<const T> elements(values);
    return copy_of(std::move(shape), dtype_of<T>, elements.data(), elements.size_bytes());
  }
  /// The same with the C++ type written: `from<float>({2}, values)`.
  template <HasDType T>
  static Result<Tensor> from(std::vector<std::int64_t> shape, std::type_identity_t<std::span<const T>> values) {
    return copy_of(std::move(shape), dtype_of<T>, values.data(), values.size_bytes());
  }
  /// The same with a dtype that is named: that of T, or a vector of it. Other bits are given to `from_bits`.
  ///
  /// Errors: invalid_argument for another dtype, or unless the shape has as many elements.
  template <HasDType T>
  static Result<Tensor> from(std::vector<std::int64_t> shape, DType dtype, std::span<const T> values) {
    if (DType{dtype.code, dtype.bits, 1} != dtype_of<T>) return wrong_element(dtype, dtype_of<T>);
    return copy_of(std::move(shape), dtype, values.data(), values.size_bytes());
  }
  /// Host memory of any dtype with a copy of its bits: bfloat16 or float16 as std::uint16_t, float8 as std::uint8_t, dtypes
  /// of less than a byte packed into std::uint8_t.
  ///
  /// Errors: invalid_argument for words of another size than an element's, or unless the shape has as many elements.
  template <std::unsigned_integral T>
  static Result<Tensor> from_bits(std::vector<std::int64_t> shape, DType dtype, std::span<const T> words) {
    if ((dtype.bits < 8 ? 8 : dtype.bits) != 8 * int{sizeof(T)}) return wrong_element(dtype, dtype_of<T>);
    return copy_of(std::move(shape), dtype, words.data(), words.size_bytes());
  }

  /// Borrows memory that the application keeps alive. No strides: contiguous.
  ///
  /// Errors: throws an Exception of invalid_argument where there are strides, but not one for each extent.
  static Tensor borrow(void* data, std::vector<std::int64_t> shape, DType dtype, const Device& device = {},
                       std::vector<std::int64_t> strides = {});
  /// Takes over a DLPack tensor; its deleter runs with the last copy.
  ///
  /// Errors: invalid_argument for another major version, a null pointer, or dimensions without a shape (the tensor is
  /// then left alone).
  static Result<Tensor> from_dlpack(DLManagedTensor* tensor);
  /// The same for the versioned form, whose read-only flag is kept.
  static Result<Tensor> from_dlpack(DLManagedTensorVersioned* tensor);

  /// A new DLPack tensor that shares the memory; its deleter releases it. Only the versioned form can have a flag that the memory
  /// is read-only, so the other one is null for such a tensor, as for an empty handle.
  DLManagedTensor* to_dlpack() const;
  /// The same in the versioned form; null only for an empty handle.
  DLManagedTensorVersioned* to_dlpack_versioned() const;

  /// Is it a tensor, and not an empty handle?
  explicit operator bool() const { return state_ != nullptr; }
  /// The DLPack view; null for an empty handle. Valid while a copy of this tensor lives.
  const DLTensor* dl() const { return state_ ? &state_->tensor : nullptr; }
  /// Address of the first element, byte_offset included.
  void* data() const;
  /// `data` as an address of `T`, whatever the dtype.
  template <class T>
  T* data_as() const {
    return static_cast<T*>(data());
  }
  /// The extents; not of an empty handle. Valid while a copy of this tensor lives.
  std::span<const std::int64_t> shape() const;
  /// The type of the elements; not of an empty handle.
  DType dtype() const { return to_dtype(dl()->dtype); }
  /// The device that the memory is on; not of an empty handle.
  const Device& device() const { return state_->device; }
  /// The product of the extents; the largest int64 if it is more than that.
  std::int64_t element_count() const;
  /// Bytes of a contiguous copy.
  std::int64_t byte_count() const;
  /// Do the elements lie without gaps, the last dimension's next to each other? True of a tensor without elements.
  bool is_contiguous() const;
  /// Was it made by `pinned`?
  bool is_pinned() const { return state_ != nullptr && state_->pinned != nullptr; }
  /// May the memory not be written? The flag of an imported tensor decides; a kernel refuses it as an output.
  bool is_read_only() const { return state_ != nullptr && state_->read_only; }

  /// This tensor if it is there already, else a contiguous copy on `device`, which is done when it returns. `stream` is one of
  /// `device`, or of the tensor's own where that is the host; from one device to another of the same backend, the copy comes
  /// behind what is in the default stream of the tensor's.
  ///
  /// Errors: unsupported between devices of two backends other than through the host.
  Result<Tensor> to(const Device& device, StreamRef stream = {}) const;
  /// Puts a copy of all elements of `source` into `stream`, a stream of this tensor's device, or of the source's where this one
  /// is on the host, and returns. Both may be dropped at once. Memory of the host that is not pinned is waited for.
  ///
  /// Shapes: both the same and contiguous, of the same dtype.
  /// Errors: invalid_argument for others, a tensor that is read-only or null, and on a stream that is captured unless both are
  ///         pinned or on a device; unsupported for strided tensors and between devices of two backends.
  Status copy_from(const Tensor& source, StreamRef stream = {}) const;
  /// A view of the same memory from its first element on. The caller vouches that it stays within it.
  ///
  /// Errors: throws an Exception of invalid_argument for another number of strides than of extents.
  Tensor as_strided(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) const;
  /// A contiguous copy on the same device.
  Result<Tensor> clone(StreamRef stream = {}) const;

  /// Records that what is on `stream` by now uses the memory, which is freed behind it. A launch by a kernel does so itself;
  /// this is for what others launch, as torch's `record_stream`.
  ///
  /// Errors: unsupported for memory of a device that did not come from here. Host memory is in no order, so nothing is done
  ///         unless it is pinned.
  Status used_on(StreamRef stream) const;

 private:
  friend class Arg;
  // Who has the address of the tensor has the one of its memory.
  struct View {
    DLTensor tensor{};
    DeviceMemory* memory = nullptr;  // null: the host's, or another library's
  };
  struct State : View {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
    Device device;
    Shared<void> owner;
    PinnedMemory* pinned = nullptr;  // null: it is not pinned
    bool read_only = false;
  };
  explicit Tensor(Shared<const State> state) : state_(std::move(state)) {}
  static Tensor make(State state);
  Status record_use(StreamRef stream, const Device& of_stream) const;
  template <class Managed>
  static Result<Tensor> adopt(Managed* managed);
  static Error wrong_element(DType dtype, DType given);
  static Result<Tensor> copy_of(std::vector<std::int64_t> shape, DType dtype, const void* data, std::size_t bytes);
  Shared<const State> state_;
};

/// "float32[2, 3]" and so on, for messages.
KMUX_API std::string describe(const DLTensor& tensor);

/// Elements from the first to the last of a tensor whose strides are not negative; without `strides` it is contiguous.
KMUX_API std::int64_t element_span(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

}  // namespace kmux
