#include "recorder.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"
#include "kmux/plugin/signal_blocked.h"
#include "kmux/plugin/sink.h"
#include "kmux/program.h"
#include "kmux/signature.h"
#include "kmux/version.h"

#include "cache/disk/cache_folder.h"
#include "cache/disk/file_descriptor.h"
#include "resolve/measurement.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

std::string hex(std::uint64_t bits) {
  char digits[2 * sizeof bits + 3];
  return {digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "0x%016" PRIx64, bits))};
}

constexpr std::int64_t kFormat = 2;  // 1 had no `before` of outputs, and no `memory`

/// Returns the bytes of a buffer from its first element to its last; nothing if strides are negative.
std::optional<std::uint64_t> bytes_of(const SampleTensor& tensor) {
  if (std::ranges::any_of(tensor.strides, [](std::int64_t stride) { return stride < 0; })) return std::nullopt;
  return static_cast<std::uint64_t>(packed_bytes(tensor.dtype, element_span(tensor.shape, tensor.strides)));
}

/// The place of a buffer among overlapping buffers of a call: a block of memory, and the offset in bytes from its
/// begin.
struct BlockPlace {
  std::int64_t block = 0;
  std::uint64_t offset = 0;
};

/// Returns the places of the buffers of a call that share bytes with another, by parameter. A block begins at an
/// address aligned like an allocation, so that replay preserves alignments.
std::map<std::size_t, BlockPlace> shared_places(const CallSample& sample, const kmux_slot* slots) {
  constexpr std::uint64_t kAlignment = 256;
  struct Range {
    std::uint64_t begin, end;
    std::size_t param;
  };
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto* const tensor = std::get_if<SampleTensor>(&sample[i]);
    const std::uint64_t bytes = tensor == nullptr ? 0 : bytes_of(*tensor).value_or(0);
    const auto begin = reinterpret_cast<std::uintptr_t>(slots[i].ptr);
    if (bytes != 0) ranges.push_back({begin, begin + bytes, i});
  }
  std::ranges::sort(ranges, {}, &Range::begin);
  std::map<std::size_t, BlockPlace> places;
  std::int64_t block = 0;
  for (std::size_t first = 0, last = 0; first < ranges.size(); first = last, ++block) {
    std::uint64_t end = ranges[first].end;
    for (last = first + 1; last < ranges.size() && ranges[last].begin < end; ++last)
      end = std::max(end, ranges[last].end);
    const std::uint64_t begin = ranges[first].begin / kAlignment * kAlignment;
    for (std::size_t i = first; i < last && last - first > 1; ++i)
      places[ranges[i].param] = {block, ranges[i].begin - begin};
  }
  return places;
}

