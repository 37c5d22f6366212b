#include "recording.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/sha256.h"

#include "style.h"

namespace kmux::cli {

namespace fs = std::filesystem;

Error not_a_recording(const fs::path& path, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "\"" + path.string() + "\" is not a recording (" + why +
                                                     "). Name a folder that KMUX_RECORD named.");
}

Result<std::string> recorded_text(const Json& json, std::string_view key, const fs::path& file) {
  const Json* const value = json.find(key);
  if (value == nullptr || value->as_string() == nullptr)
    return not_a_recording(file, "no \"" + std::string(key) + "\"");
  return *value->as_string();
}

std::vector<std::string> recorded_texts(const Json& json, std::string_view key) {
  std::vector<std::string> texts;
  const Json* const list = json.find(key);
  if (list == nullptr || list->as_array() == nullptr) return texts;
  for (const Json& one : *list->as_array()) texts.push_back(one.as_string() == nullptr ? "" : *one.as_string());
  return texts;
}

Result<std::vector<std::int64_t>> recorded_numbers(const Json& json, std::string_view key, const fs::path& file) {
  std::vector<std::int64_t> numbers;
  const Json* const list = json.find(key);
  if (list == nullptr) return numbers;
  if (list->as_array() == nullptr) return not_a_recording(file, "no list \"" + std::string(key) + "\"");
  for (const Json& one : *list->as_array()) {
    if (one.as_integer() == nullptr || *one.as_integer() < 0)
      return not_a_recording(file, "a wrong number in \"" + std::string(key) + "\"");
    numbers.push_back(*one.as_integer());
  }
  return numbers;
}

Result<Json> Recording::kernel(const std::string& name) const {
  constexpr std::int64_t kNewest = 2;
  const fs::path folder = folder_ / "kernels" / name;
  if (name.find_first_of("/.") != std::string::npos) return not_a_recording(folder, "a wrong name of a kernel");
  KMUX_ASSIGN(const std::string text, read_named_file(folder / "kernel.json"));
  KMUX_ASSIGN(Json how, parse_json(text));
  const Json* const format = how.find("format");  // the first format had none
  if (format == nullptr) return how;
  if (format->as_integer() == nullptr) return not_a_recording(folder, "a wrong \"format\"");
  if (*format->as_integer() <= kNewest) return how;
  return make_error(ErrorCode::kUnsupported, "the recording \"" + folder_.string() + "\" has format " +
                                                 std::to_string(*format->as_integer()) + " (this kmux reads up to " +
                                                 std::to_string(kNewest) + "). Replay it with a newer kmux.");
}

Result<std::vector<Json>> Recording::calls() const {
  KMUX_ASSIGN(const std::string text, read_named_file(folder_ / "calls.jsonl"));
  std::vector<Json> calls;
  for (std::string_view rest = text; rest.find('\n') != std::string_view::npos;
       rest.remove_prefix(rest.find('\n') + 1)) {
    KMUX_ASSIGN(Json call, parse_json(rest.substr(0, rest.find('\n'))));
    calls.push_back(std::move(call));
  }
  return calls;
}

Result<std::optional<std::string>> Recording::data(const std::string& digest) const {
  const bool is_digest = digest.size() == 64 && digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_digest) return not_a_recording(folder_, "\"" + digest + "\" is not a digest");
  const fs::path file = folder_ / "data" / digest;
  std::error_code failure;
  if (!fs::exists(file, failure)) return std::optional<std::string>();
  KMUX_ASSIGN(std::string bytes, read_named_file(file));
  if (sha256_hex(bytes) != digest) return not_a_recording(file, "its content has another digest");
  return std::optional(std::move(bytes));
}

Status check_memory(const Recording& recording, std::uint64_t bytes, const std::string& what) {
  const std::uint64_t total = machine_memory().total;
  if (bytes <= total) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "\"" + recording.folder().string() + "\" cannot be replayed (" + what +
                                                     " take " + bytes_text(bytes) + ", and this machine has " +
                                                     bytes_text(total) + " of memory). Replay it on a larger machine.");
}

namespace {

/// Returns false for an impossible shape: the recording may be damaged. Computes in doubles, which do not overflow.
bool is_possible(const RecordedBuffer& buffer) {
  constexpr double kMaxBits = 8e15;
  double product = 1, last = 1;
  for (const std::int64_t extent : buffer.shape) product *= static_cast<double>(std::max<std::int64_t>(extent, 1));
  for (std::size_t i = 0; i < buffer.strides.size(); ++i) {
    last += static_cast<double>(buffer.shape[i]) * static_cast<double>(buffer.strides[i]);
  }
  return std::max(product, last) * static_cast<double>(total_bits(buffer.dtype)) < kMaxBits;
}

/// Restores a call: first the memory of each block, then the contents of its buffers, then their views.
class CallMaker {
 public:
  CallMaker(const Recording& recording, Device device) : recording_(recording), device_(std::move(device)) {}

