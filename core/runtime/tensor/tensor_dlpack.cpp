#include <utility>

#include "kmux/tensor.h"

#include "exported_memory.h"
#include "shape.h"

namespace kmux {
namespace {

/// A DLPack tensor that shares memory with `Tensor`: keeps the handle, and shape and strides of its own.
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
  state.owner = std::shared_ptr<void>(given.data, [managed](void*) {
    if (managed->deleter != nullptr) managed->deleter(managed);
  });
  return make(std::move(state));
}

Result<Tensor> Tensor::from_dlpack(DLManagedTensor* tensor) {
  if (tensor == nullptr) return null_tensor();
  return adopt(tensor);
}

Result<Tensor> Tensor::from_dlpack(DLManagedTensorVersioned* tensor) {
  if (tensor == nullptr) return null_tensor();
  if (tensor->version.major != DLPACK_MAJOR_VERSION) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the tensor has DLPack version " + std::to_string(tensor->version.major) + "." +
                          std::to_string(tensor->version.minor) + " (this library reads version 1). Export it as 1.x.");
  }
  return adopt(tensor);
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
