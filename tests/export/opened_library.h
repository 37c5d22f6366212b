#pragma once

#include <span>
#include <string>
#include <vector>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/tvm_ffi_abi.h"

#include "unit/call_table.h"

namespace kmux::test {

/// An exported library, opened as by an application without kmux.
class OpenedLibrary {
 public:
  OpenedLibrary(const std::string& path, const std::string& name)
      : library_(DynamicLibrary::open({path}).value()),
        call_(*library_.function<int(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*)>("__tvm_ffi_" + name)),
        last_error_(*library_.function<const char*()>(name + "_last_error")),
        prepare_(*library_.function<int(int)>(name + "_prepare")),
        close_(*library_.function<void()>(name + "_close")) {}

  /// Calls the library and returns "" or the error message.
  std::string operator()(const std::vector<CallValue>& values) const {
    std::vector<TVMFFIAny> args;
    for (const CallValue& value : values) args.push_back(value.any());
    TVMFFIAny result{kTVMFFIInt, 0, {1}};
    const int code = call_(nullptr, args.data(), static_cast<std::int32_t>(args.size()), &result);
    if (code != 0) return last_error_();
    return result.type_index == kTVMFFINone ? "" : "the result is no None";
  }
  /// Calls the library and returns 0 or -1.
  int call(std::span<const TVMFFIAny> args) const {
    return call_(nullptr, args.data(), static_cast<std::int32_t>(args.size()), nullptr);
  }
  std::string prepare(int device) const { return prepare_(device) == 0 ? "" : last_error_(); }
  const char* last_error() const { return last_error_(); }
  void close() const { close_(); }
  bool has(const std::string& symbol) const { return library_.symbol(symbol).ok(); }

 private:
  DynamicLibrary library_;
  int (*call_)(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*);
  const char* (*last_error_)();
  int (*prepare_)(int);
  void (*close_)();
};

}  // namespace kmux::test
