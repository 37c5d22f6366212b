#include "kmux/kernel.h"

#include <array>
#include <optional>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "kmux/await_options.h"
#include "kmux/guarded.h"
#include "kmux/plugin/code_state.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/sink.h"
#include "kmux/plugin/word_list.h"

#include "argument_checker.h"
#include "cache/kernel_headers.h"
#include "kernel_impl.h"
#include "output_allocator.h"
#include "plugins/launch_trail.h"
#include "tensor/thread_stream.h"

namespace kmux {
namespace {

// Words of a call that lie on the stack; two sizes, so that small calls touch little of it.
constexpr std::size_t kSmallFrame = 64;
constexpr std::size_t kLargeFrame = 4096;
constexpr std::size_t kSmallCall = 16;  // arguments

std::vector<const Param*> params_of(const Signature& signature, CheckScope scope) {
  std::vector<const Param*> params;
  for (const Param& param : signature.params) {
    if (scope == CheckScope::kAll || !is_output(signature, param.name)) params.push_back(&param);
  }
  return params;
}

}  // namespace

struct Kernel::Impl {
  Impl(KernelParts given, const AcceptedMemory& memory, CheckList all, CheckList inputs, OutputAllocator allocator)
      : parts(std::move(given)),
        adapters(*parts.adapters),
        mark(memory.device.device_type == kDLCPU ? 0 : LaunchTrail::mark_of(parts.name, memory.device.device_type)),
        checker(parts.name, parts.signature, std::move(all), memory),
        device(parts.plugin, parts.device),
        input_checker(parts.name, parts.signature, std::move(inputs), memory),
        outputs(std::move(allocator)),
        workspaces(device),
        constants(parts.name, parts.constants, *parts.adapters),
        input_params(params_of(parts.signature, CheckScope::kInputs)) {}

  Status launch(std::span<const Arg> args, StreamRef stream) const;
  Status launch_large(std::span<const Arg> args, StreamRef stream) const;
  template <std::size_t kWords>
  [[gnu::always_inline]] Status launch_framed(std::span<const Arg> args, StreamRef stream) const {
    const LaunchEntry& entry = adapters.entry();
    std::array<kmux_slot, kWords> frame;  // not initialised: the checks fill what the launcher reads
    int place = checker.memory().device.device_id;
    if (!checker.passes_plainly(args, frame.data())) [[unlikely]] {
      CallDevice chosen(checker.memory());
      const Check* const failed = checker.first_failure(args, frame.data(), chosen);
      if (failed != nullptr) return checker.explain(*failed, args, frame.data());
      place = chosen.ordinal();
    }
    const kmux_launch_env env{sizeof env, place, stream.handle, workspaces.table(), current_lane(), 0};
    std::string text;
    const kmux_code code = entry(frame.data(), env, append_to(text));
    if (sole_stream.may_differ_from(stream.handle)) [[unlikely]] {
      record_uses(args, stream);
    }
    if (code == KMUX_OK) [[likely]] {
      if (mark != 0) launch_trail.note(mark, place, stream.handle);
      return Ok{};
    }
    return launch_error(code, text, args, place);
  }
  Result<Outputs> call(std::span<const Arg> inputs, StreamRef stream, const OutputMemory& memory) const;
  Error launch_error(kmux_code code, std::string_view text, std::span<const Arg> args, int place) const;
  Error count_error(CheckScope scope, std::size_t actual) const;
  const Origin& origin() const { return *adapters.loaded().origin; }

