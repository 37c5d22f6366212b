// kmux.kernel_*: what can be asked of a kernel, and done with it, beside calling it.
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/dispatch_json.h"

#include "kernel_function.h"
#include "named_values.h"
#include "resolution_object.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

const Kernel& kernel_of(const ffi::Function& function) { return KernelFunction::kernel_of(function); }

/// Everything that is a text.
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

void warm(const ffi::Function& function, const ffi::Optional<std::int64_t>& device) {
  const auto ordinal = device ? std::optional(static_cast<int>(*device)) : std::nullopt;
  value_of(kernel_of(function).warm(ordinal));
}

void raise_for_arguments(const ffi::Function& function, const ffi::String& kind) {
  KernelFunction::raise_for_arguments(function, kind);
}

// kmux.kernel_tune(kernel, again, arguments...)
void tune_packed(ffi::PackedArgs args, ffi::Any* result) {
  constexpr int kLeading = 2;
  if (args.size() < kLeading) throw wrong_type("kmux.kernel_tune takes a kernel, a bool and the arguments of a call.");
  const auto function = args[0].cast<ffi::Function>();
  const std::span values(reinterpret_cast<const TVMFFIAny*>(args.data()) + kLeading,
                         static_cast<std::size_t>(args.size() - kLeading));
  const Tuning tuning = value_of(tune(function, values, {.again = args[1].cast<bool>()}));
  *result = ffi::Array<ffi::String>{dump(tuning.to_json()), tuning.explain()};
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef()
      .def("kmux.kernel_texts", texts_of)
      .def("kmux.kernel_source", [](const ffi::Function& f) { return ffi::String(kernel_of(f).source()); })
      .def("kmux.kernel_launcher", [](const ffi::Function& f) { return ffi::String(kernel_of(f).launcher()); })
      .def("kmux.kernel_is_up_to_date", [](const ffi::Function& f) { return kernel_of(f).is_up_to_date(); })
      .def("kmux.kernel_resolution", [](const ffi::Function& f) { return ResolutionRef(kernel_of(f).resolution()); })
      .def("kmux.kernel_device", [](const ffi::Function& f) { return kernel_of(f).device().dl(); })
      .def("kmux.kernel_files", files_of)
      .def("kmux.kernel_warm", warm)
      .def("kmux.kernel_await_best", [](const ffi::Function& f) { value_of(kernel_of(f).await_best()); })
      .def("kmux.kernel_raise_for_arguments", raise_for_arguments)
      .def_packed("kmux.kernel_tune", tune_packed);
}

}  // namespace kmux::bridge
