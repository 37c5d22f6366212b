// kmux.version, kmux.plugins, kmux.did_you_mean, kmux.used_on: what there is in this process.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/plugin/words.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"
#include "kmux/version.h"

#include "named_values.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

ffi::Array<ffi::String> strings(const std::vector<std::string>& texts) {
  ffi::Array<ffi::String> strings;
  for (const std::string& text : texts) strings.push_back(text);
  return strings;
}

NamedValues description_of(const PluginEntry& entry) {
  const Manifest& manifest = entry.manifest;
  return {{"name", ffi::String(manifest.name)},
          {"path", ffi::String(entry.path.string())},
          {"priority", static_cast<std::int64_t>(manifest.priority)},
          {"dialects", strings(manifest.dialects)},
          {"targets", strings(manifest.targets)},
          {"problem", ffi::String(entry.status ? std::string() : entry.status.error().message)}};
}

ffi::Array<NamedValues> plugins() {
  const auto runtime = value_of(Runtime::default_runtime());
  ffi::Array<NamedValues> descriptions;
  for (const PluginEntry& entry : runtime->registry().entries()) descriptions.push_back(description_of(entry));
  return descriptions;
}

ffi::String hint(const ffi::String& word, const ffi::Array<ffi::String>& known) {
  std::vector<std::string> words;
  for (const ffi::String& each : known) words.emplace_back(each);
  return did_you_mean(std::string(word), words);
}

// A tensor of ours that comes back is known by its address.
void used_on(const ffi::Tensor& tensor, std::int64_t stream) {
  const Tensor ours = value_of(Tensor::from_dlpack(tensor.ToDLPackVersioned()));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how Python has it
  value_of(ours.used_on({reinterpret_cast<void*>(stream)}));
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef()
      .def("kmux.version", [] { return ffi::String(version()); })
      .def("kmux.plugins", plugins)
      .def("kmux.did_you_mean", hint)
      .def("kmux.used_on", used_on);
}

}  // namespace kmux::bridge