/// The calls of one kernel.
class RecordedKernel final : public Interceptor {
 public:
  RecordedKernel(std::shared_ptr<Recorder> recorder, std::string name, std::shared_ptr<const Program> program,
                 Shared<Plugin> plugin, const AdapterSlot& slot)
      : recorder_(std::move(recorder)),
        name_(std::move(name)),
        program_(std::move(program)),
        plugin_(std::move(plugin)),
        slot_(slot) {}

  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    CallSample sample;
    std::optional<Json> call;
    or_warn([&] {
      sample = sample_of(program_->signature, slots).value();
      call = begin(sample, slots, env);
    });
    std::string text;
    const kmux_code code = next()(slots, env, append_to(text));
    or_warn([&] {
      if (call) end(*std::move(call), sample, slots, env, code, text);
    });
    if (code != KMUX_OK) error.write(error.self, text.data(), text.size());
    return code;
  }

 private:
  template <class Action>
  void or_warn(Action action) noexcept {
    try {
      action();
    } catch (const std::exception& thrown) {
      log(LogLevel::kWarning, "a call of \"" + name_ + "\" was not recorded (" + thrown.what() + ").");
    }
  }

  Json begin(const CallSample& sample, const kmux_slot* slots, const kmux_launch_env& env) const {
    Json::Array args;
    for (std::size_t i = 0; i < sample.size(); ++i) args.push_back(argument(i, sample, slots, env));
    for (const auto& [param, place] : shared_places(sample, slots)) {
      args[param]["memory"] = Json::Object{{"block", place.block}, {"offset", static_cast<std::int64_t>(place.offset)}};
    }
    Json call = Json::Object{{"kernel", name_},
                             {"device", env.device},
                             {"stream", static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(env.stream))},
                             {"args", std::move(args)}};
    if (!program_->constants.empty()) call["constants"] = constants(env);
    return call;
  }

  // Returns the values of the constants at the call, however they were set.
  Json constants(const kmux_launch_env& env) const {
    Json values = Json::Object{};
    for (const Constant& constant : program_->constants) {
      const ConstantPlace place = slot_.loaded().adapter->constant(env.device, constant.name).value();
      if (const auto digest = bytes_at(place.address, place.bytes, env)) values[constant.name] = *digest;
    }
    return values;
  }

  Json argument(std::size_t index, const CallSample& sample, const kmux_slot* slots, const kmux_launch_env& env) const {
    const std::string& name = program_->signature.params[index].name;
    const auto* const tensor = std::get_if<SampleTensor>(&sample[index]);
    if (tensor == nullptr) return Json::Object{{"name", name}, {"bits", hex(slots[index].bits)}};
    Json arg = Json::Object{{"name", name}, {"shape", json_list(tensor->shape)}};
    if (!tensor->strides.empty()) arg["strides"] = json_list(tensor->strides);
    // Outputs are recorded, too: a kernel may leave a part of one unchanged.
    if (const auto digest = content(*tensor, slots[index].ptr, env)) arg["before"] = *digest;
    return arg;
  }

  void end(Json call, const CallSample& sample, const kmux_slot* slots, const kmux_launch_env& env, kmux_code code,
           const std::string& text) const {
    if (code != KMUX_OK) call["error"] = Json::Object{{"code", code}, {"text", text}};
    if (code == KMUX_OK) call["after"] = results(sample, slots, env);
    recorder_->write(std::move(call));
  }

  Json results(const CallSample& sample, const kmux_slot* slots, const kmux_launch_env& env) const {
    Json after = Json::Object{};
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const auto* const tensor = std::get_if<SampleTensor>(&sample[i]);
      if (tensor == nullptr) continue;
      if (const auto digest = content(*tensor, slots[i].ptr, env)) after[program_->signature.params[i].name] = *digest;
    }
    return after;
  }

  // Returns the digest of a tensor's memory, or nothing if it extends before the first element.
  std::optional<std::string> content(const SampleTensor& tensor, void* address, const kmux_launch_env& env) const {
    const std::optional<std::uint64_t> bytes = bytes_of(tensor);
    return bytes ? bytes_at(address, *bytes, env) : std::nullopt;
  }

  // Returns the digest of device memory, or nothing during a capture, when the host cannot wait for the stream.
  std::optional<std::string> bytes_at(void* address, std::uint64_t count, const kmux_launch_env& env) const {
    DeviceApi& devices = plugin_->backend().devices();
    if (devices.stream_capture(env.device, env.stream).value() != 0) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(count), '\0');
    devices.copy(env.device, env.stream, bytes.data(), address, bytes.size(), KMUX_COPY_DEVICE_TO_HOST).value();
    devices.stream_synchronize(env.device, env.stream).value();
    return recorder_->keep(bytes).value();
  }

  const std::shared_ptr<Recorder> recorder_;
  const std::string name_;
  const std::shared_ptr<const Program> program_;
  const Shared<Plugin> plugin_;
  const AdapterSlot& slot_;
};

/// Returns `name` with only those characters that are safe in the name of a folder.
std::string folder_name(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9'); }, '_');
  return name.substr(0, 60);
}

/// Makes a folder that only this user can access. Returns 0 or errno, for example EEXIST, also for a link, wherever
/// that leads.
int make_own_folder(const fs::path& path) { return ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno; }

