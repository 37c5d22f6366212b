#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/arg.h"
#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/signature.h"
#include "kmux/tensor.h"

namespace kmux::cli {

/// Says that `path` is not a recording, and why.
Error not_a_recording(const std::filesystem::path& path, const std::string& why);

/// The string `key` of an object in `file`.
///
/// Errors: invalid_argument if it has none.
Result<std::string> recorded_text(const Json& json, std::string_view key, const std::filesystem::path& file);
/// The strings of list `key`; none without that list.
std::vector<std::string> recorded_texts(const Json& json, std::string_view key);
/// The numbers of list `key`, none of them negative; none without that list.
///
/// Errors: invalid_argument for anything else under that key.
Result<std::vector<std::int64_t>> recorded_numbers(const Json& json, std::string_view key,
                                                   const std::filesystem::path& file);

/// What one process recorded: docs/design/0053-record-and-replay.md.
class Recording {
 public:
  explicit Recording(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& folder() const { return folder_; }

  /// How kernel `name` was compiled.
  ///
  /// Errors: invalid_argument for a format that this kmux does not read.
  Result<Json> kernel(const std::string& name) const;
  /// The calls in their order. A line that the process could not end is left out.
  Result<std::vector<Json>> calls() const;
  /// The bytes of that digest; nothing if they were not kept.
  Result<std::optional<std::string>> data(const std::string& digest) const;

 private:
  std::filesystem::path folder_;
};

/// A buffer of a recorded call: memory from its first element to its last.
struct RecordedBuffer {
  std::string name;
  DType dtype = {};
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};
  Tensor memory = {};  // on the device
  Tensor view = {};    // of it, in that shape

  /// The extents that memory is compared in.
  std::vector<std::int64_t> extents() const {
    return strides.empty() ? shape : std::vector<std::int64_t>{element_span(shape, strides)};
  }
  /// Of that memory.
  std::size_t bytes() const { return static_cast<std::size_t>(packed_bytes(dtype, element_span(shape, strides))); }
};

/// The arguments of a recorded call, on a device again. Buffers that shared memory share it.
struct RecordedCall {
  std::vector<RecordedBuffer> buffers;
  std::vector<Arg> args;
  std::vector<Tensor> blocks;  // the memory of the buffers
  bool has_data = true;  // the bytes of all buffers were kept; else those are zeros
};

/// Returns Ok if this machine has memory for `bytes`, which `what` (a plural noun) of a recording take.
///
/// Errors: invalid_argument with both sizes.
Status check_memory(const Recording& recording, std::uint64_t bytes, const std::string& what);

/// Makes what call `recorded` of a kernel with `signature` was given.
///
/// Errors: invalid_argument if it is damaged, or takes more memory than this machine has; those of the device's memory.
Result<RecordedCall> make_recorded_call(const Recording& recording, const Json& recorded, const Signature& signature,
                                        const Device& device);

}  // namespace kmux::cli
