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
/// Threads:  the handle is thread-safe; the caller must synchronize access to the memory.
/// Lifetime: copies share the memory; the last one frees it (and may release its plugin). Device memory belongs to the
///           stream that it was allocated on. It is freed in that stream's order, after kernels that kmux launched on
///           other streams and after uses recorded by `used_on`. The host never waits (docs/memory.md).
class KMUX_API Tensor {
 public:
  /// An empty handle: passed to a kernel, it is a null tensor.
  Tensor() = default;

  /// Allocates uninitialized memory in the order of `stream`. Work on another stream must wait for `stream` before
  /// using it. Host memory is aligned to 64 bytes.
  ///
  /// Errors: invalid_argument for negative extents or 2^60 bytes or more; out_of_memory if memory is exhausted.
  static Result<Tensor> empty(std::vector<std::int64_t> shape, DType dtype, const Device& device = {},
                              StreamRef stream = {});
  /// Allocates uninitialized page-locked host memory. Devices of the backend of `device` copy to and from it
  /// asynchronously. Destroying the last handle blocks until these copies complete, since no stream orders the host.
  ///
  /// Errors: as `empty`; invalid_argument for a device without a backend; unsupported if the backend has no such
  /// memory.
  static Result<Tensor> pinned(std::vector<std::int64_t> shape, DType dtype, const Device& device);
  /// Allocates zero-filled memory. The fill has completed when this returns, so every stream may read it.
  ///
  /// Errors: as `empty`; invalid_argument on a stream under capture; the backend's error if the fill fails.
  static Result<Tensor> zeros(std::vector<std::int64_t> shape, DType dtype, const Device& device = {},
                              StreamRef stream = {});
  /// Allocates host memory with a copy of `values`. Their C++ type (bool, an integer, float or double) sets the dtype.
  ///
  /// Errors: invalid_argument unless the shape has as many elements.
  template <class Values, class T = typename decltype(std::span(std::declval<const Values&>()))::value_type>
    requires HasDType<T>
  static Result<Tensor> from(std::vector<std::int64_t> shape, const Values& values) {
    const std::span<const T> elements(values);
    return copy_of(std::move(shape), dtype_of<T>, elements.data(), elements.size_bytes());
  }
  /// Overload with an explicit C++ type. Example: `from<float>({2}, values)`.
  template <HasDType T>
  static Result<Tensor> from(std::vector<std::int64_t> shape, std::type_identity_t<std::span<const T>> values) {
    return copy_of(std::move(shape), dtype_of<T>, values.data(), values.size_bytes());
  }
  /// Overload with an explicit dtype, which must be that of T or a vector of it. For other bits use `from_bits`.
  ///
  /// Errors: invalid_argument for another dtype, or unless the shape has as many elements.
  template <HasDType T>
  static Result<Tensor> from(std::vector<std::int64_t> shape, DType dtype, std::span<const T> values) {
    if (DType{dtype.code, dtype.bits, 1} != dtype_of<T>) return wrong_element(dtype, dtype_of<T>);
    return copy_of(std::move(shape), dtype, values.data(), values.size_bytes());
  }
  /// Allocates host memory of any dtype with a copy of its bits. Pass bfloat16 or float16 as std::uint16_t and float8
  /// as std::uint8_t. Dtypes of less than a byte must be packed into std::uint8_t.
  ///
  /// Errors: invalid_argument if a word has another size than an element, or unless the shape has as many elements.
  template <std::unsigned_integral T>
  static Result<Tensor> from_bits(std::vector<std::int64_t> shape, DType dtype, std::span<const T> words) {
    if ((dtype.bits < 8 ? 8 : dtype.bits) != 8 * int{sizeof(T)}) return wrong_element(dtype, dtype_of<T>);
    return copy_of(std::move(shape), dtype, words.data(), words.size_bytes());
  }

  /// Borrows memory that the caller owns and keeps valid. Without `strides` it is contiguous.
  ///
  /// Errors: throws an Exception of invalid_argument if `strides` is neither empty nor one per extent.
  static Tensor borrow(void* data, std::vector<std::int64_t> shape, DType dtype, const Device& device = {},
                       std::vector<std::int64_t> strides = {});
  /// Takes ownership of a DLPack tensor; destroying the last copy calls its deleter.
  ///
  /// Errors: invalid_argument for another major version, a null pointer, or dimensions without a shape. The caller then
  /// still owns the tensor.
  static Result<Tensor> from_dlpack(DLManagedTensor* tensor);
  /// Overload for the versioned form. Keeps its read-only flag.
  static Result<Tensor> from_dlpack(DLManagedTensorVersioned* tensor);

