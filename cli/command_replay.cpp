#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kmux/bench/comparison.h"
#include "kmux/compile.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"
#include "kmux/plugin/words.h"
#include "kmux/program.h"
#include "kmux/runtime.h"

#include "command.h"
#include "options.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

Error not_a_recording(const fs::path& path, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "\"" + path.string() + "\" is not a recording (" + why +
                                                     "). Name a folder that KMUX_RECORD named.");
}

Result<std::string> text_of(const Json& json, std::string_view key, const fs::path& file) {
  const Json* const value = json.find(key);
  if (value == nullptr || value->as_string() == nullptr)
    return not_a_recording(file, "no \"" + std::string(key) + "\"");
  return *value->as_string();
}

std::vector<std::string> texts_of(const Json& json, std::string_view key) {
  std::vector<std::string> texts;
  const Json* const list = json.find(key);
  if (list == nullptr || list->as_array() == nullptr) return texts;
  for (const Json& one : *list->as_array()) texts.push_back(one.as_string() == nullptr ? "" : *one.as_string());
  return texts;
}

Result<std::vector<std::int64_t>> numbers_of(const Json& json, std::string_view key, const fs::path& file) {
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

/// What one process recorded.
class Recording {
 public:
  explicit Recording(fs::path folder) : folder_(std::move(folder)) {}
  const fs::path& folder() const { return folder_; }

  /// The calls in their order. A line that the process could not end is none.
  Result<std::vector<Json>> calls() const {
    KMUX_ASSIGN(const std::string text, read_named_file(folder_ / "calls.jsonl"));
    std::vector<Json> calls;
    for (std::string_view rest = text; rest.find('\n') != std::string_view::npos;
         rest.remove_prefix(rest.find('\n') + 1)) {
      KMUX_ASSIGN(Json call, parse_json(rest.substr(0, rest.find('\n'))));
      calls.push_back(std::move(call));
    }
    return calls;
  }

  /// The bytes of that digest; nothing if they were not kept.
  Result<std::optional<std::string>> data(const std::string& digest) const {
    const bool is_digest = digest.size() == 64 && digest.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_digest) return not_a_recording(folder_, "\"" + digest + "\" is not a digest");
    const fs::path file = folder_ / "data" / digest;
    if (!fs::exists(file)) return std::optional<std::string>();
    KMUX_ASSIGN(std::string bytes, read_named_file(file));
    if (sha256_hex(bytes) != digest) return not_a_recording(file, "its content has another digest");
    return std::optional(std::move(bytes));
  }

 private:
  fs::path folder_;
};

/// A recorded kernel, compiled here.
struct Replayed {
  Program program;
  Kernel kernel;
  std::string origin;  // "nvrtc for cuda:sm_90a"
  bool is_same_backend = false;
};

/// What it was compiled with then, for the backend that it was recorded with: options are those of a backend.
void take_recorded(const Json& how, CompileOptions& options) {
  options.compile_flags = texts_of(how, "compile_flags");
  options.include_dirs = texts_of(how, "include_dirs");
  const Json* const given = how.find("options");
  if (given == nullptr || given->as_object() == nullptr) return;
  for (const auto& [name, value] : *given->as_object()) {
    if (value.as_string() != nullptr) options.options[name] = *value.as_string();
  }
}

Result<Replayed> compile_recorded(const Recording& recording, const std::string& name,
                                  const po::variables_map& arguments) {
  const fs::path folder = recording.folder() / "kernels" / name;
  if (name.find_first_of("/.") != std::string::npos) return not_a_recording(folder, "a wrong name of a kernel");
  KMUX_ASSIGN(const std::string text, read_named_file(folder / "kernel.json"));
  KMUX_ASSIGN(const Json how, parse_json(text));
  KMUX_ASSIGN(Program program, load_program((folder / "program.kmux.json").string()));
  KMUX_ASSIGN(const std::string backend, text_of(how, "backend", folder));
  KMUX_ASSIGN(const std::string target, text_of(how, "target", folder));
  const std::string origin = backend + " for " + target;
  KMUX_ASSIGN(CompileOptions options, compile_options(arguments));
  const bool is_elsewhere = arguments.count("backend") != 0 || arguments.count("target") != 0;
  if (!is_elsewhere) {
    options.execution_backend = backend;
    options.target = target;
    take_recorded(how, options);
  }
  KMUX_ASSIGN(const std::vector<std::int64_t> outputs, numbers_of(how, "out_idx", folder));
  options.out_idx.assign(outputs.begin(), outputs.end());
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  auto kernel = compile(*runtime, program, options);
  if (!kernel) {
    if (!is_elsewhere) kernel.error().message += " It was recorded with " + origin + "; --backend chooses another.";
    return std::move(kernel).error();
  }
  const bool is_same_backend = kernel->backend() == backend;
  return Replayed{std::move(program), *std::move(kernel), origin, is_same_backend};
}