/// Returns false if it cannot be written.
bool append_line(const fs::path& path, std::string line) {
  const SignalBlocked blocked(SIGXFSZ);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return false;
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

/// Returns a description of how a kernel was compiled.
Json description(const CompileOptions& options, const BuildResult& built, const Plugin& plugin, Json device) {
  Json given = Json::Object{};
  for (const auto& [name, value] : options.options) given[name] = value;
  return Json::Object{{"format", kFormat},
                      {"kmux", version()},
                      {"backend", built.backend},
                      {"backend_version", plugin.manifest().version},
                      {"target", to_string(built.target)},
                      {"variant", static_cast<std::int64_t>(built.variant)},
                      {"tier", built.tier},
                      {"device", std::move(device)},
                      {"options", std::move(given)},
                      {"compile_flags", json_list(options.compile_flags)},
                      {"include_dirs", json_list(options.include_dirs)},
                      {"out_idx", json_list(options.out_idx)}};
}

}  // namespace

void Recorder::watch(const std::shared_ptr<Recorder>& recorder, const std::shared_ptr<const Program>& program,
                     const CompileOptions& options, const BuildResult& built, AdapterSlot& slot) {
  const auto refuse = [&](const std::string& reason) {
    log(LogLevel::kWarning, "calls of \"" + program->name + "\" are not recorded" + reason);
  };
  if (std::ranges::any_of(program->signature.params, is_pointer)) {
    return refuse(" (it takes an address without a size).");
  }
  const std::lock_guard lock(recorder->mutex_);
  const Result<std::string> name = recorder->add_kernel(*program, options, built, slot);
  if (!name) return refuse(": " + name.error().message);
  slot.intercept(std::make_shared<RecordedKernel>(recorder, *name, program, slot.loaded().origin->plugin, slot));
}

// A folder that others may write to can contain links, so nothing is written there. Every folder below is made here,
// for this user alone, so its files need no separate check.
Status Recorder::open() {
  if (is_open_) return Ok{};
  KMUX_TRY(make_private_folder(folder_));
  const fs::path base = folder_ / ("process-" + std::to_string(getpid()));
  fs::path own = base;
  int error = make_own_folder(own);
  for (int n = 2; error == EEXIST; ++n) error = make_own_folder(own = base.string() + "-" + std::to_string(n));
  if (error == 0) error = make_own_folder(own / "kernels");
  if (error == 0) error = make_own_folder(own / "data");
  if (error != 0) {
    return make_error(ErrorCode::kUnavailable, "folder \"" + own.string() + "\" cannot be made (" + errno_text(error) +
                                                   "). Name another one in KMUX_RECORD.");
  }
  folder_ = own;
  is_open_ = true;
  return Ok{};
}

Result<std::string> Recorder::add_kernel(const Program& program, const CompileOptions& options,
                                         const BuildResult& built, const AdapterSlot& slot) {
  KMUX_TRY(open());
  const Plugin& plugin = *slot.loaded().origin->plugin;
  const std::string name = std::to_string(++kernels_) + "-" + folder_name(program.name);
  const fs::path folder = folder_ / "kernels" / name;
  make_own_folder(folder);  // a failure shows in the write, with the reason
  KMUX_TRY(save_program(program, (folder / "program.kmux.json").string()));
  KMUX_ASSIGN(Json device, plugin.backend().devices().properties(options.device.value_or(0)));
  const Json how = description(options, built, plugin, std::move(device));
  KMUX_TRY(write_file(folder / "kernel.json", dump(how, 2) + "\n"));
  return name;
}

void Recorder::write(Json call) {
  const std::lock_guard lock(mutex_);
  call["call"] = static_cast<std::int64_t>(++calls_);
  if (!append_line(folder_ / "calls.jsonl", dump(call)))
    log(LogLevel::kWarning,
        "a call cannot be recorded in \"" + folder_.string() + "\". Name another folder in KMUX_RECORD.");
}

Result<std::string> Recorder::keep(std::string_view bytes) {
  std::string digest = sha256_hex(bytes);
  const fs::path file = folder_ / "data" / digest;
  if (keeps_data_ && !is_there(file)) KMUX_TRY(write_file(file, bytes));
  return digest;
}

}  // namespace kmux
