/* The plugin ABI of kmux, C11. It stands alone.
 *
 * A plugin exports one symbol, kmux_plugin_query. Every struct begins with its own size, but for kmux_bytes, kmux_sink,
 * kmux_slot and kmux_launch_entry, which never change: they are passed by value, or are what a launch copies. Fields are only
 * ever appended, and a reader uses one only where KMUX_HAS_FIELD says that the writer had it. No struct lies within another, but
 * for those four, so that each can grow. Nothing allocated crosses: input is
 * borrowed for the call, output is written to a sink. No exception crosses. All functions of the table may be called
 * from any thread unless stated otherwise. Text is UTF-8 without a terminating zero.
 *
 * Version 1 is frozen: a plugin that was built with this header loads in every later kmux that accepts version 1, and a plugin
 * that was built with a later header loads here if its manifest says that version 1 is enough for it.
 */
#ifndef KMUX_PLUGIN_H_
#define KMUX_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

/* The version of this header: what its plugins give, and the newest that a host of this header knows. */
#define KMUX_PLUGIN_ABI_VERSION 1
/* The oldest table that a host of this header accepts. */
#define KMUX_PLUGIN_ABI_OLDEST 1

/* Bytes from the beginning of a struct to the end of `field`: the struct_size of who knows no later one. */
#define KMUX_SIZE_THROUGH(type, field) (offsetof(type, field) + sizeof(((type*)0)->field))
/* Did the writer of the struct that `pointer` points to know `field`? It may be null all the same. */
#define KMUX_HAS_FIELD(pointer, type, field) (KMUX_SIZE_THROUGH(type, field) <= (pointer)->struct_size)

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes borrowed for the call. */
typedef struct kmux_bytes {
  const char* data;  // null if `size` is 0
  size_t size;  // without a terminating zero
} kmux_bytes;

/* Where results go: the host copies what it is given. `write` may be called several times. It returns 0, or 1 if the host has no
 * memory for more: then the call is in vain, and what was written before does not count. The host sees that by itself; a plugin
 * that has much left to write may end with KMUX_OUT_OF_MEMORY. */
typedef struct kmux_sink {
  void* self;  // first argument of `write`
  int32_t (*write)(void* self, const char* data, size_t size);  // may be called several times
} kmux_sink;

/* One argument of a call. A tensor is data + byte_offset; a scalar is the bits of its own width, zero-extended. */
typedef union kmux_slot {
  void* ptr;  // an address: a pointer, or the first element of a tensor
  int64_t i64;  // an integer scalar or a symbol
  uint64_t bits;  // any other scalar, in the low bits
} kmux_slot;

/* What a function returns: 0, or the value of kmux::ErrorCode; a number that is not among these counts as KMUX_INTERNAL. What is
 * written to its error sink is the message, or, if it begins with a brace, a JSON object:
 * {"message": "problem (why). What to do.", "notes": [{"kind": "log", "text": "..."}, ...]}, where "notes" may be missing. */
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
  /* In the order of `stream`. */
  kmux_code (*allocate)(void* self, int32_t device, void* stream, size_t bytes, size_t alignment, void** address);
  void (*free)(void* self, int32_t device, void* stream, void* address);  // likewise
} kmux_allocator;

/* Where and how a launch runs. A null stream is the backend's default stream. `lane` is a small number of the calling
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
 * then its headers. One blob a file, also where files are equal. */
typedef struct kmux_program_view {
  size_t struct_size;  // sizeof(kmux_program_view)
  kmux_bytes json;  // canonical, without the contents of files
  const kmux_bytes* blobs;  // of each variant the sources, then the headers
  size_t blob_count;  // of `blobs`
} kmux_program_view;

/* One cold call, seen from within: for calls that may take long. Every function may be null. Lives as long as the call; the
 * functions may be called by any thread until it returns. */