/// A buffer of a call: memory from its first element to its last.
struct Buffer {
  std::string name;
  DType dtype = {};
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};
  Tensor memory = {};  // on the device
  Tensor view = {};    // of it, in that shape
};

/// Is there memory for it anywhere? What is read may have been damaged.
bool is_possible(const Buffer& buffer) {
  constexpr double kMostElements = 1e12;
  double product = 1, last = 1;
  for (const std::int64_t extent : buffer.shape) product *= static_cast<double>(std::max<std::int64_t>(extent, 1));
  for (std::size_t i = 0; i < buffer.strides.size(); ++i) {
    last += static_cast<double>(buffer.shape[i]) * static_cast<double>(buffer.strides[i]);
  }
  return product < kMostElements && last < kMostElements;
}

/// The extents that memory is compared in.
std::vector<std::int64_t> extents_of(const Buffer& buffer) {
  return buffer.strides.empty() ? buffer.shape : std::vector<std::int64_t>{element_span(buffer.shape, buffer.strides)};
}

struct RecordedCall {
  std::vector<Buffer> buffers;
  std::vector<Arg> args;
  std::vector<std::string> bytes;  // of the host
  bool has_data = true;
};

/// Sets the constants to what they were at the call. One whose bytes were not kept is zeros, as tensors are, unless its source gives
/// it a value. Returns whether all bytes were there.
Result<bool> set_recorded_constants(const Recording& recording, const Json& call, const Replayed& replayed) {
  bool has_data = true;
  const Json* const recorded = call.find("constants");
  for (const Constant& constant : replayed.program.constants) {
    std::optional<std::string> kept;
    if (recorded != nullptr && recorded->find(constant.name) != nullptr) {
      KMUX_ASSIGN(const std::string digest, text_of(*recorded, constant.name, recording.folder()));
      KMUX_ASSIGN(kept, recording.data(digest));
    }
    has_data = has_data && kept.has_value();
    if (!kept && constant.initialised) continue;
    const auto size = static_cast<std::size_t>(packed_bytes(constant.dtype, element_span(constant.shape, {})));
    if (!kept) kept = std::string(size, '\0');
    if (kept->size() != size)
      return not_a_recording(recording.folder(), "constant \"" + constant.name + "\" has another size");
    KMUX_TRY(replayed.kernel.set_constant(constant.name, Tensor::borrow(kept->data(), constant.shape, constant.dtype)));
  }
  return has_data;
}

Status add_buffer(const Recording& recording, const Json& arg, const BufferParam& param, const Device& device,
                  RecordedCall& call) {
  Buffer buffer{.dtype = param.dtype};
  KMUX_ASSIGN(buffer.name, text_of(arg, "name", recording.folder()));
  KMUX_ASSIGN(buffer.shape, numbers_of(arg, "shape", recording.folder()));
  KMUX_ASSIGN(buffer.strides, numbers_of(arg, "strides", recording.folder()));
  const bool is_whole = buffer.strides.empty() || buffer.strides.size() == buffer.shape.size();
  if (!is_whole || !is_possible(buffer))
    return not_a_recording(recording.folder(), "\"" + buffer.name + "\" has no such shape");
  const auto size = static_cast<std::size_t>(packed_bytes(buffer.dtype, element_span(buffer.shape, buffer.strides)));
  std::optional<std::string> kept;
  if (arg.find("before") != nullptr) {
    KMUX_ASSIGN(const std::string digest, text_of(arg, "before", recording.folder()));
    KMUX_ASSIGN(kept, recording.data(digest));
    call.has_data = call.has_data && kept.has_value();
  }
  if (kept && kept->size() != size)
    return not_a_recording(recording.folder(), "\"" + buffer.name + "\" has another size");
  call.bytes.push_back(kept ? *std::move(kept) : std::string(size, '\0'));
  KMUX_ASSIGN(buffer.memory, Tensor::borrow(call.bytes.back().data(), extents_of(buffer), buffer.dtype).to(device));
  buffer.view = buffer.strides.empty() ? buffer.memory : buffer.memory.as_strided(buffer.shape, buffer.strides);
  call.buffers.push_back(std::move(buffer));
  return Ok{};
}

