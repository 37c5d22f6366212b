// kmux.kernel_*: the properties and functions of a kernel beside its call.

#include "kernel_function.h"

#include <algorithm>

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/await_options.h"
#include "kmux/dispatch_json.h"
#include "kmux/json.h"
#include "kmux/kernel_attributes.h"
#include "kmux/plugin/word_list.h"

#include "argument.h"
#include "log_delivery.h"
#include "named_values.h"
#include "program_object.h"
#include "python_end.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

// Arguments that lie on the stack; two sizes, so that small calls touch little of it. No kernel takes more.
constexpr std::size_t kSmallCall = 32;
constexpr std::size_t kLargeCall = 4096;

// Not initialised: `read` constructs the used elements.
template <std::size_t kCount>
union Frame {
  Frame() {}
  Arg args[kCount];
};

std::vector<const Param*> params_of(const Signature& signature, bool with_outputs) {
  std::vector<const Param*> params;
  for (const Param& param : signature.params) {
    if (with_outputs || !is_output(signature, param.name)) params.push_back(&param);
  }
  return params;
}

std::vector<std::size_t> floats_among(std::span<const Param* const> params) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const auto* const scalar = std::get_if<ScalarParam>(&params[i]->kind);
    if (scalar != nullptr && is_float(scalar->dtype)) places.push_back(i);
  }
  return places;
}

std::string in_a_row(std::span<const Param* const> params) {
  std::string names;
  for (const Param* param : params) names += (names.empty() ? "" : ", ") + param->name;
  return names.empty() ? "none" : names;
}

ffi::Tensor to_ffi(const Tensor& tensor) { return ffi::Tensor::FromDLPackVersioned(tensor.to_dlpack_versioned()); }

/// Returns memory for outputs from the allocator of TVM-FFI's environment, which frameworks set (torch: its own pool,
/// so that memory is reused in the order of its streams), else from the runtime.
Result<Tensor> environment_memory(std::vector<std::int64_t> shape, DType dtype, const Device& device,
                                  StreamRef stream) {
  if (TVMFFIEnvGetDLPackManagedTensorAllocator() == nullptr) {
    return Tensor::empty(std::move(shape), dtype, device, stream);
  }
  const DLDataType type{dtype.code, dtype.bits, dtype.lanes};
  const ffi::ShapeView extents(shape.data(), shape.size());
  return Tensor::from_dlpack(
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, extents, type, device.dl()).ToDLPackVersioned());
}

const Kernel& kernel_of(const ffi::Function& function) { return KernelFunction::kernel_of(function); }

/// Returns the properties of a kernel that are texts.
ffi::Map<ffi::String, ffi::String> texts_of(const ffi::Function& function) {
  const Kernel& kernel = kernel_of(function);
  return {{"name", kernel.name()},
          {"backend", kernel.backend()},
          {"target", to_string(kernel.target())},
          {"device", kernel.device().to_string()},
          {"tier", kernel.tier()},
          {"signature", to_json(kernel.signature())}};
}

ffi::Map<ffi::String, ffi::Bytes> files_of(const ffi::Function& function) {
  ffi::Map<ffi::String, ffi::Bytes> files;
  for (const File& file : kernel_of(function).files()) files.Set(file.path, ffi::Bytes(file.content));
  return files;
}

/// Returns the sources or the launcher, which may have bytes that are not UTF-8.
ffi::Bytes content_of(const ffi::Function& function, const ffi::String& which) {
  const Kernel& kernel = kernel_of(function);
  return ffi::Bytes(which == "launcher" ? kernel.launcher() : kernel.source());
}

void warm(const ffi::Function& function, const ffi::Optional<std::int64_t>& device) {
  const auto ordinal = device ? std::optional(static_cast<int>(*device)) : std::nullopt;
  value_of(kernel_of(function).warm(ordinal));
}

/// Sets a constant, in the order of the environment's stream on the value's device.
void set_constant(const ffi::Function& function, const ffi::String& name, const ffi::Tensor& value) {
  const DLDevice device = value.GetDLTensorPtr()->device;
  const StreamRef stream{device.device_type == kDLCPU ? nullptr
                                                      : TVMFFIEnvGetStream(device.device_type, device.device_id)};
  const Tensor tensor = value_of(Tensor::from_dlpack(value.ToDLPackVersioned()));
  value_of(kernel_of(function).set_constant(std::string(name), tensor, stream));
}