typedef struct kmux_call {
  size_t struct_size;  // sizeof(kmux_call)
  void* self;  // first argument of every function
  /* 1 once the result is of no use to anybody: give up as soon as possible, with KMUX_CANCELLED. */
  int32_t (*cancelled)(void* self);
  /* How long the call may still take; INT64_MAX without a limit. A call that sees 0 or less ends with KMUX_TIMED_OUT. */
  int64_t (*nanoseconds_left)(void* self);
  /* What is done of the call, from 0 to 1 (below 0: not known), and what it does now: "compiling kernel 2 of 5". */
  void (*progress)(void* self, double fraction, kmux_bytes phrase);
  /* As kmux_host_api's `log`, for lines that belong to this call. */
  void (*log)(void* self, int32_t level, kmux_bytes text);
} kmux_call;

/* What is built: a variant of a program for a canonical target with options (a flat JSON object of strings). */
typedef struct kmux_build_request {
  size_t struct_size;  // sizeof(kmux_build_request)
  const kmux_program_view* program;  // with every variant
  size_t variant;  // index of the one to build
  kmux_bytes target;  // canonical, as `resolve_target` wrote it
  kmux_bytes options;  // a JSON object of strings
  kmux_bytes launcher;  // of `build`: what `wrap` wrote for the same request; else empty
  kmux_bytes artifact;  // of `standalone`: what `build` wrote for the same request; else empty
  const kmux_call* call;  // may be null
} kmux_build_request;

/* What is loaded. */
typedef struct kmux_load_request {
  size_t struct_size;  // sizeof(kmux_load_request)
  kmux_bytes artifact;  // an artifact container (kmux/artifact.h)
  int32_t device;  // ordinal
  int32_t reserved;  // 0
  const kmux_call* call;  // may be null
} kmux_load_request;

/* What the host offers to a plugin; outlives the instance. */
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
  /* 1 once the process is about to end: what compiles in the background gives up as soon as it can. */
  int32_t (*stopping)(void* self);
  /* May be null. Has `work(context)`, which does not throw, called by up to `threads` threads of the application at the
   * same time and returns 1 when all these calls have returned, however many there were; 0: the application lends no threads, and
   * nothing was called. With 0 threads it only says whether it does. */
  int32_t (*run_on_threads)(void* self, uint32_t threads, void (*work)(void* context), void* context);
} kmux_host_api;

typedef enum kmux_copy_kind {
  KMUX_COPY_HOST_TO_DEVICE = 0,
  KMUX_COPY_DEVICE_TO_HOST = 1,
  KMUX_COPY_DEVICE_TO_DEVICE = 2
} kmux_copy_kind;

/* The devices of a backend. `device` is an ordinal below `count`; a null stream is the default one. No function
 * spoils a capture that another library has begun, in any mode, on this thread or another. */
