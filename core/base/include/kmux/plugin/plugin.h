/* The plugin ABI of kmux, C11. Self-contained: needs no other header of kmux.
 *
 * A plugin exports one symbol, kmux_plugin_query. Every struct begins with its own size, except kmux_bytes, kmux_sink,
 * kmux_slot and kmux_launch_entry: those four never change, since they are passed by value or copied by a launch.
 * Fields are only ever appended, and a reader must check KMUX_HAS_FIELD before it uses one. Only those four are nested
 * in other structs, so that every other struct can grow. No allocation crosses the boundary: input is borrowed for the
 * call, output is written to a sink. No exception crosses it. All functions of the table may be called from any thread
 * unless stated otherwise. Text is UTF-8 without a terminating zero.
 *
 * Version 1 is frozen: a plugin built with this header loads in every later kmux that accepts version 1. A plugin built
 * with a later header loads here if its manifest declares that version 1 suffices.
 */
#ifndef KMUX_PLUGIN_H_
#define KMUX_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

/* The version of this header: that of the tables of its plugins, and the newest that a host built with it accepts. */
#define KMUX_PLUGIN_ABI_VERSION 1
/* The oldest table version that a host built with this header accepts. */
#define KMUX_PLUGIN_ABI_OLDEST 1

/* Bytes from the beginning of a struct to the end of `field`: the struct_size of a writer whose header has no later
 * field. */
#define KMUX_SIZE_THROUGH(type, field) (offsetof(type, field) + sizeof(((type*)0)->field))
/* True if the writer of the struct at `pointer` had `field`. The field may still be null. */
#define KMUX_HAS_FIELD(pointer, type, field) (KMUX_SIZE_THROUGH(type, field) <= (pointer)->struct_size)

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes borrowed for the call. */
typedef struct kmux_bytes {
  const char* data;  // null if `size` is 0
  size_t size;  // without a terminating zero
} kmux_bytes;

/* Receives results: the host copies the bytes. `write` may be called several times. It returns 0, or 1 if the host is
 * out of memory: the call then fails and its earlier output is discarded. The host detects that itself; a plugin with
 * much left to write may return KMUX_OUT_OF_MEMORY early. */
typedef struct kmux_sink {
  void* self;  // first argument of `write`
  int32_t (*write)(void* self, const char* data, size_t size);  // may be called several times
} kmux_sink;

/* One argument of a call. A tensor is its data + byte_offset; a scalar is its bits, zero-extended. */
typedef union kmux_slot {
  void* ptr;  // an address: a pointer, or the first element of a tensor
  int64_t i64;  // an integer scalar or a symbol
  uint64_t bits;  // any other scalar, in the low bits
} kmux_slot;

/* The return value of a function: 0, or the value of a kmux::ErrorCode; any other number counts as KMUX_INTERNAL. The
 * text written to its error sink is the message, or, if it begins with a brace, a JSON object:
 * {"message": "problem (why). What to do.", "notes": [{"kind": "log", "text": "..."}, ...]}, where "notes" may be
 * missing. */
typedef int32_t kmux_code;
enum {
  KMUX_OK = 0,
  KMUX_INVALID_ARGUMENT = 1,
  KMUX_UNSUPPORTED = 2,
  KMUX_UNAVAILABLE = 3,
  KMUX_COMPILE_FAILED = 4,
  KMUX_LAUNCH_FAILED = 5,
  KMUX_INTERNAL = 6,
  KMUX_CANCELLED = 7,
  KMUX_TIMED_OUT = 8,
  KMUX_OUT_OF_MEMORY = 9
};

/* Device memory for workspaces, in stream order. */
typedef struct kmux_allocator {
  size_t struct_size;  // sizeof(kmux_allocator)
  void* self;  // first argument of both
  /* Allocates in the order of `stream`. */
  kmux_code (*allocate)(void* self, int32_t device, void* stream, size_t bytes, size_t alignment, void** address);
  void (*free)(void* self, int32_t device, void* stream, void* address);  // likewise
} kmux_allocator;

/* The environment of a launch. A null stream is the backend's default stream. `lane` is a small number of the calling
 * host thread: two threads that launch at the same time have different lanes. */
typedef struct kmux_launch_env {
  uint32_t struct_size;  // sizeof(kmux_launch_env); narrower than elsewhere, so that a launch reads fewer bytes
  int32_t device;  // ordinal
  void* stream;  // null: the default stream
  const kmux_allocator* allocator;  // of workspaces
  uint32_t lane;  // of the calling thread: no other call has it at the same time
  uint32_t reserved;  // 0
} kmux_launch_env;