  /// Returns a new DLPack tensor that shares the memory; the caller must call its deleter. Null for an empty handle and
  /// for a read-only tensor, since only the versioned form has a read-only flag.
  DLManagedTensor* to_dlpack() const;
  /// Returns the same in the versioned form; null only for an empty handle.
  DLManagedTensorVersioned* to_dlpack_versioned() const;

  /// Returns false for an empty handle.
  explicit operator bool() const { return state_ != nullptr; }
  /// Returns the DLPack view; null for an empty handle. Valid while a copy of this tensor lives.
  const DLTensor* dl() const { return state_ ? &state_->tensor : nullptr; }
  /// Returns the address of the first element, including byte_offset. The handle must not be empty.
  void* data() const;
  /// Returns `data` as an address of `T`, regardless of the dtype.
  template <class T>
  T* data_as() const {
    return static_cast<T*>(data());
  }
  /// Returns the extents. The handle must not be empty. Valid while a copy of this tensor lives.
  std::span<const std::int64_t> shape() const;
  /// Returns the element type. The handle must not be empty.
  DType dtype() const { return to_dtype(dl()->dtype); }
  /// Returns the device of the memory. The handle must not be empty.
  const Device& device() const { return state_->device; }
  /// Returns the product of the extents, or the largest int64 on overflow.
  std::int64_t element_count() const;
  /// Returns the bytes of a contiguous copy, or the largest int64 on overflow.
  std::int64_t byte_count() const;
  /// Returns true if the elements are dense in row-major order, or if the tensor has no elements.
  bool is_contiguous() const;
  /// Returns true if `pinned` allocated it.
  bool is_pinned() const { return state_ != nullptr && state_->pinned != nullptr; }
  /// Returns true if an imported tensor's flag forbids writing. A kernel refuses such a tensor as an output.
  bool is_read_only() const { return state_ != nullptr && state_->read_only; }

  /// Returns this tensor if it is already on `device`, else a contiguous copy that is complete on return. `stream` must
  /// belong to `device`, or to the tensor's device if `device` is the host. A copy between devices of one backend runs
  /// after the work in the default stream of the tensor's device. A copy between two backends goes through the host.
  ///
  /// Errors: invalid_argument for an empty handle or a stream under capture; unsupported for a foreign device, for
  /// strided device memory, and for strided host memory whose elements are not whole bytes.
  Result<Tensor> to(const Device& device, StreamRef stream = {}) const;
  /// Enqueues a copy of all elements of `source` on `stream`, a stream of this tensor's device, or of the source's if
  /// this tensor is on the host. Returns before the copy completes, and the caller may drop both tensors at once.
  /// Copies from or to host memory that is not pinned are complete on return.
  ///
  /// Shapes: both the same and contiguous, of the same dtype.
  /// Errors: invalid_argument for other shapes or dtypes, a read-only target, a null tensor, or a stream under capture
  ///         unless both are pinned or on a device; unsupported for strided tensors, for foreign devices and between
  ///         devices of two backends.
  Status copy_from(const Tensor& source, StreamRef stream = {}) const;
  /// Returns a view of the same memory, starting at its first element. The caller must keep the view within that
  /// memory.
  ///
  /// Errors: throws an Exception of invalid_argument if the numbers of strides and extents differ, and for a null
  ///         tensor.
  Tensor as_strided(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) const;
  /// Returns a contiguous copy on the same device.
  ///
  /// Errors: as `to`.
  Result<Tensor> clone(StreamRef stream = {}) const;

  /// Records that work enqueued on `stream` so far uses the memory, which is freed after that work. Kernel launches by
  /// kmux do this themselves; other launches need it, like torch's `record_stream`.
  ///
  /// Errors: unsupported for device memory that kmux did not allocate. No effect on host memory, which has no stream
  ///         order, unless it is pinned.
  Status used_on(StreamRef stream) const;

 private:
  friend class Arg;
  // The DLTensor comes first, so its address gives access to `memory`.
  struct View {
    DLTensor tensor{};
    DeviceMemory* memory = nullptr;  // null: host memory, or another library's
  };
  struct State : View {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
    Device device;
    Shared<void> owner;
    PinnedMemory* pinned = nullptr;  // null unless pinned
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

/// Returns text for messages. Example: "float32[2, 3]".
KMUX_API std::string describe(const DLTensor& tensor);

/// Returns the number of elements from the first to the last in memory. Strides must not be negative; empty `strides`
/// mean contiguous.
KMUX_API std::int64_t element_span(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

}  // namespace kmux