Result<RecordedCall> make_recorded_call(const Recording& recording, const Json& recorded, const Replayed& replayed) {
  RecordedCall call;
  const std::vector<Param>& params = replayed.program.signature.params;
  const Json* const args = recorded.find("args");
  const bool is_whole = args != nullptr && args->as_array() != nullptr && args->as_array()->size() == params.size();
  if (!is_whole) return not_a_recording(recording.folder(), "a call without its arguments");
  call.buffers.reserve(params.size());
  call.bytes.reserve(params.size());
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Json& arg = (*args->as_array())[i];
    const BufferParam* const buffer = as_buffer(params[i]);
    if (buffer != nullptr && arg.find("shape") != nullptr) {
      KMUX_TRY(add_buffer(recording, arg, *buffer, replayed.kernel.device(), call));
      call.args.emplace_back(call.buffers.back().view);
    } else if (const ScalarParam* const scalar = as_scalar(params[i])) {
      KMUX_ASSIGN(const std::string bits, text_of(arg, "bits", recording.folder()));
      call.args.push_back(Arg::bits(scalar->dtype, std::strtoull(bits.c_str(), nullptr, 16)));
    } else {
      call.args.emplace_back(nullptr);
    }
  }
  return call;
}

/// What differs from what was recorded of one buffer; nothing if it does not.
Result<std::optional<std::string>> difference_of(const Recording& recording, const Buffer& buffer,
                                                 const std::string& digest, bench::Tolerance tolerance) {
  KMUX_ASSIGN(const Tensor now, buffer.memory.to(Device{}));
  const auto bytes = static_cast<std::size_t>(packed_bytes(buffer.dtype, element_span(buffer.shape, buffer.strides)));
  if (sha256_hex({now.data_as<const char>(), bytes}) == digest) return std::optional<std::string>();
  KMUX_ASSIGN(std::optional<std::string> then, recording.data(digest));
  if (!then || then->size() != bytes) return std::optional("\"" + buffer.name + "\" has other bytes");
  const Tensor expected = Tensor::borrow(then->data(), extents_of(buffer), buffer.dtype);
  KMUX_ASSIGN(const bench::Comparison compared, bench::compare(now, expected, tolerance));
  if (compared.ok()) return std::optional<std::string>();
  return std::optional("\"" + buffer.name + "\": " + compared.text());
}

/// A recording is replayed up to the first difference.
class Replay {
 public:
  Replay(const po::variables_map& arguments, bench::Tolerance tolerance)
      : arguments_(arguments), tolerance_(tolerance) {}

  Status run(const Recording& recording) {
    KMUX_ASSIGN(const std::vector<Json> recorded, recording.calls());
    kernels_.clear();
    for (const Json& call : recorded) {
      if (difference_) return Ok{};
      KMUX_ASSIGN(const std::string name, text_of(call, "kernel", recording.folder()));
      KMUX_ASSIGN(const Replayed* const replayed, kernel(recording, name));
      KMUX_ASSIGN(const std::optional<std::string> found, difference(recording, call, *replayed));
      ++calls_;
      if (found) difference_ = Difference{calls_, name, replayed->origin, *found};
    }
    return Ok{};
  }

  Report report() const {
    Report report{counted(calls_, "call") + " of " + counted(seen_, "kernel") + " replayed, " +
                      std::to_string(compared_) + " with results that could be compared\n",
                  Json::Object{{"calls", calls_}, {"kernels", seen_}, {"compared", compared_}, {"difference", Json()}}};
    if (made_up_constants_) {
      report.text += "constants whose bytes were not recorded were zeros, or what their source gives them\n";
      report.json["made_up_constants"] = true;
    }
    if (!difference_) {
      report.text += compared_ == calls_ ? "no difference\n"
                                         : "no difference found; with KMUX_RECORD_DATA=full results can be compared\n";
      return report;
    }
    report.code = kCheckFailed;
    report.text += "first difference: call " + std::to_string(difference_->call) + ", kernel " + difference_->kernel +
                   " (recorded with " + difference_->origin + "): " + difference_->what + "\n";
    report.json["difference"] =
        Json::Object{{"call", difference_->call}, {"kernel", difference_->kernel}, {"what", difference_->what}};
    return report;
  }