typedef struct kmux_device_api {
  size_t struct_size;  // sizeof(kmux_device_api)
  /* DLPack's device type of this backend's memory. */
  int32_t device_type;
  int32_t reserved;  // 0
  kmux_code (*count)(void* instance, int32_t* count, kmux_sink error);  // devices are 0 to count - 1
  /* JSON object: name, arch, memory_bytes, and what else the backend has. */
  kmux_code (*properties)(void* instance, int32_t device, kmux_sink json, kmux_sink error);
  /* In the order of `stream`: what comes after it there may use the memory, until `free` in the order of its stream. While
   * `stream` is captured, both become nodes of the graph; then a graph can free only what it allocated. */
  kmux_code (*allocate)(void* instance, int32_t device, void* stream, size_t bytes, size_t alignment, void** address,
                        kmux_sink error);
  void (*free)(void* instance, int32_t device, void* stream, void* address);  // in the order of `stream`
  /* Asynchronous where the backend can; device to device on one device only. */
  kmux_code (*copy)(void* instance, int32_t device, void* stream, void* to, const void* from, size_t bytes,
                    int32_t kind, kmux_sink error);
  kmux_code (*memset)(void* instance, int32_t device, void* stream, void* address, uint8_t value, size_t bytes,
                      kmux_sink error);  // in the order of `stream`
  kmux_code (*memory_info)(void* instance, int32_t device, uint64_t* free_bytes, uint64_t* total_bytes,
                           kmux_sink error);  // free now, and in all
  /* One that does not wait for the default stream. */
  kmux_code (*stream_create)(void* instance, int32_t device, void** stream, kmux_sink error);
  void (*stream_destroy)(void* instance, int32_t device, void* stream);  // its work goes on
  kmux_code (*stream_synchronize)(void* instance, int32_t device, void* stream, kmux_sink error);  // waits for its work
  kmux_code (*event_create)(void* instance, int32_t device, void** event, kmux_sink error);  // one with a time
  void (*event_destroy)(void* instance, int32_t device, void* event);  // recorded or not
  /* Behind the work in `stream`. */
  kmux_code (*event_record)(void* instance, int32_t device, void* event, void* stream, kmux_sink error);
  /* Waits for both events. */
  kmux_code (*event_elapsed)(void* instance, int32_t device, void* begin, void* end, double* milliseconds,
                             kmux_sink error);
  /* May be null. Replaces the content of the L2 cache. */
  kmux_code (*l2_flush)(void* instance, int32_t device, void* stream, kmux_sink error);
  /* What comes after it in `stream` waits on the device, not on the host, for what `event` was recorded behind; for
   * nothing if it was never recorded. Recording the event again does not change that. */
  kmux_code (*stream_wait_event)(void* instance, int32_t device, void* stream, void* event, kmux_sink error);
  /* May be null: streams are never captured. The capture that records `stream` now, as a number that no other one in the process has; 0: none does. UINT64_MAX: the
   * stream is in no capture, but work there would spoil one. */
  kmux_code (*stream_capture)(void* instance, int32_t device, void* stream, uint64_t* capture, kmux_sink error);
  /* May be null: `event_create` will do. An event without a time, for `stream_wait_event` alone: cheaper to record. `event_elapsed` waits for it and fails. */
  kmux_code (*event_create_untimed)(void* instance, int32_t device, void** event, kmux_sink error);
  /* May be null, and then `host_free` as well. Memory of the host that all devices of the backend copy to and from while the host goes on (page-locked). */
  kmux_code (*host_allocate)(void* instance, int32_t device, size_t bytes, size_t alignment, void** address,
                             kmux_sink error);
  void (*host_free)(void* instance, int32_t device, void* address);  // after the last copy from and to it
  /* May be null. As `stream_create`, whose priority is 0; the lower goes first. The device's own limit stands for what is beyond it. */
  kmux_code (*stream_create_with_priority)(void* instance, int32_t device, int32_t priority, void** stream,
                                           kmux_sink error);
  /* May be null. From `from`, on device `from_device` of the same backend, in the order of `stream`, which is one of `device`. */
  kmux_code (*copy_peer)(void* instance, int32_t device, void* stream, void* to, int32_t from_device, const void* from,
                         size_t bytes, kmux_sink error);
} kmux_device_api;