/* A program: canonical JSON (docs/dispatch-ir.md) and the contents of its files: for each variant in order its sources,
 * then its headers. One blob per file, even for equal files. */
typedef struct kmux_program_view {
  size_t struct_size;  // sizeof(kmux_program_view)
  kmux_bytes json;  // canonical, without the contents of files
  const kmux_bytes* blobs;  // of each variant the sources, then the headers
  size_t blob_count;  // of `blobs`
} kmux_program_view;

/* The control of one cold call that may take long: cancellation, deadline, progress, log. Every function may be null.
 * Valid until the call returns; until then any thread may call the functions. */
typedef struct kmux_call {
  size_t struct_size;  // sizeof(kmux_call)
  void* self;  // first argument of every function
  /* Returns 1 once the result is no longer needed: the call should return KMUX_CANCELLED as soon as possible. */
  int32_t (*cancelled)(void* self);
  /* Returns the time left for the call; INT64_MAX without a limit. At 0 or less the call must return KMUX_TIMED_OUT. */
  int64_t (*nanoseconds_left)(void* self);
  /* Reports the completed fraction, from 0 to 1 (below 0: unknown), and the current work: "compiling kernel 2 of 5". */
  void (*progress)(void* self, double fraction, kmux_bytes phrase);
  /* As kmux_host_api's `log`, for lines that belong to this call. */
  void (*log)(void* self, int32_t level, kmux_bytes text);
} kmux_call;

/* A build request: a variant of a program for a canonical target with options (a flat JSON object of strings). */
typedef struct kmux_build_request {
  size_t struct_size;  // sizeof(kmux_build_request)
  const kmux_program_view* program;  // with every variant
  size_t variant;  // index of the one to build
  kmux_bytes target;  // canonical, as `resolve_target` wrote it
  kmux_bytes options;  // a JSON object of strings
  kmux_bytes launcher;  // for `build`: the output of `wrap` for the same request; else empty
  kmux_bytes artifact;  // for `standalone`: the output of `build` for the same request; else empty
  const kmux_call* call;  // may be null
} kmux_build_request;

/* A load request. */
typedef struct kmux_load_request {
  size_t struct_size;  // sizeof(kmux_load_request)
  kmux_bytes artifact;  // an artifact container (kmux/artifact.h)
  int32_t device;  // ordinal
  int32_t reserved;  // 0
  const kmux_call* call;  // may be null
} kmux_load_request;

/* The functions that the host offers to a plugin; outlives the instance. */
typedef struct kmux_host_api {
  size_t struct_size;  // sizeof(kmux_host_api)
  uint32_t abi_version;  // of the host
  uint32_t reserved;  // 0
  void* self;  // first argument of every function
  /* Writes the value of a plugin option ("cpu.engine") and returns 1, or returns 0 if it is not set. */
  int32_t (*option)(void* self, kmux_bytes name, kmux_sink value);
  /* level: 0 debug, 1 info, 2 warning, 3 error. */
  void (*log)(void* self, int32_t level, kmux_bytes text);
  /* phase: 0 begin, 1 end of the named span on this thread. */
  void (*trace)(void* self, int32_t phase, kmux_bytes name);
  /* Returns 1 once the process is about to exit: background compilation must then stop as soon as possible. */
  int32_t (*stopping)(void* self);
  /* May be null. Runs `work(context)`, which must not throw, on up to `threads` threads of the application at the same
   * time. Returns 1 when all these calls have returned, whatever their number. Returns 0 if the application lends no
   * threads; nothing was called then. With 0 threads it only reports whether the application lends threads. */
  int32_t (*run_on_threads)(void* self, uint32_t threads, void (*work)(void* context), void* context);
  /* Added after version 1. A launch that computes on this machine calls it on the launching thread, at most every 20 ms.
   * Returns 1 if that launch must end early: it should return KMUX_CANCELLED as soon as it can, and must not return
   * 0. */
  int32_t (*interrupted)(void* self);
} kmux_host_api;

typedef enum kmux_copy_kind {
  KMUX_COPY_HOST_TO_DEVICE = 0,
  KMUX_COPY_DEVICE_TO_HOST = 1,
  KMUX_COPY_DEVICE_TO_DEVICE = 2
} kmux_copy_kind;

/* The devices of a backend. `device` is an ordinal below `count`; a null stream is the default one. No function may
 * invalidate a capture that another library has begun, in any mode, on this thread or another. */
