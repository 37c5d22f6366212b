// nvJitLink as in CUDA 12.0 to 12.2: only names with a release. Linking concatenates the inputs.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#define KMUX_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int no_text(std::size_t* bytes) {
  *bytes = 0;
  return 0;
}

}  // namespace

KMUX_EXPORT int __nvJitLinkCreate_12_0(std::string** handle, std::uint32_t, const char**) {
  *handle = new std::string("linked:");
  return 0;
}
KMUX_EXPORT int __nvJitLinkDestroy_12_0(std::string** handle) {
  delete *handle;
  *handle = nullptr;
  return 0;
}
KMUX_EXPORT int __nvJitLinkAddData_12_0(std::string* handle, int, const void* data, std::size_t bytes, const char*) {
  handle->append(static_cast<const char*>(data), bytes);
  return 0;
}
KMUX_EXPORT int __nvJitLinkComplete_12_0(std::string*) { return 0; }
KMUX_EXPORT int __nvJitLinkGetLinkedCubinSize_12_0(std::string* handle, std::size_t* bytes) {
  *bytes = handle->size();
  return 0;
}
KMUX_EXPORT int __nvJitLinkGetLinkedCubin_12_0(std::string* handle, void* code) {
  std::memcpy(code, handle->data(), handle->size());
  return 0;
}

KMUX_EXPORT int __nvJitLinkGetErrorLogSize_12_0(std::string*, std::size_t* bytes) { return no_text(bytes); }
KMUX_EXPORT int __nvJitLinkGetErrorLog_12_0(std::string*, char*) { return 0; }
KMUX_EXPORT int __nvJitLinkGetInfoLogSize_12_0(std::string*, std::size_t* bytes) { return no_text(bytes); }
KMUX_EXPORT int __nvJitLinkGetInfoLog_12_0(std::string*, char*) { return 0; }