/// Returns the occupancy of the kernel of that name among `all`; without a name, of the only one.
Result<Occupancy> occupancy_in(const std::vector<KernelAttributes>& all, const std::string& name, std::int64_t threads,
                               std::int64_t dynamic_shared_bytes) {
  std::vector<std::string> names;
  for (const KernelAttributes& one : all) {
    const bool is_it = name.empty() ? all.size() == 1 : one.kernel == name;
    if (is_it) return one.occupancy(threads, dynamic_shared_bytes);
    names.push_back(one.kernel);
  }
  const std::string why = name.empty() ? "which kernel is meant" : "no kernel is called \"" + name + "\"";
  return make_error(ErrorCode::kInvalidArgument,
                    why + " (the program has " + join(names) + "). Give occupancy() one of them as kernel=.");
}

/// Returns as JSON the blocks at once, the part of the threads, and the limiting resource.
ffi::String occupancy_of(const ffi::Function& function, const ffi::String& name, std::int64_t threads,
                         std::int64_t dynamic_shared_bytes) {
  const auto all = value_of(attributes(kernel_of(function)));
  const Occupancy occupancy = value_of(occupancy_in(all, std::string(name), threads, dynamic_shared_bytes));
  return dump(
      Json::Object{{"blocks", std::int64_t{occupancy.blocks}}, {"part", occupancy.part}, {"limit", occupancy.limit}});
}

void raise_for_arguments(const ffi::Function& function, const ffi::String& kind) {
  KernelFunction::raise_for_arguments(function, kind);
}

// kmux.kernel_tune(kernel, again, seconds, arguments...)
void tune_packed(ffi::PackedArgs args, ffi::Any* result) {
  constexpr int kLeading = 3;
  if (args.size() < kLeading)
    throw wrong_type("kmux.kernel_tune takes a kernel, a bool, seconds and the arguments of a call.");
  const auto function = args[0].cast<ffi::Function>();
  const std::span values(reinterpret_cast<const TVMFFIAny*>(args.data()) + kLeading,
                         static_cast<std::size_t>(args.size() - kLeading));
  const TuneOptions how{.again = args[1].cast<bool>(), .time_s = args[2].cast<double>()};
  const Tuning tuning = value_of(tune(function, values, how));
  *result = ffi::Array<ffi::String>{dump(tuning.to_json()), tuning.explain()};
}

}  // namespace

KernelFunction::KernelFunction(Kernel kernel)
    : kernel_(std::move(kernel)),
      device_(kernel_.device().dl()),
      has_pointers_(std::ranges::any_of(kernel_.signature().params, is_pointer)),
      params_(params_of(kernel_.signature(), true)),
      inputs_(params_of(kernel_.signature(), false)) {
  float_params_ = floats_among(params_);
  float_inputs_ = floats_among(inputs_);
  safe_call = call;
  cpp_call = nullptr;  // TVM-FFI's C++ callers then take `safe_call`
}

ffi::Function KernelFunction::make(Kernel kernel) {
  return ffi::detail::ObjectUnsafe::ObjectRefFromObjectPtr<ffi::Function>(
      ffi::make_object<KernelFunction>(std::move(kernel)));
}

const Kernel& KernelFunction::kernel_of(const ffi::Function& function) {
  const ffi::FunctionObj* const object = function.get();
  if (object != nullptr && object->safe_call == call) return static_cast<const KernelFunction*>(object)->kernel_;
  throw wrong_type("this is not a kernel (it is another function). Pass what kmux.compile returned.");
}

std::span<const Param* const> KernelFunction::params_for(std::size_t count) const {
  return count == params_.size() ? params_ : inputs_;
}

std::span<const std::size_t> KernelFunction::floats_for(std::size_t count) const {
  return count == params_.size() ? float_params_ : float_inputs_;
}

