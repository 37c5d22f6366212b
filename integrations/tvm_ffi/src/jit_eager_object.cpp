// kmux.jit_eager, and what can be done with a kmux.JitEager: a function of tensors and its kernels.
#include <map>
#include <mutex>

#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/jit_core.h"

#include "argument.h"
#include "jit_tensors.h"
#include "kernel_function.h"
#include "log_delivery.h"
#include "options.h"
#include "program_object.h"

namespace kmux::bridge {

std::vector<Tensor> jit_tensors(const GivenTensors& given) {
  std::vector<Tensor> tensors;
  for (const ffi::Optional<ffi::Tensor>& each : given) {
    tensors.push_back(each ? value_of(Tensor::from_dlpack((*each).ToDLPackVersioned())) : Tensor());
  }
  return tensors;
}

namespace {

namespace refl = ffi::reflection;

/// An eager function whose Python part makes the programs. Threads: any.
class JitEagerObj final : public ffi::Object {
 public:
  explicit JitEagerObj(JitOptions options) : core(JitMode::kEager, std::move(options)) {}

  /// The function of a kernel, always the same.
  ffi::Function function_of(const Kernel& kernel) {
    const std::lock_guard lock(mutex);
    const auto known = functions.find(&kernel.name());
    if (known != functions.end()) return known->second;
    return functions.emplace(&kernel.name(), KernelFunction::make(kernel)).first->second;
  }

  JitCore core;
  std::mutex mutex;
  std::map<const std::string*, ffi::Function> functions;  // by what tells kernels apart; each keeps its own

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kmux.JitEager", JitEagerObj, ffi::Object);
};

class JitEagerRef final : public ffi::ObjectRef {
 public:
  explicit JitEagerRef(JitOptions options) : ObjectRef(ffi::make_object<JitEagerObj>(std::move(options))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(JitEagerRef, ffi::ObjectRef, JitEagerObj);
};

/// What the calls of one configuration with such tensors are known by.
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

/// Of several configurations with the same tensors; None for what is left out.
ffi::Array<ffi::Optional<ffi::Function>> par_compile_jit(JitEagerObj* self,
                                                         const ffi::Array<ffi::String>& configurations,
                                                         const ffi::Array<ProgramRef>& programs,
                                                         const GivenTensors& given, const NamedValues& how) {
  return with_log([&] {
    ParCompileOptions par_options = par_compile_options(how);
    par_options.poll = interruption();
    std::vector<JitRequest> requests;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      requests.push_back(request_of(configurations[place], programs[place], given));
    }
    ffi::Array<ffi::Optional<ffi::Function>> functions;
    for (const std::optional<Kernel>& kernel : value_of(self->core.par_compile(requests, par_options))) {
      functions.push_back(kernel ? ffi::Optional<ffi::Function>(self->function_of(*kernel)) : std::nullopt);
    }
    return functions;
  });
}

// kmux.jit_run(jit, configuration, tensors...): what the kernel of such a call returns, or False if there is none yet.
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
  if (const FoundKernel kernel = jit->core.find(form)) jit->function_of(*kernel).CallPacked(tensors, result);
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<JitEagerObj>(refl::init(false)).def("_compile", compile_jit).def("_par_compile", par_compile_jit);
  refl::GlobalDef()
      .def("kmux.jit_eager", [](const NamedValues& options) { return JitEagerRef(jit_options(options)); })
      .def_packed("kmux.jit_run", run_jit_packed);
}

}  // namespace kmux::bridge