/* The hot call of one adapter: a function with the contract of `launch`, and what it is called on. */
typedef struct kmux_launch_entry {
  /* As kmux_plugin_api's `launch`. */
  kmux_code (*function)(void* adapter, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
  void* adapter;  // its first argument
} kmux_launch_entry;

/* A plugin. `instance` is what `create` made. */
typedef struct kmux_plugin_api {
  size_t struct_size;  // sizeof(kmux_plugin_api)
  uint32_t abi_version;  // KMUX_PLUGIN_ABI_VERSION of the build
  uint32_t reserved;  // 0
  const char* name;  // as in the manifest
  const char* version;  // as in the manifest

  /* The first call; `host` outlives the instance. */
  kmux_code (*create)(const kmux_host_api* host, void** instance, kmux_sink error);
  /* After every adapter is unloaded. */
  void (*destroy)(void* instance);

  /* Cheap; makes no context. Writes JSON: {"can_build":{"code":"","reason":""},"can_run":{...}}; an empty code means
   * yes, else a word ("no_device", "no_driver", "no_toolchain", "wrong_os") and a sentence. */
  kmux_code (*probe)(void* instance, kmux_sink report, kmux_sink error);
  /* The canonical target for a request ("auto", "c", "cuda:sm_90"); device -1 means none. */
  kmux_code (*resolve_target)(void* instance, kmux_bytes request, int32_t device, kmux_sink target, kmux_sink error);
  /* Looks at the IR only. Writes a JSON list of {"feature","path","reason"}: what the backend cannot do; "[]" is yes. */
  kmux_code (*supports)(void* instance, const kmux_build_request* request, kmux_sink missing, kmux_sink error);
  /* Identity of compiler and libraries for the cache key, without starting a process. */
  kmux_code (*toolchain)(void* instance, kmux_bytes target, kmux_bytes options, kmux_sink identity, kmux_sink error);
  /* The launcher: source text, or a printed plan. */
  kmux_code (*wrap)(void* instance, const kmux_build_request* request, kmux_sink launcher, kmux_sink error);
  /* Compiles sources and launcher to an artifact container (kmux/artifact.h). */
  kmux_code (*build)(void* instance, const kmux_build_request* request, kmux_sink artifact, kmux_sink error);
  /* Makes an adapter from an artifact alone. */
  kmux_code (*load)(void* instance, const kmux_load_request* request, void** adapter, kmux_sink error);

  /* Does whatever a first launch on `device` would do once. */
  kmux_code (*prepare)(void* adapter, int32_t device, kmux_sink error);
  /* The hot call: launches on env->stream and returns. No allocation, no lock, no lookup. */
  kmux_code (*launch)(void* adapter, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
  /* After the last launch has returned; waits for the device where needed. */
  void (*unload)(void* adapter);

  const kmux_device_api* devices;  // null: none of its own

  /* May be null. What the host calls instead of `launch`, as long as the adapter lives: a plugin that has a
   * shorter way to the launcher of this very adapter writes it here. */
  void (*entry)(void* adapter, kmux_launch_entry* entry);

  /* May be null: the backend cannot export. Writes an artifact container whose parts are what a library
   * consists of that runs the request's artifact without kmux: see kmux::Backend::standalone. */
  kmux_code (*standalone)(void* instance, const kmux_build_request* request, kmux_sink parts, kmux_sink error);

  /* May be null: programs with `constants` are refused. Writes where the constant `name` of the adapter's program lies
   * on `device`, which is prepared, and how many bytes it has there. The host copies to it in the order of streams. */
  kmux_code (*constant)(void* adapter, int32_t device, kmux_bytes name, void** address, uint64_t* bytes,
                        kmux_sink error);
} kmux_plugin_api;

/* What every table of version 1 has at least: the host refuses a smaller one. */
#define KMUX_PLUGIN_API_LEAST KMUX_SIZE_THROUGH(kmux_plugin_api, constant)
#define KMUX_DEVICE_API_LEAST KMUX_SIZE_THROUGH(kmux_device_api, copy_peer)
/* What every host of version 1 gives at least: a plugin refuses a smaller one. */
#define KMUX_HOST_API_LEAST KMUX_SIZE_THROUGH(kmux_host_api, run_on_threads)
#define KMUX_PROGRAM_VIEW_LEAST KMUX_SIZE_THROUGH(kmux_program_view, blob_count)
#define KMUX_BUILD_REQUEST_LEAST (offsetof(kmux_build_request, call) + sizeof(const kmux_call*))
#define KMUX_LOAD_REQUEST_LEAST (offsetof(kmux_load_request, call) + sizeof(const kmux_call*))

/* The one exported symbol: a table not newer than `host_max_version`, or null and a sentence in `reason`. */
typedef const kmux_plugin_api* (*kmux_plugin_query_fn)(uint32_t host_max_version, kmux_sink reason);
#define KMUX_PLUGIN_QUERY_SYMBOL "kmux_plugin_query"

#ifdef __cplusplus
}
#endif

#endif /* KMUX_PLUGIN_H_ */
