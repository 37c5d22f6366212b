#include <algorithm>
#include <cstring>

#include "kmux/guarded.h"
#include "kmux/registry.h"
#include "kmux/tensor.h"

#include "device_memory.h"
#include "shape.h"

namespace kmux {
namespace {

Error null_copy() { return make_error(ErrorCode::kInvalidArgument, "a null tensor cannot be copied."); }

/// Checks that this library can access the device of `tensor`.
Status check_reachable(const Tensor& tensor) {
  const Device& device = tensor.device();
  if (device.is_host() || device.plugin() != nullptr) return Ok{};
  return make_error(ErrorCode::kUnsupported, "a tensor on " + device.to_string() +
                                                 " cannot be copied (it came from outside, and no backend is known for "
                                                 "its device). Copy it with the library that made it.");
}

Error strided(const Tensor& tensor, const std::string& what_can) {
  return make_error(ErrorCode::kUnsupported, describe(*tensor.dl()) + " on " + tensor.device().to_string() +
                                                 " is strided (only contiguous memory can " + what_can +
                                                 "). Make it contiguous there.");
}

DeviceApi& api_of(const Device& device) { return device.plugin()->backend().devices(); }

kmux_copy_kind kind_of(const Device& to, const Device& from) {
  if (to.is_host()) return KMUX_COPY_DEVICE_TO_HOST;
  return from.is_host() ? KMUX_COPY_HOST_TO_DEVICE : KMUX_COPY_DEVICE_TO_DEVICE;
}

/// Returns the device whose stream orders a copy between the two: the target's, unless that is the host.
const Device& device_of_copy(const Tensor& to, const Tensor& from) {
  return to.device().is_host() ? from.device() : to.device();
}

/// Enqueues a copy of contiguous memory on `stream`; at least one tensor must be on a device of a plugin.
Status enqueue(const Tensor& to, const Tensor& from, StreamRef stream) {
  const Device& device = device_of_copy(to, from);
  const auto bytes = static_cast<std::size_t>(from.byte_count());
  if (bytes == 0) return Ok{};
  if (to.device() == from.device() || to.device().is_host() || from.device().is_host()) {
    const kmux_copy_kind kind = kind_of(to.device(), from.device());
    return api_of(device).copy(device.ordinal(), stream.handle, to.data(), from.data(), bytes, kind);
  }
  return api_of(device).copy_peer(device.ordinal(), stream.handle, to.data(), from.device().ordinal(), from.data(),
                                  bytes);
}

Status copy_and_wait(const Tensor& to, const Tensor& from, StreamRef stream) {
  const Device& device = device_of_copy(to, from);
  if (from.byte_count() == 0) return Ok{};
  KMUX_TRY(check_not_captured(device, stream));
  KMUX_TRY(enqueue(to, from, stream));
  return api_of(device).stream_synchronize(device.ordinal(), stream.handle);
}

bool are_peers(const Device& a, const Device& b) { return a.plugin() != nullptr && a.plugin() == b.plugin(); }

/// Copies a strided host tensor to packed memory, dimension by dimension. Elements must be whole bytes.
void pack(const DLTensor& from, const char* source, char*& to, int dimension, std::size_t element_bytes) {
  if (dimension == from.ndim) {
    std::memcpy(to, source, element_bytes);
    to += element_bytes;
    return;
  }
  const std::int64_t step = from.strides[dimension] * static_cast<std::int64_t>(element_bytes);
  for (std::int64_t i = 0; i < from.shape[dimension]; ++i)
    pack(from, source + i * step, to, dimension + 1, element_bytes);
}

Result<Tensor> packed_on_host(const Tensor& tensor) {
  if (total_bits(tensor.dtype()) % 8 != 0) {
    return make_error(ErrorCode::kUnsupported, "a strided tensor of " + to_string(tensor.dtype()) +
                                                   " cannot be copied (its elements share bytes). Make it contiguous.");
  }
  KMUX_ASSIGN(Tensor copy, Tensor::empty({tensor.shape().begin(), tensor.shape().end()}, tensor.dtype()));
  char* to = copy.data_as<char>();
  pack(*tensor.dl(), tensor.data_as<const char>(), to, 0, static_cast<std::size_t>(total_bits(tensor.dtype()) / 8));
  return copy;
}

Result<Tensor> copied_to_host(const Tensor& tensor, StreamRef stream) {
  if (!tensor.is_contiguous()) return strided(tensor, "leave a device");
  KMUX_ASSIGN(Tensor copy, Tensor::empty({tensor.shape().begin(), tensor.shape().end()}, tensor.dtype()));
  KMUX_TRY(copy_and_wait(copy, tensor, stream));
  return copy;
}

/// Copies after the work in the default stream of the tensor's device; `stream` must belong to `target`.
Result<Tensor> copied_to_peer(const Tensor& tensor, const Device& target, StreamRef stream) {
  if (!tensor.is_contiguous()) return strided(tensor, "leave a device");
  KMUX_ASSIGN(Tensor copy,
              Tensor::empty({tensor.shape().begin(), tensor.shape().end()}, tensor.dtype(), target, stream));
  KMUX_ASSIGN(const Event written, Event::create(tensor.device()));
  KMUX_TRY(written.record({}));
  KMUX_TRY(Stream::borrow(target, stream.handle).wait(written));
  KMUX_TRY(copy_and_wait(copy, tensor, stream));
  return copy;
}

}  // namespace

Result<Tensor> Tensor::to(const Device& target, StreamRef stream) const {
  return guarded([&]() -> Result<Tensor> {
    if (state_ == nullptr) return null_copy();
    if (device() == target) return *this;
    KMUX_TRY(check_reachable(*this));
    if (are_peers(device(), target)) return copied_to_peer(*this, target, stream);
    if (!device().is_host() && !target.is_host()) {
      KMUX_ASSIGN(const Tensor host, to(Device{}));  // `stream` is the target's, which this backend cannot take
      return host.to(target, stream);
    }
    if (target.is_host()) return copied_to_host(*this, stream);
    KMUX_ASSIGN(const Tensor source, is_contiguous() ? Result<Tensor>(*this) : packed_on_host(*this));
    KMUX_ASSIGN(Tensor copy, empty(state_->shape, dtype(), target, stream));
    KMUX_TRY(copy_and_wait(copy, source, stream));
    return copy;
  });
}

Result<Tensor> Tensor::clone(StreamRef stream) const {
  return guarded([&]() -> Result<Tensor> {
    if (state_ == nullptr) return null_copy();
    KMUX_TRY(check_reachable(*this));
    if (device().is_host() && !is_contiguous()) return packed_on_host(*this);
    KMUX_ASSIGN(Tensor copy, empty(state_->shape, dtype(), device(), stream));
    const auto bytes = static_cast<std::size_t>(byte_count());
    if (device().is_host()) {
      if (bytes != 0) std::memcpy(copy.data(), data(), bytes);
      return copy;
    }
    if (!is_contiguous()) return strided(*this, "be copied there");
    KMUX_TRY(copy_and_wait(copy, *this, stream));
    return copy;
  });
}

namespace {

Status check_copyable(const Tensor& to, const Tensor& from) {
  if (!to || !from) return null_copy();
  KMUX_TRY(check_reachable(to));
  KMUX_TRY(check_reachable(from));
  if (to.is_read_only()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "nothing can be copied to a tensor that is read-only. Copy to another one.");
  }
  if (to.dtype() != from.dtype() || !std::ranges::equal(to.shape(), from.shape())) {
    return make_error(ErrorCode::kInvalidArgument,
                      describe(*from.dl()) + " cannot be copied to " + describe(*to.dl()) +
                          " (dtype and shape have to be the same). Make a tensor like it.");
  }
  if (!to.is_contiguous()) return strided(to, "be copied to");
  if (!from.is_contiguous()) return strided(from, "be copied from");
  if (to.device().is_host() || from.device().is_host() || to.device() == from.device()) return Ok{};
  if (are_peers(to.device(), from.device())) return Ok{};
  return make_error(ErrorCode::kUnsupported, "a tensor on " + from.device().to_string() + " cannot be copied to " +
                                                 to.device().to_string() +
                                                 " (they are of two backends). Copy by way of the host.");
}

}  // namespace

