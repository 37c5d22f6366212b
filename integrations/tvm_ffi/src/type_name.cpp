#include "type_name.h"

#include <array>
#include <string_view>

#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

namespace kmux::bridge {
namespace {

struct Name {
  std::string_view key;   // TVM-FFI's
  std::string_view name;  // with its article
};

// What is small has a key of its own there.
constexpr std::array kNames = {
    Name{"None", "None"},
    Name{"int", "an int"},
    Name{"ffi.BigInt", "an int"},
    Name{"bool", "a bool"},
    Name{"float", "a float"},
    Name{"ffi.SmallStr", "a str"},
    Name{"ffi.String", "a str"},
    Name{"const char*", "a str"},
    Name{"ffi.SmallBytes", "a bytes"},
    Name{"ffi.Bytes", "a bytes"},
    Name{"ffi.Array", "a list"},
    Name{"ffi.List", "a list"},
    Name{"ffi.Map", "a dict"},
    Name{"ffi.Dict", "a dict"},
    Name{"ffi.Shape", "a shape"},
    Name{"ffi.Function", "a function"},
    Name{"ffi.Tensor", "a tensor"},
    Name{"DLTensor*", "a tensor"},
    Name{"DataType", "a dtype"},
    Name{"Device", "a device"},
    Name{"ffi.OpaquePyObject", "an object that TVM-FFI does not know"},
};

}  // namespace

std::string named_type(std::int32_t index) {
  const std::string key = ::tvm::ffi::TypeIndexToTypeKey(index);
  for (const Name& each : kNames) {
    if (each.key == key) return std::string(each.name);
  }
  return "a " + key;
}

}  // namespace kmux::bridge