[[gnu::cold]] ffi::Error KernelFunction::not_an_argument(const TVMFFIAny& value, std::size_t index,
                                                         std::size_t count) const {
  const auto params = params_for(count);
  const std::string name = index < params.size() ? "\"" + params[index]->name + "\"" : std::to_string(index);
  if (value.type_index == kTVMFFIBigInt) {
    const bool is_rounded = std::ranges::count(floats_for(count), index) != 0;
    const std::string why = is_rounded
                                ? "an integer beyond the largest double (which it is rounded to). Pass a smaller one."
                                : "an integer of more than 64 bits (no type of a kernel has as many). Pass a "
                                  "smaller one, or a float.";
    return raised(
        make_error(ErrorCode::kInvalidArgument, "kernel \"" + kernel_.name() + "\": parameter " + name + " is " + why),
        argument_error_.empty() ? error_kind(ErrorCode::kInvalidArgument) : argument_error_);
  }
  return wrong("kernel \"" + kernel_.name() + "\": parameter " + name + " is " + named_type(value.type_index) +
               " (a kernel takes tensors, numbers, addresses and None). Pass one of these.");
}

[[gnu::cold]] ffi::Error KernelFunction::refused(const Error& error, std::span<const Arg> args) const {
  if (error.code != ErrorCode::kInvalidArgument) return raised(error);
  if (!argument_error_.empty()) return raised(error, argument_error_);
  return raised(error, has_wrong_type(params_for(args.size()), args) ? "TypeError" : error_kind(error.code));
}

[[gnu::cold]] ffi::Error KernelFunction::wrong(std::string message) const {
  return argument_error_.empty() ? wrong_type(std::move(message)) : ffi::Error(argument_error_, std::move(message), "");
}

void KernelFunction::raise_for_arguments(const ffi::Function& function, std::string kind) {
  (void)kernel_of(function);
  const ffi::FunctionObj* const object = function.get();
  static_cast<KernelFunction*>(const_cast<ffi::FunctionObj*>(object))->argument_error_ = std::move(kind);
}

/// Returns the error for a wrong number of arguments. A call may leave out the outputs, which the kernel does not know.
[[gnu::cold]] ffi::Error KernelFunction::wrong_count(std::size_t count) const {
  const bool has_outputs = inputs_.size() != params_.size();
  std::string problem = "expected " + std::to_string(params_.size()) + " arguments";
  if (has_outputs)
    problem = "expected " + std::to_string(inputs_.size()) + " or " + std::to_string(params_.size()) + " arguments";
  const std::string names =
      has_outputs ? in_a_row(inputs_) + "; or, with outputs, " + in_a_row(params_) : in_a_row(params_);
  return wrong("kernel \"" + kernel_.name() + "\": " + problem + ", got " + std::to_string(count) + " (they are " +
               names + "). Pass one of each, in this order.");
}

StreamRef KernelFunction::stream_on(int ordinal) const {
  if (device_.device_type == kDLCPU) return {};
  return {TVMFFIEnvGetStream(device_.device_type, ordinal)};
}

void KernelFunction::round_integers(std::size_t count, Arg* args) const {
  for (const std::size_t place : floats_for(count)) {
    if (place < count && args[place].kind() == Arg::Kind::kInteger) {
      std::construct_at(args + place, static_cast<double>(args[place].integer()));
    } else if (place < count && args[place].kind() == Arg::Kind::kUnsigned) {
      std::construct_at(args + place, static_cast<double>(args[place].bits()));
    }
  }
}

[[gnu::cold]] bool KernelFunction::read_rounded(const TVMFFIAny& value, std::size_t index, std::size_t count,
                                                Arg* place) const {
  return std::ranges::count(floats_for(count), index) != 0 && round_big_integer(value, place);
}

[[gnu::hot]] StreamRef KernelFunction::read(std::span<const TVMFFIAny> values, Arg* args) const {
  int ordinal = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!read_argument(values[i], args + i) && !read_rounded(values[i], i, values.size(), args + i)) [[unlikely]] {
      throw not_an_argument(values[i], i, values.size());
    }
    const bool is_tensor = args[i].kind() == Arg::Kind::kTensor && args[i].tensor() != nullptr;
    if (ordinal < 0 && is_tensor && args[i].tensor()->device.device_type == device_.device_type) {
      ordinal = args[i].tensor()->device.device_id;
    }
  }
  round_integers(values.size(), args);
  if (has_pointers_) [[unlikely]] {
    const auto params = params_for(values.size());
    for (std::size_t i = 0; i < std::min(values.size(), params.size()); ++i) take_address(*params[i], args + i);
  }
  return stream_on(ordinal < 0 ? device_.device_id : ordinal);
}

template <std::size_t kCount, class Use>
[[gnu::always_inline]] inline void KernelFunction::with_frame(std::span<const TVMFFIAny> values, const Use& use) const {
  Frame<kCount> frame;
  const auto taken = values.first(std::min(values.size(), kCount));
  const StreamRef stream = read(taken, frame.args);
  use(std::span<const Arg>(frame.args, taken.size()), stream);
}