// Only a wait guarantees that pageable host memory is no longer read or written.
Status Tensor::copy_from(const Tensor& source, StreamRef stream) const {
  return guarded([&]() -> Status {
    KMUX_TRY(check_copyable(*this, source));
    const Device& of_copy = device_of_copy(*this, source);
    if (of_copy.is_host()) {
      if (source.byte_count() != 0) std::memmove(data(), source.data(), static_cast<std::size_t>(source.byte_count()));
      return Ok{};
    }
    const auto is_pageable = [](const Tensor& tensor) { return tensor.device().is_host() && !tensor.is_pinned(); };
    if (is_pageable(*this) || is_pageable(source)) return copy_and_wait(*this, source, stream);
    KMUX_TRY(enqueue(*this, source, stream));
    KMUX_TRY(record_use(stream, of_copy));
    return source.record_use(stream, of_copy);
  });
}

Status Tensor::record_use(StreamRef stream, const Device& of_stream) const {
  return guarded([&]() -> Status {
    if (state_->pinned != nullptr) return state_->pinned->used_on(stream, of_stream.ordinal());
    if (state_->memory != nullptr) return state_->memory->used_on(stream, of_stream.ordinal());
    return Ok{};  // borrowed memory is tracked by its owner
  });
}

}  // namespace kmux