typedef struct kmux_device_api {
  size_t struct_size;  // sizeof(kmux_device_api)
  /* The DLPack device type of this backend's memory. */
  int32_t device_type;
  int32_t reserved;  // 0
  kmux_code (*count)(void* instance, int32_t* count, kmux_sink error);  // devices are 0 to count - 1
  /* Writes a JSON object: name, arch, memory_bytes, and further properties of the backend. */
  kmux_code (*properties)(void* instance, int32_t device, kmux_sink json, kmux_sink error);
  /* Allocates in the order of `stream`: later work on it may use the memory until `free`, in the order of its stream.
   * While `stream` is captured, both become nodes of the graph; a graph can free only memory that it allocated. */
  kmux_code (*allocate)(void* instance, int32_t device, void* stream, size_t bytes, size_t alignment, void** address,
                        kmux_sink error);
  void (*free)(void* instance, int32_t device, void* stream, void* address);  // in the order of `stream`
  /* Copies, asynchronously if the backend can; device to device on one device only. */
  kmux_code (*copy)(void* instance, int32_t device, void* stream, void* to, const void* from, size_t bytes,
                    int32_t kind, kmux_sink error);
  kmux_code (*memset)(void* instance, int32_t device, void* stream, void* address, uint8_t value, size_t bytes,
                      kmux_sink error);  // in the order of `stream`
  kmux_code (*memory_info)(void* instance, int32_t device, uint64_t* free_bytes, uint64_t* total_bytes,
                           kmux_sink error);  // free now, and in all
  /* Creates a stream that does not wait for the default stream. */
  kmux_code (*stream_create)(void* instance, int32_t device, void** stream, kmux_sink error);
  void (*stream_destroy)(void* instance, int32_t device, void* stream);  // pending work still completes
  kmux_code (*stream_synchronize)(void* instance, int32_t device, void* stream, kmux_sink error);  // waits for its work
  kmux_code (*event_create)(void* instance, int32_t device, void** event, kmux_sink error);  // with timing
  void (*event_destroy)(void* instance, int32_t device, void* event);  // recorded or not
  /* Records the event behind the work already in `stream`. */
  kmux_code (*event_record)(void* instance, int32_t device, void* event, void* stream, kmux_sink error);
  /* Blocks until both events have completed. */
  kmux_code (*event_elapsed)(void* instance, int32_t device, void* begin, void* end, double* milliseconds,
                             kmux_sink error);
  /* May be null. Replaces the content of the L2 cache. */
  kmux_code (*l2_flush)(void* instance, int32_t device, void* stream, kmux_sink error);
  /* Makes later work in `stream` wait, on the device and not on the host, for the work that `event` was recorded
   * behind; no wait if it was never recorded. Recording the event again does not change that. */
  kmux_code (*stream_wait_event)(void* instance, int32_t device, void* stream, void* event, kmux_sink error);
  /* May be null: streams are never captured. Writes the id, unique in the process, of the capture that now records
   * `stream`; 0 if none does. UINT64_MAX: the stream is in no capture, but work on it would invalidate one. */
  kmux_code (*stream_capture)(void* instance, int32_t device, void* stream, uint64_t* capture, kmux_sink error);
  /* May be null: the host then uses `event_create`. Creates an event without timing, for `stream_wait_event` only:
   * cheaper to record. `event_elapsed` waits for it and fails. */
  kmux_code (*event_create_untimed)(void* instance, int32_t device, void** event, kmux_sink error);
  /* May be null, and then `host_free` as well. Allocates page-locked host memory, which all devices of the backend can
   * copy to and from asynchronously. */
  kmux_code (*host_allocate)(void* instance, int32_t device, size_t bytes, size_t alignment, void** address,
                             kmux_sink error);
  void (*host_free)(void* instance, int32_t device, void* address);  // after the last copy from and to it
  /* May be null. As `stream_create`, whose priority is 0; lower numbers run first. Priorities beyond the device's
   * limits are clamped to them. */
  kmux_code (*stream_create_with_priority)(void* instance, int32_t device, int32_t priority, void** stream,
                                           kmux_sink error);
  /* May be null. Copies from `from`, on device `from_device` of the same backend, in the order of `stream`, a stream of
   * `device`. */
  kmux_code (*copy_peer)(void* instance, int32_t device, void* stream, void* to, int32_t from_device, const void* from,
                         size_t bytes, kmux_sink error);
} kmux_device_api;