template <class Use>
void KernelFunction::with_arguments(std::span<const TVMFFIAny> values, const Use& use) const {
  if (values.size() <= kSmallCall) [[likely]]
    return with_frame<kSmallCall>(values, use);
  with_large_frame(values, use);
}

// Not inlined: its 64 KiB would be part of every call's stack, and a thread may have no more.
template <class Use>
[[gnu::noinline]] void KernelFunction::with_large_frame(std::span<const TVMFFIAny> values, const Use& use) const {
  with_frame<kLargeCall>(values, use);
}

ffi::Any KernelFunction::outputs_of(std::span<const Arg> inputs, StreamRef stream) const {
  const Result<Outputs> outputs = kernel_.call(inputs, stream, environment_memory);
  if (!outputs) throw refused(outputs.error(), inputs);
  if (outputs->size() == 1) return to_ffi((*outputs)[0]);
  ffi::Array<ffi::Tensor> tensors;
  for (const Tensor& tensor : *outputs) tensors.push_back(to_ffi(tensor));
  return tensors;
}

[[gnu::hot]] void KernelFunction::run(std::span<const Arg> args, StreamRef stream, TVMFFIAny* result) const {
  const bool allocates = args.size() == inputs_.size() && inputs_.size() != params_.size();
  if (allocates) {
    *reinterpret_cast<ffi::Any*>(result) = outputs_of(args, stream);
    return;
  }
  if (args.size() != params_.size()) [[unlikely]]
    throw wrong_count(args.size());
  const Status launched = kernel_.launch(args, stream);
  if (!launched) [[unlikely]] {
    throw refused(launched.error(), args);
  }
}

int KernelFunction::call(void* self, const TVMFFIAny* values, std::int32_t count, TVMFFIAny* result) noexcept {
  const ReturnGuard guard;
  TVM_FFI_SAFE_CALL_BEGIN();
  const auto& function = *static_cast<const KernelFunction*>(self);
  function.with_arguments({values, static_cast<std::size_t>(count)},
                          [&](std::span<const Arg> args, StreamRef stream) { function.run(args, stream, result); });
  TVM_FFI_SAFE_CALL_END();
}

Result<Tuning> tune(const ffi::Function& function, std::span<const TVMFFIAny> values, const TuneOptions& options) {
  const Kernel& kernel = KernelFunction::kernel_of(function);
  Result<Tuning> tuning = make_error(ErrorCode::kInternal, "it was not called (an error of kmux). Report it.");
  static_cast<const KernelFunction*>(function.get())->with_arguments(values, [&](std::span<const Arg> args, StreamRef) {
    tuning = kernel.tune(args, options);
  });
  return tuning;
}

constexpr Field<AwaitOptions> kAwaitFields[] = {field<&AwaitOptions::timeout>("timeout")};

void await_best(const ffi::Function& function, const NamedValues& how) {
  AwaitOptions wait{.poll = interruption()};
  set_fields<AwaitOptions>(wait, how, kAwaitFields);
  value_of(kernel_of(function).await_best(wait));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef()
      .def("kmux.kernel_texts", texts_of)
      .def("kmux.kernel_source", [](const ffi::Function& f) { return ffi::String(kernel_of(f).source()); })
      .def("kmux.kernel_launcher", [](const ffi::Function& f) { return ffi::String(kernel_of(f).launcher()); })
      .def("kmux.kernel_is_up_to_date", [](const ffi::Function& f) { return kernel_of(f).is_up_to_date(); })
      .def("kmux.kernel_resolution", [](const ffi::Function& f) { return ResolutionRef(kernel_of(f).resolution()); })
      .def("kmux.kernel_device", [](const ffi::Function& f) { return kernel_of(f).device().dl(); })
      .def("kmux.kernel_files", files_of)
      .def("kmux.kernel_content", content_of)
      .def("kmux.kernel_warm", warm)
      .def("kmux.kernel_await_best", await_best)
      .def("kmux.kernel_occupancy", occupancy_of)
      .def("kmux.kernel_set_constant", set_constant)
      .def("kmux.kernel_raise_for_arguments", raise_for_arguments)
      .def_packed("kmux.kernel_tune", tune_packed);
}

}  // namespace kmux::bridge
