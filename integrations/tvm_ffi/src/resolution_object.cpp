// kmux.resolve, and what can be asked of a kmux.Resolution.
#include "resolution_object.h"

#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/compile.h"

#include "log_delivery.h"
#include "options.h"
#include "program_object.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

ResolutionRef resolve_program(const ProgramRef& program, const NamedValues& options) {
  return with_log([&] { return ResolutionRef(value_of(resolve(program->program, resolve_request(options)))); });
}

ffi::String backend_of(const ResolutionObj* self) { return value_of(require(self->resolution)).backend; }

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ResolutionObj>(refl::init(false))
      .def("_backend", backend_of)
      .def("_explain", [](const ResolutionObj* self) { return ffi::String(self->resolution.explain()); })
      .def("_explain_fully", [](const ResolutionObj* self) { return ffi::String(self->resolution.explain_fully()); })
      .def("_json", [](const ResolutionObj* self) { return ffi::String(dump(self->resolution.to_json())); });
  refl::GlobalDef().def("kmux.resolve", resolve_program);
}

}  // namespace kmux::bridge