 private:
  struct Difference {
    std::int64_t call = 0;
    std::string kernel, origin, what;
  };

  static std::string counted(std::int64_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  }

  Result<const Replayed*> kernel(const Recording& recording, const std::string& name) {
    const auto found = kernels_.find(name);
    if (found != kernels_.end()) return &found->second;
    KMUX_ASSIGN(Replayed replayed, compile_recorded(recording, name, arguments_));
    ++seen_;
    return &kernels_.emplace(name, std::move(replayed)).first->second;
  }

  Result<std::optional<std::string>> difference(const Recording& recording, const Json& recorded,
                                                const Replayed& replayed) {
    KMUX_ASSIGN(RecordedCall call, make_recorded_call(recording, recorded, replayed));
    KMUX_ASSIGN(const bool has_constants, set_recorded_constants(recording, recorded, replayed));
    call.has_data = call.has_data && has_constants;
    made_up_constants_ = made_up_constants_ || !has_constants;
    Status ended = replayed.kernel.launch(call.args);
    if (ended.ok()) ended = replayed.kernel.device().synchronize();
    const bool failed_then = recorded.find("error") != nullptr;
    if (failed_then && ended.ok())
      return std::optional<std::string>("it failed when it was recorded, and does not here");
    if (!failed_then && !ended.ok()) return std::optional("it fails here: " + ended.error().message);
    const Json* const after = recorded.find("after");
    if (failed_then || !call.has_data || after == nullptr || after->as_object() == nullptr)
      return std::optional<std::string>();
    ++compared_;
    for (const Buffer& buffer : call.buffers) {
      if (after->find(buffer.name) == nullptr) continue;
      KMUX_ASSIGN(const std::string digest, text_of(*after, buffer.name, recording.folder()));
      KMUX_ASSIGN(std::optional<std::string> found,
                  difference_of(recording, buffer, digest, tolerance(buffer, replayed)));
      if (found) return found;
    }
    return std::optional<std::string>();
  }

  /// What was given; else to the bit on the backend that it was recorded with.
  bench::Tolerance tolerance(const Buffer& buffer, const Replayed& replayed) const {
    const bool is_given = arguments_.count("rtol") + arguments_.count("atol") != 0;
    if (is_given || replayed.is_same_backend) return tolerance_;
    return bench::default_tolerance(buffer.dtype);
  }

  const po::variables_map& arguments_;
  const bench::Tolerance tolerance_;
  std::map<std::string, Replayed> kernels_;
  std::int64_t calls_ = 0, seen_ = 0, compared_ = 0;
  bool made_up_constants_ = false;
  std::optional<Difference> difference_;
};

/// The folder itself, or one for each process below it.
Result<std::vector<Recording>> recordings_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  if (fs::exists(folder / "calls.jsonl")) found.push_back(folder);
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (fs::exists(entry.path() / "calls.jsonl")) found.push_back(entry.path());
  }
  if (failure) return not_a_recording(folder, failure.message());
  if (found.empty()) return not_a_recording(folder, "it has no calls.jsonl");
  std::ranges::sort(found);
  return std::vector<Recording>(found.begin(), found.end());
}

Result<Report> run_replay(const po::variables_map& arguments) {
  KMUX_ASSIGN(const double relative, tolerance_option(arguments, "rtol", 0));
  KMUX_ASSIGN(const double absolute, tolerance_option(arguments, "atol", 0));
  KMUX_ASSIGN(const auto recordings, recordings_in(arguments["folder"].as<std::string>()));
  Replay replay(arguments, {relative, absolute});
  for (const Recording& recording : recordings) KMUX_TRY(replay.run(recording));
  return replay.report();
}

void describe_replay(po::options_description& options) {
  describe_selection(options);
  auto add = options.add_options();
  add("rtol", po::value<double>()->value_name("X"), "accept results that differ by this part of what was recorded");
  add("atol", po::value<double>()->value_name("X"), "accept results that differ by this");
}

}  // namespace

const Command kReplayCommand{"replay",
                             "call recorded kernels again, and name the first difference",
                             "replay FOLDER [options]",
                             "  KMUX_RECORD=report KMUX_RECORD_DATA=full ./application\n"
                             "  kmux replay report\n"
                             "  kmux replay report --backend cpu --rtol 1e-3\n",
                             {"folder"},
                             describe_replay,
                             run_replay};

}  // namespace kmux::cli