/* The hot call of one adapter: a function with the contract of `launch`, and its adapter argument. */
typedef struct kmux_launch_entry {
  /* As kmux_plugin_api's `launch`. */
  kmux_code (*function)(void* adapter, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
  void* adapter;  // its first argument
} kmux_launch_entry;

/* A plugin. `instance` is the one that `create` made. */
typedef struct kmux_plugin_api {
  size_t struct_size;  // sizeof(kmux_plugin_api)
  uint32_t abi_version;  // KMUX_PLUGIN_ABI_VERSION of the build
  uint32_t reserved;  // 0
  const char* name;  // as in the manifest
  const char* version;  // as in the manifest

  /* Always called first; `host` outlives the instance. */
  kmux_code (*create)(const kmux_host_api* host, void** instance, kmux_sink error);
  /* Called after every adapter is unloaded. */
  void (*destroy)(void* instance);

  /* Must be cheap and create no context. Writes JSON: {"can_build":{"code":"","reason":""},"can_run":{...}}. An empty
   * code means yes; otherwise a word ("no_device", "no_driver", "no_toolchain", "wrong_os") and a sentence. */
  kmux_code (*probe)(void* instance, kmux_sink report, kmux_sink error);
  /* Writes the canonical target for a request ("auto", "c", "cuda:sm_90"); device -1 means none. */
  kmux_code (*resolve_target)(void* instance, kmux_bytes request, int32_t device, kmux_sink target, kmux_sink error);
  /* Reads only the IR. Writes a JSON list of {"feature","path","reason"} for unsupported features; "[]" means
   * supported. */
  kmux_code (*supports)(void* instance, const kmux_build_request* request, kmux_sink missing, kmux_sink error);
  /* Writes the identity of compiler and libraries for the cache key, without starting a process. */
  kmux_code (*toolchain)(void* instance, kmux_bytes target, kmux_bytes options, kmux_sink identity, kmux_sink error);
  /* Writes the launcher: source text, or a printed plan. */
  kmux_code (*wrap)(void* instance, const kmux_build_request* request, kmux_sink launcher, kmux_sink error);
  /* Compiles sources and launcher to an artifact container (kmux/artifact.h). */
  kmux_code (*build)(void* instance, const kmux_build_request* request, kmux_sink artifact, kmux_sink error);
  /* Makes an adapter from an artifact alone. */
  kmux_code (*load)(void* instance, const kmux_load_request* request, void** adapter, kmux_sink error);

  /* Does the one-time work of a first launch on `device`. */
  kmux_code (*prepare)(void* adapter, int32_t device, kmux_sink error);
  /* The hot call: launches on env->stream and returns. Must not allocate, lock or look up names. */
  kmux_code (*launch)(void* adapter, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
  /* Called after the last launch has returned; waits for the device if needed. */
  void (*unload)(void* adapter);

  const kmux_device_api* devices;  // must not be null: the host refuses such a table

  /* May be null. Writes the function that the host calls instead of `launch` while the adapter lives, for plugins with
   * a shorter path to the launcher of this adapter. */
  void (*entry)(void* adapter, kmux_launch_entry* entry);

  /* May be null: the backend cannot export. Writes an artifact container whose parts make up a library that runs the
   * request's artifact without kmux: see kmux::Backend::standalone. */
  kmux_code (*standalone)(void* instance, const kmux_build_request* request, kmux_sink parts, kmux_sink error);

  /* May be null: programs with `constants` are refused. Writes the address and size of the constant `name` of the
   * adapter's program on `device`, which must be prepared. The host copies to it in stream order. */
  kmux_code (*constant)(void* adapter, int32_t device, kmux_bytes name, void** address, uint64_t* bytes,
                        kmux_sink error);
} kmux_plugin_api;

/* The minimum sizes of version 1 tables: the host refuses a smaller one. */
#define KMUX_PLUGIN_API_LEAST KMUX_SIZE_THROUGH(kmux_plugin_api, constant)
#define KMUX_DEVICE_API_LEAST KMUX_SIZE_THROUGH(kmux_device_api, copy_peer)
/* The minimum sizes of the structs that a version 1 host passes: a plugin refuses a smaller one. */
#define KMUX_HOST_API_LEAST KMUX_SIZE_THROUGH(kmux_host_api, run_on_threads)
#define KMUX_PROGRAM_VIEW_LEAST KMUX_SIZE_THROUGH(kmux_program_view, blob_count)
#define KMUX_BUILD_REQUEST_LEAST (offsetof(kmux_build_request, call) + sizeof(const kmux_call*))
#define KMUX_LOAD_REQUEST_LEAST (offsetof(kmux_load_request, call) + sizeof(const kmux_call*))

/* The one exported symbol. Returns a table not newer than `host_max_version`, or null after writing a sentence to
 * `reason`. */
typedef const kmux_plugin_api* (*kmux_plugin_query_fn)(uint32_t host_max_version, kmux_sink reason);
#define KMUX_PLUGIN_QUERY_SYMBOL "kmux_plugin_query"

#ifdef __cplusplus
}
#endif

#endif /* KMUX_PLUGIN_H_ */
