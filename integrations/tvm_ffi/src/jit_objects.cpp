// kmux.jit_eager, and the methods of kmux.JitEager: a function of tensors and its kernels.
// kmux.jit_builder, and the methods of kmux.JitBuilder: the description of an eager function's tensors.

#include <deque>
#include <map>
#include <mutex>

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/dispatch_json.h"
#include "kmux/jit_builder.h"
#include "kmux/jit_core.h"

#include "argument.h"
#include "kernel_function.h"
#include "log_delivery.h"
#include "named_values.h"
#include "program_object.h"
#include "progress_report.h"
#include "python_end.h"
#include "raised.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

/// Tensors of a call, owned by the caller's language; None is a null tensor.
using GivenTensors = ffi::Array<ffi::Optional<ffi::Tensor>>;

/// Returns the tensors as the runtime's.
std::vector<Tensor> jit_tensors(const GivenTensors& given) {
  std::vector<Tensor> tensors;
  for (const ffi::Optional<ffi::Tensor>& each : given) {
    tensors.push_back(each ? value_of(Tensor::from_dlpack((*each).ToDLPackVersioned())) : Tensor());
  }
  return tensors;
}

/// An eager function whose Python part makes the programs. Threads: any.
class JitEagerObj final : public ffi::Object {
 public:
  explicit JitEagerObj(const JitSettings& settings) : core(JitMode::kEager, settings, settings) {}

  /// Returns the function of a kernel, always the same one.
  ffi::Function function_of(const Kernel& kernel) {
    const std::lock_guard lock(mutex);
    const auto known = functions.find(&kernel.name());
    if (known != functions.end()) return known->second;
    return functions.emplace(&kernel.name(), KernelFunction::make(kernel)).first->second;
  }

  JitCore core;
  std::mutex mutex;
  std::map<const std::string*, ffi::Function> functions;  // by the kernel's identity; each function owns its kernel

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kmux.JitEager", JitEagerObj, ffi::Object);
};

class JitEagerRef final : public ffi::ObjectRef {
 public:
  explicit JitEagerRef(const JitSettings& settings) : ObjectRef(ffi::make_object<JitEagerObj>(settings)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(JitEagerRef, ffi::ObjectRef, JitEagerObj);
};

/// Returns the key of the calls of one configuration with such tensors.
CallForm form_of(std::span<const Arg> tensors, std::string_view configuration) {
  CallForm form;
  form.add(tensors);
  form.add(configuration);
  return form;
}

JitRequest request_of(const ffi::String& configuration, const ProgramRef& program, const GivenTensors& given) {
  JitRequest request{.elaborate = [program]() -> Result<Program> { return program->program; }};
  std::vector<Arg> args;
  for (const ffi::Optional<ffi::Tensor>& each : given) {
    const DLTensor* const tensor = each ? (*each).GetDLTensorPtr() : nullptr;
    args.push_back(tensor == nullptr ? Arg(nullptr) : Arg(tensor));
  }
  request.form = form_of(args, std::string_view(configuration.data(), configuration.size()));
  request.key = std::string(configuration);
  request.tensors = jit_tensors(given);
  request.wait.poll = interruption();
  return request;
}

ffi::Function compile_jit(JitEagerObj* self, const ffi::String& configuration, const ProgramRef& program,
                          const GivenTensors& given) {
  return with_log(
      [&] { return self->function_of(value_of(self->core.compile(request_of(configuration, program, given)))); });
}

/// Compiles several configurations with the same tensors. Returns None for those that are left out.
ffi::Array<ffi::Optional<ffi::Function>> par_compile_jit(JitEagerObj* self,
                                                         const ffi::Array<ffi::String>& configurations,
                                                         const ffi::Array<ProgramRef>& programs,
                                                         const GivenTensors& given, const NamedValues& how,
                                                         const ffi::Optional<ffi::Function>& progress) {
  return with_log([&] {
    ParSettings settings = par_settings(how);
    settings.poll = interruption();
    settings.progress = progress_report(progress);
    std::vector<JitRequest> requests;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      requests.push_back(request_of(configurations[place], programs[place], given));
    }
    const auto kernels = settings.compile([&](const auto& with) { return self->core.par_compile(requests, with); },
                                          [&](const auto& with) { return self->core.try_par_compile(requests, with); });
    ffi::Array<ffi::Optional<ffi::Function>> functions;
    for (const std::optional<Kernel>& kernel : kernels) {
      functions.push_back(kernel ? ffi::Optional<ffi::Function>(self->function_of(*kernel)) : std::nullopt);
    }
    return functions;
  });
}

