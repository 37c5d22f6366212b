#include "kmux/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "kmux/guarded.h"
#include "kmux/plugin/tensor_geometry.h"
#include "kmux/registry.h"

#include "device_memory.h"
#include "shape.h"

namespace kmux {
namespace {

// For borrowed tensors with too large extents; allocating that much is an error.
constexpr std::int64_t kUncountable = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kHostAlignment = 64;  // a cache line, and the widest vector register

Error out_of_memory(std::size_t bytes, const Device& device) {
  return make_error(ErrorCode::kOutOfMemory, "out of memory on " + device.to_string() + " (" + std::to_string(bytes) +
                                                 " bytes were requested). Use a smaller tensor or free others.");
}

Result<Shared<void>> allocate_host(std::size_t bytes) {
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + kHostAlignment - 1) / kHostAlignment * kHostAlignment;
  void* memory = rounded < bytes ? nullptr : std::aligned_alloc(kHostAlignment, rounded);
  if (memory == nullptr) return out_of_memory(bytes, Device{});
  return Shared<void>(memory, [](void* address) { std::free(address); });
}

Status check_known(const Device& device) {
  if (device.plugin() != nullptr || device.is_host()) return Ok{};
  return make_error(ErrorCode::kUnsupported, "memory cannot be allocated on " + device.to_string() +
                                                 " (it came from outside, and no backend is known for it). Allocate "
                                                 "with the library that owns it.");
}

// Points the DLTensor of a state at its shape and strides. The state must no longer move.
template <class State>
void show_shape(State& state) {
  state.tensor.shape = state.shape.data();
  state.tensor.strides = state.strides.data();
  state.tensor.ndim = static_cast<std::int32_t>(state.shape.size());
}

}  // namespace

Tensor Tensor::make(State state) {
  auto shared = Shared<State>::make(std::move(state));
  show_shape(*shared);
  return Tensor(std::move(shared));
}

Result<Tensor> Tensor::empty(std::vector<std::int64_t> shape, DType dtype, const Device& device, StreamRef stream) {
  return guarded([&]() -> Result<Tensor> {
    KMUX_ASSIGN(const std::size_t bytes, bytes_of(shape, dtype));
    KMUX_TRY(check_known(device));
    auto state = Shared<State>::make();
    if (device.plugin() == nullptr) {
      KMUX_ASSIGN(state->owner, allocate_host(bytes));
      state->tensor.data = state->owner.get();
    } else {
      KMUX_ASSIGN(Shared<DeviceMemory> memory, DeviceMemory::allocate(device, bytes, stream));
      state->tensor.data = memory->address();
      state->memory = memory.get();
      state->owner = std::move(memory);
    }
    state->tensor.device = device.dl();
    state->tensor.dtype = to_dldatatype(dtype);
    state->strides = contiguous_strides(shape);
    state->shape = std::move(shape);
    state->device = device;
    show_shape(*state);
    return Tensor(std::move(state));
  });
}

Result<Tensor> Tensor::pinned(std::vector<std::int64_t> shape, DType dtype, const Device& device) {
  return guarded([&]() -> Result<Tensor> {
    if (device.plugin() == nullptr) return needs_a_backend(" pinned tensor", device);
    KMUX_ASSIGN(const std::size_t bytes, bytes_of(shape, dtype));
    KMUX_ASSIGN(Shared<PinnedMemory> memory, PinnedMemory::allocate(device, bytes));
    State state;
    state.tensor.data = memory->address();
    state.tensor.device = DLDevice{kDLCPU, 0};
    state.tensor.dtype = to_dldatatype(dtype);
    state.strides = contiguous_strides(shape);
    state.shape = std::move(shape);
    state.pinned = memory.get();
    state.owner = std::move(memory);
    return make(std::move(state));
  });
}

Result<Tensor> Tensor::zeros(std::vector<std::int64_t> shape, DType dtype, const Device& device, StreamRef stream) {
  return guarded([&]() -> Result<Tensor> {
    KMUX_ASSIGN(Tensor tensor, empty(std::move(shape), dtype, device, stream));
    const auto bytes = static_cast<std::size_t>(tensor.byte_count());
    if (device.is_host()) {
      std::memset(tensor.data(), 0, bytes);
      return tensor;
    }
    KMUX_TRY(check_not_captured(device, stream));
    DeviceApi& api = device.plugin()->backend().devices();
    KMUX_TRY(api.memset(device.ordinal(), stream.handle, tensor.data(), 0, bytes));
    KMUX_TRY(api.stream_synchronize(device.ordinal(), stream.handle));
    return tensor;
  });
}

