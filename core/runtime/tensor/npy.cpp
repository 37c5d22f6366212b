#include "kmux/npy.h"

#include <cstring>

#include "kmux/plugin/file_io.h"

#include "npy_header.h"
#include "shape.h"
#include "toolchain/named_file.h"

namespace kmux {
namespace {

constexpr std::uint64_t kMaxNpyBytes = std::uint64_t{1} << 36;

Error about(const std::filesystem::path& path, Error error) {
  error.message = "\"" + path.string() + "\": " + error.message;
  return error;
}

/// The type that the elements get: the file's own, or the one of the same size that the caller knows better.
Result<DType> element_type(const NpyHeader& header, std::optional<DType> reinterpret_as) {
  const bool raw = header.opaque || header.dtype.code == kDLUInt;
  if (!reinterpret_as || *reinterpret_as == header.dtype) return header.dtype;
  const bool foreign = !is_integer(*reinterpret_as) && !is_bool(*reinterpret_as) && reinterpret_as->code != kDLFloat;
  const bool same_size = total_bits(*reinterpret_as) == total_bits(header.dtype);
  if (same_size && (header.opaque || (raw && foreign))) return *reinterpret_as;
  return header.dtype;
}

/// Strides of a Fortran-order array that has elements: the first dimension is innermost.
std::vector<std::int64_t> fortran_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = 1; i < shape.size(); ++i) strides[i] = strides[i - 1] * shape[i - 1];
  return strides;
}

Result<Tensor> read(const std::string& bytes, std::optional<DType> reinterpret_as) {
  KMUX_ASSIGN(const NpyHeader header, parse_npy_header(bytes));
  KMUX_ASSIGN(const DType dtype, element_type(header, reinterpret_as));
  KMUX_ASSIGN(const std::size_t needed, bytes_of(header.shape, dtype));
  if (bytes.size() - header.data_offset < needed) {
    return make_error(ErrorCode::kInvalidArgument,
                      "it is truncated (" + std::to_string(needed) + " bytes of elements announced, " +
                          std::to_string(bytes.size() - header.data_offset) + " there). Write it again.");
  }
  KMUX_ASSIGN(const Tensor tensor, Tensor::empty(header.shape, dtype));
  if (needed == 0) return tensor;  // its other extents may be of any size
  std::memcpy(tensor.data(), bytes.data() + header.data_offset, needed);
  if (!header.fortran_order || header.shape.size() < 2) return tensor;
  return Tensor::borrow(tensor.data(), header.shape, dtype, {}, fortran_strides(header.shape)).clone();
}

}  // namespace

Result<Tensor> load_npy(const std::filesystem::path& path, std::optional<DType> reinterpret_as) {
  KMUX_ASSIGN(const std::string bytes, read_named_file(path, kMaxNpyBytes));
  auto tensor = read(bytes, reinterpret_as);
  if (!tensor) return about(path, std::move(tensor).error());
  return tensor;
}

Status save_npy(const std::filesystem::path& path, const Tensor& tensor) {
  if (!tensor) return make_error(ErrorCode::kInvalidArgument, "a null tensor cannot be saved. Give one with memory.");
  if (tensor.dtype().lanes != 1 || tensor.dtype().bits % 8 != 0) {
    return make_error(ErrorCode::kUnsupported, "a tensor of " + to_string(tensor.dtype()) +
                                                   " cannot be saved as .npy (its elements are no whole bytes each). "
                                                   "Convert it first.");
  }
  KMUX_ASSIGN(const Tensor host, tensor.to(Device{}));
  KMUX_ASSIGN(const Tensor packed, host.is_contiguous() ? Result<Tensor>(host) : host.clone());
  std::string bytes = make_npy_header(packed.dtype(), {packed.shape().begin(), packed.shape().end()});
  bytes.append(packed.data_as<const char>(), static_cast<std::size_t>(packed.byte_count()));
  return write_file(path, bytes);
}

}  // namespace kmux