// kmux.jit_run(jit, configuration, tensors...): returns the result of the call's kernel, or False without a kernel.
void run_jit_packed(ffi::PackedArgs args, ffi::Any* result) {
  constexpr int kLeading = 2;
  if (args.size() < kLeading) throw wrong_type("kmux.jit_run takes a jit function, a configuration and tensors.");
  JitEagerObj* const jit = args[0].cast<JitEagerRef>().operator->();
  const auto configuration = args[1].cast<ffi::String>();
  const ffi::PackedArgs tensors = args.Slice(kLeading);
  std::vector<Arg> read(static_cast<std::size_t>(tensors.size()), Arg(nullptr));
  const auto* const values = reinterpret_cast<const TVMFFIAny*>(tensors.data());
  *result = false;
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (!read_argument(values[i], &read[i]) || read[i].kind() != Arg::Kind::kTensor) return;
  }
  const CallForm form = form_of(read, std::string_view(configuration.data(), configuration.size()));
  const FoundKernel kernel = jit->core.find(form);
  if (!kernel) return;
  *result = nullptr;  // a kernel without outputs leaves it unchanged, and False would make the caller launch again
  jit->function_of(*kernel).CallPacked(tensors, result);
}

/// The builder of one call. Threads: one.
class JitBuilderObj final : public ffi::Object {
 public:
  JitBuilderObj(std::string name, std::vector<Tensor> given)
      : tensors(std::move(given)), builder(std::move(name), tensors) {}

  std::vector<Tensor> tensors;
  JitBuilder builder;
  std::deque<JitConstant> constants;
  std::map<std::string, JitBuffer> buffers;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kmux.JitBuilder", JitBuilderObj, ffi::Object);
};

class JitBuilderRef final : public ffi::ObjectRef {
 public:
  JitBuilderRef(std::string name, std::vector<Tensor> tensors)
      : ObjectRef(ffi::make_object<JitBuilderObj>(std::move(name), std::move(tensors))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(JitBuilderRef, ffi::ObjectRef, JitBuilderObj);
};

JitBuilderRef begin_jit(const ffi::String& name, const GivenTensors& tensors) { return {name, jit_tensors(tensors)}; }

std::int64_t add_constant(JitBuilderObj* self, const ffi::String& name) {
  self->constants.push_back(self->builder.constant(name));
  return static_cast<std::int64_t>(self->constants.size()) - 1;
}

std::int64_t constant_value(JitBuilderObj* self, std::int64_t place) {
  return self->constants.at(static_cast<std::size_t>(place)).value();
}

/// Parses a buffer in the form of a program's document, without a dtype if the tensor determines it.
BufferParam buffer_of(const ffi::String& json) {
  const std::string text = R"({"params":[{"name":"tensor","buffer":)" + std::string(json) + "}]}";
  return std::get<BufferParam>(value_of(signature_from_json(text)).params.front().kind);
}

void add_symbol(JitBuilderObj* self, const ffi::String& name, const ffi::String& dtype) {
  self->builder.symbol(name, value_of(parse_dtype(std::string(dtype))));
}

/// Declares a tensor and returns its dtype. `kind` must be "input", "inout", "buffer" or "empty".
ffi::String declare_tensor(JitBuilderObj* self, const ffi::String& kind, const ffi::String& name, bool has_dtype,
                           const ffi::String& json) {
  BufferParam buffer = buffer_of(json);
  JitBuilder& builder = self->builder;
  const JitBuffer made = [&] {
    if (kind == "empty") return builder.empty(name, buffer.dtype, std::move(buffer.shape));
    if (kind == "buffer") return builder.buffer(name, std::move(buffer));
    if (kind == "inout") return builder.inout(name, std::move(buffer.shape));
    if (has_dtype) return builder.input(name, buffer.dtype, std::move(buffer.shape));
    return builder.input(name, std::move(buffer.shape));
  }();
  self->buffers.insert_or_assign(made.name(), made);
  return to_string(made.dtype());
}

/// Returns the signature of a call that returns `outputs`, as JSON. Adds a placeholder variant, as variants are made
/// elsewhere.
ffi::String finish_signature(JitBuilderObj* self, const ffi::Array<ffi::String>& outputs) {
  JitBuilder& builder = self->builder;
  builder.variant("c").source("none.c", "\n");
  builder.launch("none_yet");
  std::vector<JitBuffer> returned;
  for (const ffi::String& name : outputs) returned.push_back(self->buffers.at(name));
  return to_json(value_of(builder.build(JitOutputs(returned))).signature);
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<JitEagerObj>(refl::init(false)).def("_compile", compile_jit).def("_par_compile", par_compile_jit);
  refl::GlobalDef()
      .def("kmux.jit_eager", [](const NamedValues& options) { return JitEagerRef(jit_settings(options)); })
      .def_packed("kmux.jit_run", run_jit_packed);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<JitBuilderObj>(refl::init(false))
      .def("_constant", guarded_method(add_constant))
      .def("_value", guarded_method(constant_value))
      .def("_symbol", guarded_method(add_symbol))
      .def("_declare", guarded_method(declare_tensor))
      .def("_finish", guarded_method(finish_signature));
  refl::GlobalDef().def("kmux.jit_builder", begin_jit);
}

}  // namespace kmux::bridge
