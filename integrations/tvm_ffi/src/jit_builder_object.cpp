// kmux.jit_builder, and what can be done with a kmux.JitBuilder: the tensors of an eager function, described.
#include <deque>
#include <map>

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/dispatch_json.h"
#include "kmux/jit_builder.h"

#include "jit_tensors.h"
#include "raised.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

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

std::int64_t value_of_constant(JitBuilderObj* self, std::int64_t place) {
  return self->constants.at(static_cast<std::size_t>(place)).value();
}

/// A buffer as a program's document has it, without its dtype where that is the tensor's.
BufferParam buffer_of(const ffi::String& json) {
  const std::string text = R"({"params":[{"name":"tensor","buffer":)" + std::string(json) + "}]}";
  return std::get<BufferParam>(value_of(signature_from_json(text)).params.front().kind);
}

/// `kind` is "input", "inout", "buffer" or "empty". Returns its dtype.
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

/// The signature of a call that returns `outputs`, as JSON; its variants are made elsewhere, so there is one for show.
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
  refl::ObjectDef<JitBuilderObj>(refl::init(false))
      .def("_constant", add_constant)
      .def("_value", value_of_constant)
      .def("_symbol",
           [](JitBuilderObj* self, const ffi::String& name, const ffi::String& dtype) {
             self->builder.symbol(name, value_of(parse_dtype(std::string(dtype))));
           })
      .def("_declare", declare_tensor)
      .def("_finish", finish_signature);
  refl::GlobalDef().def("kmux.jit_builder", begin_jit);
}

}  // namespace kmux::bridge