Status Tensor::used_on(StreamRef stream) const {
  return guarded([&]() -> Status {
    if (state_ == nullptr) return Ok{};
    if (state_->pinned != nullptr) return state_->pinned->used_on(stream);
    if (device().is_host()) return Ok{};
    if (state_->memory != nullptr) return state_->memory->used_on(stream);
    return make_error(ErrorCode::kUnsupported,
                      "memory on " + device().to_string() +
                          " is not freed in stream order (it was not allocated by kmux). Record the "
                          "use with the library that made it.");
  });
}

Error Tensor::wrong_element(DType dtype, DType given) {
  return make_error(ErrorCode::kInvalidArgument,
                    "values of type " + to_string(given) + " are not elements of a " + to_string(dtype) +
                        " tensor (they would be read as other numbers). Convert them, leave out the dtype, or pass the "
                        "bits of each element as an unsigned integer of its size to from_bits.");
}

Result<Tensor> Tensor::copy_of(std::vector<std::int64_t> shape, DType dtype, const void* data, std::size_t bytes) {
  return guarded([&]() -> Result<Tensor> {
    KMUX_ASSIGN(const std::size_t needed, bytes_of(shape, dtype));
    if (needed != bytes) {
      return make_error(ErrorCode::kInvalidArgument, to_string(dtype) + shape_text(shape) + " needs " +
                                                         std::to_string(needed) + " bytes, " + std::to_string(bytes) +
                                                         " are given. Give as many values as the shape has.");
    }
    KMUX_ASSIGN(Tensor tensor, empty(std::move(shape), dtype));
    if (bytes != 0) std::memcpy(tensor.data(), data, bytes);
    return tensor;
  });
}

namespace {

std::vector<std::int64_t> one_each(std::vector<std::int64_t> strides, const std::vector<std::int64_t>& shape) {
  if (strides.size() == shape.size()) return strides;
  throw Exception(make_error(ErrorCode::kInvalidArgument, std::to_string(strides.size()) + " strides are given for " +
                                                              std::to_string(shape.size()) +
                                                              " extents (a tensor has one each). Give as many."));
}

}  // namespace

Tensor Tensor::borrow(void* data, std::vector<std::int64_t> shape, DType dtype, const Device& device,
                      std::vector<std::int64_t> strides) {
  State state;
  state.tensor.data = data;
  state.tensor.device = device.dl();
  state.tensor.dtype = to_dldatatype(dtype);
  state.strides = strides.empty() ? contiguous_strides(shape) : one_each(std::move(strides), shape);
  state.shape = std::move(shape);
  state.device = device;
  return make(std::move(state));
}

std::int64_t element_span(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  std::int64_t last = 0;
  std::int64_t contiguous = 1;
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] == 0) return 0;
    last += (shape[dim] - 1) * (strides.empty() ? contiguous : strides[dim]);
    contiguous *= shape[dim];
  }
  return last + 1;
}

Tensor Tensor::as_strided(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) const {
  if (state_ == nullptr)
    throw Exception(make_error(ErrorCode::kInvalidArgument, "a null tensor has no view. Give one with memory."));
  State state = *state_;
  state.strides = one_each(std::move(strides), shape);
  state.shape = std::move(shape);
  return make(std::move(state));
}

void* Tensor::data() const {
  return state_->tensor.data == nullptr ? nullptr
                                        : static_cast<char*>(state_->tensor.data) + state_->tensor.byte_offset;
}

std::span<const std::int64_t> Tensor::shape() const { return state_->shape; }

std::int64_t Tensor::element_count() const {
  if (std::ranges::find(state_->shape, 0) != state_->shape.end()) return 0;  // regardless of the other extents
  std::int64_t count = 1;
  for (const std::int64_t extent : state_->shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return kUncountable;
  }
  return count;
}

std::int64_t Tensor::byte_count() const {
  const Result<std::size_t> bytes = bytes_of(state_->shape, dtype());
  return bytes ? static_cast<std::int64_t>(*bytes) : kUncountable;
}