  Status add_buffer(const Json& arg, const BufferParam& param) {
    RecordedBuffer buffer{.name = {}, .dtype = param.dtype};
    KMUX_ASSIGN(buffer.name, recorded_text(arg, "name", recording_.folder()));
    KMUX_ASSIGN(buffer.shape, recorded_numbers(arg, "shape", recording_.folder()));
    KMUX_ASSIGN(buffer.strides, recorded_numbers(arg, "strides", recording_.folder()));
    const bool is_whole = buffer.strides.empty() || buffer.strides.size() == buffer.shape.size();
    if (!is_whole || !is_possible(buffer)) return damaged("\"" + buffer.name + "\" has no such shape");
    KMUX_ASSIGN(Place place, place_of(arg, buffer.name));
    if (arg.find("before") != nullptr) {
      KMUX_ASSIGN(place.content, recorded_text(arg, "before", recording_.folder()));
    }
    Block& block = blocks_[place.block];
    block.bytes = std::max<std::uint64_t>(block.bytes, place.offset + buffer.bytes());
    places_.push_back(std::move(place));
    call_.buffers.push_back(std::move(buffer));
    return Ok{};
  }

  Result<RecordedCall> finish(const std::vector<std::optional<Arg>>& args) && {
    KMUX_TRY(allocate());
    for (std::size_t i = 0; i < call_.buffers.size(); ++i) KMUX_TRY(fill(call_.buffers[i], places_[i]));
    for (auto& [number, block] : blocks_) {
      KMUX_ASSIGN(block.memory, block.memory.to(device_));
    }
    for (std::size_t i = 0; i < call_.buffers.size(); ++i) view(call_.buffers[i], places_[i]);
    std::size_t next = 0;
    for (const std::optional<Arg>& arg : args) call_.args.push_back(arg ? *arg : Arg(call_.buffers[next++].view));
    for (auto& [number, block] : blocks_) call_.blocks.push_back(std::move(block.memory));
    return std::move(call_);
  }

 private:
  struct Place {
    std::int64_t block = 0;
    std::size_t offset = 0;
    std::optional<std::string> content = {};  // digest
  };
  struct Block {
    std::uint64_t bytes = 0;
    Tensor memory = {};  // on the host, then on the device
  };

  Error damaged(const std::string& why) const { return not_a_recording(recording_.folder(), why); }

  /// Returns the place of a buffer. Unshared memory gets a block number that is never recorded.
  Result<Place> place_of(const Json& arg, const std::string& name) const {
    constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;
    const Json* const memory = arg.find("memory");
    if (memory == nullptr) return Place{-1 - std::ssize(places_), 0};
    const Json* const block = memory->find("block");
    const Json* const offset = memory->find("offset");
    const auto is_number = [](const Json* json) {
      return json != nullptr && json->as_integer() != nullptr && *json->as_integer() >= 0 &&
             *json->as_integer() < kMaxBytes;
    };
    if (!is_number(block) || !is_number(offset)) return damaged("\"" + name + "\" has no such memory");
    return Place{*block->as_integer(), static_cast<std::size_t>(*offset->as_integer())};
  }

  /// Allocates all blocks on the host, zeroed.
  Status allocate() {
    std::uint64_t total = 0;
    for (const auto& [number, block] : blocks_) total += block.bytes;
    KMUX_TRY(check_memory(recording_, total, "the buffers of a call"));
    for (auto& [number, block] : blocks_) {
      const auto size = static_cast<std::int64_t>(std::max<std::uint64_t>(block.bytes, 1));
      KMUX_ASSIGN(block.memory, Tensor::zeros({size}, dtype::kUInt8));
    }
    return Ok{};
  }

  Status fill(const RecordedBuffer& buffer, const Place& place) {
    if (!place.content) return Ok{};
    KMUX_ASSIGN(const std::optional<std::string> kept, recording_.data(*place.content));
    call_.has_data = call_.has_data && kept.has_value();
    if (!kept) return Ok{};
    if (kept->size() != buffer.bytes()) return damaged("\"" + buffer.name + "\" has another size");
    std::memcpy(blocks_[place.block].memory.data_as<char>() + place.offset, kept->data(), kept->size());
    return Ok{};
  }

  void view(RecordedBuffer& buffer, const Place& place) {
    const Tensor& block = blocks_[place.block].memory;
    void* const first = place.offset == 0 ? block.data() : block.data_as<char>() + place.offset;
    buffer.memory = Tensor::borrow(first, buffer.extents(), buffer.dtype, block.device());
    buffer.view = Tensor::borrow(first, buffer.shape, buffer.dtype, block.device(), buffer.strides);
  }

  const Recording& recording_;
  const Device device_;
  RecordedCall call_;
  std::vector<Place> places_;  // of each buffer
  std::map<std::int64_t, Block> blocks_;
};

}  // namespace

Result<RecordedCall> make_recorded_call(const Recording& recording, const Json& recorded, const Signature& signature,
                                        const Device& device) {
  CallMaker maker(recording, device);
  std::vector<std::optional<Arg>> all;  // nothing: the next buffer
  const std::vector<Param>& params = signature.params;
  const Json* const args = recorded.find("args");
  const bool is_whole = args != nullptr && args->as_array() != nullptr && args->as_array()->size() == params.size();
  if (!is_whole) return not_a_recording(recording.folder(), "a call without its arguments");
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Json& arg = (*args->as_array())[i];
    const BufferParam* const buffer = as_buffer(params[i]);
    if (buffer != nullptr && arg.find("shape") != nullptr) {
      KMUX_TRY(maker.add_buffer(arg, *buffer));
      all.emplace_back();
    } else if (const ScalarParam* const scalar = as_scalar(params[i])) {
      KMUX_ASSIGN(const std::string bits, recorded_text(arg, "bits", recording.folder()));
      all.emplace_back(Arg::bits(scalar->dtype, std::strtoull(bits.c_str(), nullptr, 16)));
    } else {
      all.emplace_back(nullptr);
    }
  }
  return std::move(maker).finish(all);
}

}  // namespace kmux::cli