  KernelParts parts;
  const KernelHeaders* headers = parts.headers.get();  // adjacent to the next, as a repeated jit call reads both
  const AdapterSlot& adapters;  // of the parts; adjacent to the checker, since every call reads both
  const LaunchTrail::Mark mark;
  ArgumentChecker checker;
  Device device;
  ArgumentChecker input_checker;
  OutputAllocator outputs;
  WorkspaceAllocator workspaces;
  mutable KernelConstants constants;
  std::vector<const Param*> input_params;
};

[[gnu::hot]] Status Kernel::Impl::launch(std::span<const Arg> args, StreamRef stream) const {
  if (args.size() != checker.param_count()) [[unlikely]] {
    return count_error(CheckScope::kAll, args.size());
  }
  if (checker.frame_size() <= kSmallFrame) [[likely]] {
    return launch_framed<kSmallFrame>(args, stream);
  }
  return launch_large(args, stream);
}

[[gnu::noinline]] Status Kernel::Impl::launch_large(std::span<const Arg> args, StreamRef stream) const {
  return launch_framed<kLargeFrame>(args, stream);
}

[[gnu::cold]] Error Kernel::Impl::launch_error(kmux_code code, std::string_view text, std::span<const Arg> args,
                                               int place) const {
  Error error = read_error(code, text);
  error.message = "kernel \"" + parts.name + "\": " + error.message;
  if (error.code != ErrorCode::kLaunchFailed) return error;
  if (!args.empty()) error.notes.push_back({"arguments", described_arguments(parts.signature, args)});
  return with_launches(std::move(error), device.dl().device_type, place);
}

[[gnu::cold]] Error Kernel::Impl::count_error(CheckScope scope, std::size_t actual) const {
  if (scope == CheckScope::kInputs) return argument_count_error(parts.name, "inputs", input_params, actual);
  return argument_count_error(parts.name, "arguments", params_of(parts.signature, scope), actual);
}

Result<Outputs> Kernel::Impl::call(std::span<const Arg> inputs, StreamRef stream, const OutputMemory& memory) const {
  if (inputs.size() != input_params.size()) return count_error(CheckScope::kInputs, inputs.size());
  boost::container::small_vector<Arg, kSmallCall> args(parts.signature.params.size(), Arg(nullptr));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    args[static_cast<std::size_t>(input_params[i] - parts.signature.params.data())] = inputs[i];
  }
  boost::container::small_vector<kmux_slot, kSmallFrame> frame(input_checker.frame_size(),
                                                               boost::container::default_init);
  KMUX_ASSIGN(const int place, input_checker.check(args, frame.data()));
  std::optional<Device> other;
  const Device& on = place == device.ordinal() ? device : other.emplace(parts.plugin, place);
  KMUX_ASSIGN(std::vector<Tensor> tensors, outputs.allocate(input_checker.values(frame.data()), on, stream, memory));
  for (std::size_t i = 0; i < tensors.size(); ++i) args[outputs.outputs()[i].param] = Arg(tensors[i]);
  KMUX_TRY(launch(args, stream));
  return Outputs(std::move(tensors));
}

Result<Kernel> make_kernel(KernelParts parts) {
  KMUX_ASSIGN(parts.signature.outputs, output_names(parts.signature, parts.out_idx));
  KMUX_ASSIGN(CheckList all, compile_checks(parts.signature));
  KMUX_ASSIGN(CheckList inputs, compile_checks(parts.signature, CheckScope::kInputs));
  const Device device(parts.plugin, parts.device);
  KMUX_ASSIGN(OutputAllocator outputs, OutputAllocator::make(parts.name, parts.signature, inputs));
  KMUX_ASSIGN(const AcceptedMemory memory, accepted_memory(device));
  auto impl =
      Shared<const Kernel::Impl>::make(std::move(parts), memory, std::move(all), std::move(inputs), std::move(outputs));
  if (impl->checker.frame_size() <= kLargeFrame) return Kernel(std::move(impl));
  return make_error(ErrorCode::kInvalidArgument, "kernel \"" + impl->parts.name + "\" has " +
                                                     std::to_string(impl->checker.frame_size()) +
                                                     " parameters and symbols (at most " + std::to_string(kLargeFrame) +
                                                     " can be passed). Pass "
                                                     "arrays of them as tensors.");
}

Result<Tensor> single(const Outputs& outputs) {
  if (outputs.size() == 1) return outputs[0];
  return make_error(ErrorCode::kInvalidArgument, "a call returned " + std::to_string(outputs.size()) +
                                                     " tensors (one was requested). Take them by index.");
}

Result<Outputs> Kernel::call(std::span<const Arg> inputs, StreamRef stream) const {
  return call(inputs, stream, Tensor::empty);
}

Result<Outputs> Kernel::call(std::span<const Arg> inputs, StreamRef stream, const OutputMemory& memory) const {
  return guarded_but_callers([&] { return impl_->call(inputs, stream, memory); });
}

