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

/// Returns the error that `path` is not a recording, with the reason.
Error not_a_recording(const std::filesystem::path& path, const std::string& why);

/// Returns the string `key` of an object in `file`.
///
/// Errors: invalid_argument if it is missing.
Result<std::string> recorded_text(const Json& json, std::string_view key, const std::filesystem::path& file);
/// Returns the strings of list `key`; empty without that list.
std::vector<std::string> recorded_texts(const Json& json, std::string_view key);
/// Returns the numbers of list `key`, which must not be negative; empty without that list.
///
/// Errors: invalid_argument for any other value of that key.
Result<std::vector<std::int64_t>> recorded_numbers(const Json& json, std::string_view key,
                                                   const std::filesystem::path& file);

/// The recording of one process: docs/design/0053-record-and-replay.md.
class Recording {
 public:
  explicit Recording(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& folder() const { return folder_; }

  /// Returns the compilation record of kernel `name`.
  ///
  /// Errors: invalid_argument for a damaged record; unsupported for a format that is newer than this kmux.
  Result<Json> kernel(const std::string& name) const;
  /// Returns the calls in order, without a final incomplete line.
  Result<std::vector<Json>> calls() const;
  /// Returns the bytes with that digest; nothing if they were not kept.
  Result<std::optional<std::string>> data(const std::string& digest) const;

 private:
  std::filesystem::path folder_;
};

/// A buffer of a recorded call: the memory from its first to its last element.
struct RecordedBuffer {
  std::string name;
  DType dtype = {};
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};
  Tensor memory = {};  // on the device
  Tensor view = {};    // of the memory, in that shape

  /// Returns the extents used to compare memory.
  std::vector<std::int64_t> extents() const {
    return strides.empty() ? shape : std::vector<std::int64_t>{element_span(shape, strides)};
  }
  /// Returns the size of the memory.
  std::size_t bytes() const { return static_cast<std::size_t>(packed_bytes(dtype, element_span(shape, strides))); }
};

/// The arguments of a recorded call, restored on a device. Buffers that shared memory share it again.
struct RecordedCall {
  std::vector<RecordedBuffer> buffers;
  std::vector<Arg> args;
  std::vector<Tensor> blocks;  // the memory of the buffers
  bool has_data = true;  // false if bytes of a buffer were not kept; those are zeros
};

/// Checks that this machine has memory for `bytes`, the size of `what` (a plural noun) in a recording.
///
/// Errors: invalid_argument with both sizes.
Status check_memory(const Recording& recording, std::uint64_t bytes, const std::string& what);

/// Restores the arguments of call `recorded` of a kernel with `signature`.
///
/// Errors: invalid_argument if the call is damaged, or needs more memory than this machine has; those of the device's
/// memory.
Result<RecordedCall> make_recorded_call(const Recording& recording, const Json& recorded, const Signature& signature,
                                        const Device& device);

}  // namespace kmux::cli
