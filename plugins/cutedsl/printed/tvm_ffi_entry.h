#pragma once

// The functions that a launcher exports to TVM-FFI: its code is read from a file that the caller names. The launch
// layer, the entry points, the checks of the arguments, and the names of the code's kernels precede this text.
#include <stdint.h>
#include <string.h>

#include "printed/cubin_modules.h"
#include "printed/entry_points.h"

namespace kmux::cutedsl {

// The representations of text and bytes. Source: TVM-FFI's documentation of its ABI, "Type Index" and "Small String".
enum TextType : int32_t { kRawStr = 8, kByteArrayPtr = 9, kSmallStr = 11, kSmallBytes = 12, kStr = 65, kBytes = 66 };

struct ByteArray {
  const char* data;
  size_t size;
};

/// A path that was passed as text or as bytes, which need not end in a zero.
class PathArgument {
 public:
  /// Returns false if `arg` is neither text nor bytes, or is not a valid path.
  bool read(const TVMFFIAny& arg) {
    const bool is_small = arg.type_index == kSmallStr || arg.type_index == kSmallBytes;
    if (!is_small && arg.v_ptr == nullptr) return false;
    switch (arg.type_index) {
      case kRawStr:
        return take(static_cast<const char*>(arg.v_ptr), strlen(static_cast<const char*>(arg.v_ptr)));
      case kByteArrayPtr:
        return take(*static_cast<const ByteArray*>(arg.v_ptr));
      case kSmallStr:
      case kSmallBytes:
        return take(reinterpret_cast<const char*>(&arg.v_int64), arg.zero_padding);
      case kStr:
      case kBytes:  // an object is followed by its text
        return take(*reinterpret_cast<const ByteArray*>(static_cast<const TVMFFIObject*>(arg.v_ptr) + 1));
      default:
        return false;
    }
  }
  const char* text() const { return text_; }

 private:
  bool take(const ByteArray& bytes) { return take(bytes.data, bytes.size); }
  bool take(const char* data, size_t size) {
    if (size == 0 || size >= sizeof text_ || memchr(data, '\0', size) != nullptr) return false;
    memcpy(text_, data, size);
    text_[size] = '\0';
    return true;
  }
  char text_[4096];
};

// `get_last_error` already holds the message: the only channel in a process without libtvm_ffi.
inline int raise(int code) {
  if (TVMFFIErrorSetRaisedFromCStr != nullptr) {
    const char* const kind = code == KMUX_INVALID_ARGUMENT ? "ValueError" : "RuntimeError";
    TVMFFIErrorSetRaisedFromCStr(kind, nvidia::standalone_thread.error.text());
  }
  return -1;
}

inline int succeed(TVMFFIAny* result) {
  memset(result, 0, sizeof *result);
  result->type_index = kTVMFFIInt;
  return 0;
}

static CubinModules modules(nvidia::program_facts, kmux_kernel_functions);

/// The three arguments after the signature's.
struct Launch {
  PathArgument path;
  void* stream;
  int64_t device;

  int read(const TVMFFIAny* args, kmux_sink error) {
    uint64_t stream_bits = 0;
    if (!read_pointer(args[0], stream_bits)) return refuse(error, "stream", "a handle of a stream, as an integer");
    stream = reinterpret_cast<void*>(stream_bits);
    device = args[1].v_int64;
    if (args[1].type_index != kTVMFFIInt) return refuse(error, "device_id", "the ordinal of a device");
    if (device < 0 || device > kLastDevice) return refuse_device(error);
    return path.read(args[2]) ? KMUX_OK : refuse(error, "cubin_path", "the path of a file, as bytes or text");
  }

 private:
  static constexpr int64_t kLastDevice = nvidia::PersistingLines::kMaxDevices - 1;

  int refuse_device(kmux_sink error) const {
    return nvidia::fail(error, KMUX_INVALID_ARGUMENT,
                        "argument \"device_id\" is %lld (devices are 0 to %lld). Pass an ordinal of a device.",
                        static_cast<long long>(device), static_cast<long long>(kLastDevice));
  }
  static int refuse(kmux_sink error, const char* name, const char* wanted) {
    return nvidia::fail(error, KMUX_INVALID_ARGUMENT, "argument \"%s\" is of the wrong type. Pass %s.", name, wanted);
  }
};

static int run(const Launch& launch, const kmux_slot* slots, kmux_sink error) {
  int code = KMUX_OK;
  const auto use = modules.use(launch.path.text(), &code, error);
  if (use.get() == nullptr) return code;
  const kmux_launch_env env = {sizeof env,
                               static_cast<int32_t>(launch.device),
                               launch.stream,
                               &nvidia::workspace_allocator,
                               nvidia::standalone_thread.lane(nvidia::lane_count),
                               0};
  return use.get()->launcher().call(env, error, [slots](const kmux_driver_env& driver_env, kmux_sink sink) {
    return kmux_launch_body(slots, &driver_env.env, sink);
  });
}

static int launch_kernel(const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  kmux_slot slots[kmux_tvm_slot_count + 1];
  int tensor_device = 0;
  nvidia::standalone_thread.error.clear();
  const kmux_sink error = nvidia::standalone_thread.error.sink();
  int code = kmux_tvm_check(args, count, slots, &tensor_device, error);
  Launch launch;
  if (code == KMUX_OK) code = launch.read(args + count - 3, error);
  if (code == KMUX_OK) code = run(launch, slots, error);
  return code == KMUX_OK ? succeed(result) : raise(code);
}

static int cleanup_module(TVMFFIAny* result) {
  nvidia::standalone_thread.error.clear();
  modules.close(nvidia::standalone_thread.error.sink());
  return nvidia::standalone_thread.error.text()[0] == '\0' ? succeed(result) : raise(KMUX_LAUNCH_FAILED);
}

}  // namespace kmux::cutedsl

extern "C" {
#define KMUX_EXPORT __attribute__((visibility("default")))

/// launch_kernel(tensors and scalars..., stream, device_id, cubin_path): returns 0, or an error with its text. The file
/// is read when its path is first used; state of a device is created once.
KMUX_EXPORT int __tvm_ffi_launch_kernel(void*, const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  return kmux::cutedsl::launch_kernel(args, count, result);
}

/// cleanup_module(): unloads all code and releases the contexts. Continues past failures, and reports all of them. Launches may follow.
KMUX_EXPORT int __tvm_ffi_cleanup_module(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {
  return kmux::cutedsl::cleanup_module(result);
}

#undef KMUX_EXPORT
}