[[gnu::hot]] Status Kernel::launch(std::span<const Arg> all_params, StreamRef stream) const {
  return guarded([&] { return impl_->launch(all_params, stream); });
}

Status Kernel::launch(std::initializer_list<Arg> all_params, StreamRef stream) const {
  return launch(std::span(all_params.begin(), all_params.size()), stream);
}

Status Kernel::warm(std::optional<int> device) const {
  return guarded([&]() -> Status {
    current_lane();
    return impl_->parts.adapters->loaded().adapter->prepare(device.value_or(impl_->device.ordinal()));
  });
}

Status Kernel::set_constant(std::string_view name, const Tensor& value, StreamRef stream,
                            std::optional<int> device) const {
  return guarded([&] {
    const Device on = device ? Device(impl_->parts.plugin, *device) : impl_->device;
    return impl_->constants.set(name, value, stream, on);
  });
}

const std::vector<Constant>& Kernel::constants() const { return impl_->parts.constants; }
const std::string& Kernel::name() const { return impl_->parts.name; }
const std::string& Kernel::backend() const { return impl_->origin().plugin->manifest().name; }
std::size_t Kernel::variant() const { return impl_->origin().index; }
const Target& Kernel::target() const { return impl_->origin().target; }
const Device& Kernel::device() const { return impl_->device; }
const Signature& Kernel::signature() const { return impl_->parts.signature; }
const Resolution& Kernel::resolution() const { return impl_->parts.resolution; }
const std::string& Kernel::launcher() const { return impl_->adapters.loaded().launcher; }

const std::string& Kernel::tier() const { return impl_->adapters.loaded().tier; }
bool Kernel::uses(std::string_view backend) const {
  return impl_->adapters.has_used(backend) || (impl_->parts.tuner != nullptr && impl_->parts.tuner->uses(backend));
}

namespace {

Error stays(const std::string& kernel, const std::string& why) {
  return make_error(ErrorCode::kUnsupported, "kernel \"" + kernel + "\" cannot be tuned (" + why +
                                                 ", and tuning would replace that code). Name a backend.");
}

}  // namespace

Result<Tuning> Kernel::tune(std::initializer_list<Arg> all_params, const TuneOptions& options) const {
  return tune(std::span(all_params.begin(), all_params.size()), options);
}

Result<Tuning> Kernel::tune(std::span<const Arg> all_params, const TuneOptions& options) const {
  const KernelParts& parts = impl_->parts;
  return guarded([&]() -> Result<Tuning> {
    if (parts.tuner != nullptr) return parts.tuner->tune(all_params, options);
    if (!parts.constants.empty()) return stays(parts.name, "its program has constants, which are set in its code");
    const std::vector<std::string> variables = state_of(impl_->adapters.loaded().artifact);
    if (!variables.empty()) return stays(parts.name, "its code keeps values between launches, in " + join(variables));
    return make_error(ErrorCode::kInvalidArgument,
                      "kernel \"" + parts.name + "\" cannot be tuned (policy '" +
                          std::string(to_string(parts.resolution.policy.value_or(Policy::kPriority))) +
                          "' chose it for good). Compile it with policy measured.");
  });
}

Status Kernel::await_best() const { return await_best(AwaitOptions{}); }

Status Kernel::await_best(const AwaitOptions& wait) const {
  return guarded_but_callers([&]() -> Status { return impl_->parts.adapters->await_better(wait); });
}

bool Kernel::has_state() const {
  return !impl_->parts.constants.empty() || keeps_values(impl_->adapters.loaded().artifact);
}

bool Kernel::is_up_to_date() const { return impl_->headers == nullptr || impl_->headers->are_unchanged(); }

std::string Kernel::source() const {
  std::string text;
  for (const File& file : impl_->origin().variant->sources) text += file.content;
  return text;
}

std::vector<File> Kernel::files() const {
  const LoadedArtifact& loaded = impl_->adapters.loaded();
  const Variant& variant = *loaded.origin->variant;
  std::vector<File> files = variant.sources;
  files.insert(files.end(), variant.headers.begin(), variant.headers.end());
  files.push_back({"launcher", loaded.launcher});
  for (const Artifact::Part& part : loaded.artifact.parts) {
    files.push_back({"artifact/" + part.name, part.content});
  }
  return files;
}

}  // namespace kmux
