#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kmux/bench/comparison.h"
#include "kmux/compile.h"
#include "kmux/log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"
#include "kmux/program.h"
#include "kmux/runtime.h"

#include "command.h"
#include "options.h"
#include "recorded_options.h"
#include "recording.h"
#include "style.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

/// A recorded kernel, compiled here.
struct Replayed {
  Program program;
  Kernel kernel;
  std::string origin;  // "nvrtc for cuda:sm_90a"
  bool is_same_backend = false;
};

/// Applies the recorded options. Only for the recorded backend: options are backend-specific.
void take_recorded(const Json& how, const fs::path& folder, CompileOptions& options) {
  const RecordedOptions recorded = recorded_options(how);
  recorded.add_to(options);
  if (recorded.ignored.empty()) return;
  log(LogLevel::kWarning,
      "\"" + folder.string() + "\": " + joined(recorded.ignored, ", ") +
          " ignored (a recording chooses no program and no folder of this machine). If the kernel needs " +
          "them, give them with --option, --include and --flag.");
}

Result<Replayed> compile_recorded(const Recording& recording, const std::string& name,
                                  const po::variables_map& arguments) {
  KMUX_ASSIGN(const Json how, recording.kernel(name));
  const fs::path folder = recording.folder() / "kernels" / name;
  KMUX_ASSIGN(Program program, load_program((folder / "program.kmux.json").string()));
  KMUX_ASSIGN(const std::string backend, recorded_text(how, "backend", folder));
  KMUX_ASSIGN(const std::string target, recorded_text(how, "target", folder));
  const std::string origin = backend + " for " + target;
  KMUX_ASSIGN(CompileOptions options, compile_options(arguments));
  const bool is_elsewhere = arguments.count("backend") != 0 || arguments.count("target") != 0;
  if (!is_elsewhere) {
    options.execution_backend = backend;
    options.target = target;
    take_recorded(how, folder, options);
  }
  KMUX_ASSIGN(const std::vector<std::int64_t> outputs, recorded_numbers(how, "out_idx", folder));
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

/// Sets the constants to their values at the call. Unrecorded bytes are zeros, as for tensors, unless the source
/// initializes the constant. Returns true if all bytes were recorded.
Result<bool> set_recorded_constants(const Recording& recording, const Json& call, const Replayed& replayed) {
  bool has_data = true;
  const Json* const recorded = call.find("constants");
  for (const Constant& constant : replayed.program.constants) {
    std::optional<std::string> kept;
    if (recorded != nullptr && recorded->find(constant.name) != nullptr) {
      KMUX_ASSIGN(const std::string digest, recorded_text(*recorded, constant.name, recording.folder()));
      KMUX_ASSIGN(kept, recording.data(digest));
    }
    has_data = has_data && kept.has_value();
    if (!kept && constant.initialised) continue;
    const auto size = static_cast<std::size_t>(packed_bytes(constant.dtype, element_span(constant.shape, {})));
    KMUX_TRY(check_memory(recording, size, "its constants"));
    if (!kept) kept = std::string(size, '\0');
    if (kept->size() != size)
      return not_a_recording(recording.folder(), "constant \"" + constant.name + "\" has another size");
    KMUX_TRY(replayed.kernel.set_constant(constant.name, Tensor::borrow(kept->data(), constant.shape, constant.dtype)));
  }
  return has_data;
}

/// Returns the difference between a buffer and its recorded content; nothing if equal.
Result<std::optional<std::string>> difference_of(const Recording& recording, const RecordedBuffer& buffer,
                                                 const std::string& digest, bench::Tolerance tolerance) {
  KMUX_ASSIGN(const Tensor now, buffer.memory.to(Device{}));
  const std::size_t bytes = buffer.bytes();
  if (sha256_hex({now.data_as<const char>(), bytes}) == digest) return std::optional<std::string>();
  KMUX_ASSIGN(std::optional<std::string> then, recording.data(digest));
  if (!then || then->size() != bytes) return std::optional("\"" + buffer.name + "\" has other bytes");
  const Tensor expected = Tensor::borrow(then->data(), buffer.extents(), buffer.dtype);
  KMUX_ASSIGN(const bench::Comparison compared, bench::compare(now, expected, tolerance));
  if (compared.ok()) return std::optional<std::string>();
  return std::optional("\"" + buffer.name + "\": " + compared.text());
}

/// Replays recordings up to the first difference.
class Replay {
 public:
  Replay(const po::variables_map& arguments, bench::Tolerance tolerance)
      : arguments_(arguments), tolerance_(tolerance) {}

  Status run(const Recording& recording) {
    KMUX_ASSIGN(const std::vector<Json> recorded, recording.calls());
    kernels_.clear();
    for (const Json& call : recorded) {
      if (difference_) return Ok{};
      KMUX_ASSIGN(const std::string name, recorded_text(call, "kernel", recording.folder()));
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
    KMUX_ASSIGN(RecordedCall call,
                make_recorded_call(recording, recorded, replayed.program.signature, replayed.kernel.device()));
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
    for (const RecordedBuffer& buffer : call.buffers) {
      if (after->find(buffer.name) == nullptr) continue;
      KMUX_ASSIGN(const std::string digest, recorded_text(*after, buffer.name, recording.folder()));
      KMUX_ASSIGN(std::optional<std::string> found,
                  difference_of(recording, buffer, digest, tolerance(buffer, replayed)));
      if (found) return found;
    }
    return std::optional<std::string>();
  }

  /// Returns the given tolerance; by default results of the recorded backend must be bit-identical.
  bench::Tolerance tolerance(const RecordedBuffer& buffer, const Replayed& replayed) const {
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

/// Returns the recording in the folder itself, and one for each process in its subfolders.
Result<std::vector<Recording>> recordings_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  if (is_there(folder / "calls.jsonl")) found.push_back(folder);
  if (!fs::is_directory(folder, failure))
    return not_a_recording(folder, failure ? failure.message() : "it is not a folder");
  for (const fs::path& entry : entries_in(folder))
    if (is_there(entry / "calls.jsonl")) found.push_back(entry);
  if (found.empty()) return not_a_recording(folder, "it has no calls.jsonl");
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