bool Tensor::is_contiguous() const {
  if (element_count() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = state_->shape.size(); i-- > 0;) {
    if (state_->shape[i] != 1 && state_->strides[i] != expected) return false;
    if (__builtin_mul_overflow(expected, state_->shape[i], &expected)) return false;
  }
  return true;
}

std::string describe(const DLTensor& tensor) {
  const std::string type = to_string(to_dtype(tensor.dtype));
  if (lacks_shape(tensor)) return type + "[?]";
  return type + shape_text({tensor.shape, static_cast<std::size_t>(std::max(tensor.ndim, 0))});
}

namespace {

/// A DLPack tensor that shares memory with `Tensor`. Owns a handle, which keeps shape and strides valid.
template <class Managed>
struct Exported {
  Exported(Tensor shared, DeviceMemory* of) : tensor(std::move(shared)), memory(of) {
    if (memory != nullptr) ExportedMemory::add(*memory);
  }
  ~Exported() {
    if (memory != nullptr) ExportedMemory::remove(*memory);
  }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;
  Managed managed{};
  Tensor tensor;
  DeviceMemory* memory;
};

template <class Managed>
Managed* exported(const Tensor& tensor, DeviceMemory* memory) {
  auto* made = new Exported<Managed>(tensor, memory);
  made->managed.dl_tensor = *tensor.dl();
  made->managed.manager_ctx = made;
  made->managed.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->manager_ctx); };
  return &made->managed;
}

Status check_form(const DLTensor& given) {
  if (given.ndim == 0 || (given.ndim > 0 && given.shape != nullptr)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "the DLPack tensor has " + std::to_string(given.ndim) +
                                                     " dimensions and no shape for them. Give one with a shape.");
}

Error null_tensor() { return make_error(ErrorCode::kInvalidArgument, "the DLPack tensor is null. Give one."); }

}  // namespace

template <class Managed>
Result<Tensor> Tensor::adopt(Managed* managed) {
  const DLTensor& given = managed->dl_tensor;
  KMUX_TRY(check_form(given));
  const auto rank = static_cast<std::size_t>(given.ndim);
  State state;
  state.tensor = given;
  state.shape.assign(given.shape, given.shape + rank);
  state.strides = contiguous_strides(state.shape);
  if (given.strides != nullptr) state.strides.assign(given.strides, given.strides + rank);
  if constexpr (requires { managed->flags; }) {
    state.read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  }
  state.device = Device::foreign(given.device);
  if (!state.device.is_host()) state.memory = ExportedMemory::find(given.data);
  const auto is_taken = Shared<bool>::make(false);  // a failed import leaves the tensor to its caller
  state.owner = Shared<void>(given.data, [managed, is_taken](void*) {
    if (*is_taken && managed->deleter != nullptr) managed->deleter(managed);
  });
  Tensor made = make(std::move(state));
  *is_taken = true;
  return made;
}

Result<Tensor> Tensor::from_dlpack(DLManagedTensor* tensor) {
  return guarded([&]() -> Result<Tensor> {
    if (tensor == nullptr) return null_tensor();
    return adopt(tensor);
  });
}

Result<Tensor> Tensor::from_dlpack(DLManagedTensorVersioned* tensor) {
  return guarded([&]() -> Result<Tensor> {
    if (tensor == nullptr) return null_tensor();
    if (tensor->version.major == DLPACK_MAJOR_VERSION) return adopt(tensor);
    return make_error(ErrorCode::kInvalidArgument,
                      "the tensor has DLPack version " + std::to_string(tensor->version.major) + "." +
                          std::to_string(tensor->version.minor) + " (this library reads version 1). Export it as 1.x.");
  });
}

DLManagedTensor* Tensor::to_dlpack() const {
  if (state_ == nullptr || is_read_only()) return nullptr;
  return exported<DLManagedTensor>(*this, state_->memory);
}

DLManagedTensorVersioned* Tensor::to_dlpack_versioned() const {
  if (state_ == nullptr) return nullptr;
  auto* managed = exported<DLManagedTensorVersioned>(*this, state_->memory);
  managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed->flags = is_read_only() ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  return managed;
}

}  // namespace kmux
