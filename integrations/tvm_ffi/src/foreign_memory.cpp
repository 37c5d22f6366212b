// kmux.foreign_tensor, kmux.address_of, kmux.dtype_fields: memory that another library describes without DLPack, as a tensor.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/dtype.h"

#include "raised.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

/// Memory with the object that owns it.
struct ForeignMemory {
  DLManagedTensorVersioned managed{};
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;  // in elements
  ffi::Any owner;
};

std::vector<std::int64_t> numbers_of(const ffi::Array<std::int64_t>& array) { return {array.begin(), array.end()}; }

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t i = extents.size(); i > 1; --i) {
    strides[i - 2] = strides[i - 1] * std::max<std::int64_t>(extents[i - 1], 1);
  }
  return strides;
}

void describe(ForeignMemory& memory, std::int64_t address, DType dtype, DLDevice device) {
  DLTensor& tensor = memory.managed.dl_tensor;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how Python has it
  tensor.data = reinterpret_cast<void*>(address);
  tensor.device = device;
  tensor.ndim = static_cast<std::int32_t>(memory.extents.size());
  tensor.dtype = to_dldatatype(dtype);
  tensor.shape = memory.extents.data();
  tensor.strides = memory.strides.data();
}

/// Returns a tensor over the memory at `address`, which `owner` owns. Without strides it is dense in row-major order.
ffi::Tensor foreign_tensor(std::int64_t address, const ffi::Array<std::int64_t>& extents,
                           const ffi::Optional<ffi::Array<std::int64_t>>& strides, const ffi::String& dtype,
                           std::int64_t device_type, std::int64_t device_id, ffi::Any owner) {
  const DType type = value_of(parse_dtype(std::string(dtype)));
  auto memory = std::make_unique<ForeignMemory>();
  memory->extents = numbers_of(extents);
  memory->strides = strides ? numbers_of(*strides) : dense_strides(memory->extents);
  memory->owner = std::move(owner);
  describe(*memory, address, type, {static_cast<DLDeviceType>(device_type), static_cast<std::int32_t>(device_id)});
  memory->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  memory->managed.manager_ctx = memory.get();
  memory->managed.deleter = [](DLManagedTensorVersioned* self) {
    delete static_cast<ForeignMemory*>(self->manager_ctx);
  };
  return ffi::Tensor::FromDLPackVersioned(&memory.release()->managed);
}

/// Returns the address of the first element, which TVM-FFI's tensors in Python do not have before 0.1.13.
std::int64_t address_of(const ffi::Tensor& tensor) {
  return reinterpret_cast<std::intptr_t>(tensor.data_ptr()) + static_cast<std::int64_t>(tensor.byte_offset());
}

/// Returns DLPack's code and the bits of the dtype of that name.
ffi::Array<std::int64_t> dtype_fields(const ffi::String& name) {
  const DType type = value_of(parse_dtype(std::string(name)));
  return {std::int64_t{type.code}, std::int64_t{type.bits}};
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef()
      .def("kmux.foreign_tensor", foreign_tensor)
      .def("kmux.dtype_fields", dtype_fields)
      .def("kmux.address_of", address_of);
}

}  // namespace kmux::bridge
