/* A whole backend in C11, without a C++ runtime: its sources are a number in decimal, and its kernel multiplies an int64 tensor by it
 * in place. It is built from the headers of more than one version of the plugin ABI (PLAIN_HEADER), and links none of kmux. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include PLAIN_HEADER

static const kmux_host_api* host;

typedef struct plain_kernel {
  int64_t factor;
} plain_kernel;

static int32_t write_bytes(kmux_sink sink, const char* data, size_t size) { return sink.write(sink.self, data, size); }
static int32_t write_text(kmux_sink sink, const char* text) { return write_bytes(sink, text, strlen(text)); }

static kmux_code fail(kmux_sink error, kmux_code code, const char* text) {
  write_text(error, text);
  return code;
}

/* The number that `text` is; 0 if it is none. */
static int64_t number_in(kmux_bytes text) {
  char digits[24] = {0};
  if (text.size == 0 || text.size >= sizeof digits) return 0;
  memcpy(digits, text.data, text.size);
  return strtoll(digits, NULL, 10);
}

static kmux_code create(const kmux_host_api* from, void** instance, kmux_sink error) {
  if (from->struct_size < KMUX_HOST_API_LEAST) return fail(error, KMUX_INTERNAL, "the host is too old. Update kmux.");
  host = from;
  *instance = (void*)&host;
  return KMUX_OK;
}

static void destroy(void* instance) { (void)instance; }

static kmux_code probe(void* instance, kmux_sink report, kmux_sink error) {
  (void)instance;
  (void)error;
  write_text(report, "{\"can_build\":{\"code\":\"\",\"reason\":\"\"},\"can_run\":{\"code\":\"\",\"reason\":\"\"}}");
  return KMUX_OK;
}

static kmux_code resolve_target(void* instance, kmux_bytes request, int32_t device, kmux_sink target, kmux_sink error) {
  (void)instance;
  (void)device;
  const int is_known = (request.size == 4 && memcmp(request.data, "auto", 4) == 0) ||
                       (request.size == 5 && memcmp(request.data, "plain", 5) == 0);
  if (!is_known) return fail(error, KMUX_INVALID_ARGUMENT, "there is target \"plain\" alone. Ask for it.");
  write_text(target, "plain");
  return KMUX_OK;
}

static kmux_code supports(void* instance, const kmux_build_request* request, kmux_sink missing, kmux_sink error) {
  (void)instance;
  (void)request;
  (void)error;
  write_text(missing, "[]");
  return KMUX_OK;
}

/* What this plugin was built from, and what it sees of its host: so a test sees whether fields that are new reach it. */
static kmux_code toolchain(void* instance, kmux_bytes target, kmux_bytes options, kmux_sink identity, kmux_sink error) {
  char text[80];
  (void)instance;
  (void)target;
  (void)options;
  (void)error;
#if KMUX_PLUGIN_ABI_VERSION >= 2
  const int hour = KMUX_HAS_FIELD(host, kmux_host_api, hour) ? host->hour(host->self) : -1;
#else
  const int hour = -1;
#endif
  snprintf(text, sizeof text, "header %d, host %d, hour %d", KMUX_PLUGIN_ABI_VERSION, (int)host->abi_version, hour);
  write_text(identity, text);
  return KMUX_OK;
}

static kmux_code wrap(void* instance, const kmux_build_request* request, kmux_sink launcher, kmux_sink error) {
  (void)instance;
  (void)request;
  (void)error;
  write_text(launcher, "x[i] *= factor");
  return KMUX_OK;
}

static void append_number(kmux_sink sink, uint64_t number, int bytes) {
  char digits[8];
  for (int i = 0; i < bytes; ++i) digits[i] = (char)(number >> (8 * i));
  write_bytes(sink, digits, (size_t)bytes);
}

/* The container of kmux/artifact.h: digests of zeros, which the host fills in. */
static void write_artifact(kmux_sink sink, size_t count, const char* const* names, const kmux_bytes* parts) {
  static const char kNoDigest[] = "0000000000000000000000000000000000000000000000000000000000000000";
  uint64_t table = 0;
  uint64_t offset = 0;
  for (size_t i = 0; i < count; ++i) table += 4 + strlen(names[i]) + 16 + 64;
  write_text(sink, "kmuxart\n");
  append_number(sink, 1, 4);
  append_number(sink, count, 4);
  append_number(sink, table, 8);
  write_text(sink, kNoDigest);
  for (size_t i = 0; i < count; ++i) {
    append_number(sink, strlen(names[i]), 4);
    write_text(sink, names[i]);
    append_number(sink, offset, 8);
    append_number(sink, parts[i].size, 8);
    write_text(sink, kNoDigest);
    offset += parts[i].size;
  }
  for (size_t i = 0; i < count; ++i) write_bytes(sink, parts[i].data, parts[i].size);
}

static kmux_code build(void* instance, const kmux_build_request* request, kmux_sink artifact, kmux_sink error) {
  static const char kReadsNothing[] = "{\"absent\":[],\"files\":[]}";
  static const char* const kNames[] = {"factor", "deps"};
  (void)instance;
  if (request->struct_size < KMUX_BUILD_REQUEST_LEAST) return fail(error, KMUX_INTERNAL, "the request is too small.");
  const kmux_call* const call = request->call;
  if (call != NULL && call->cancelled != NULL && call->cancelled(call->self)) {
    return fail(error, KMUX_CANCELLED, "the build was cancelled (it is not wanted). Build again if it is.");
  }
  const kmux_bytes source = request->program->blobs[0];
  if (number_in(source) == 0) {
    return fail(error, KMUX_COMPILE_FAILED,
                "{\"message\":\"the source is no number (it is compiled to a factor). Write one.\","
                "\"notes\":[{\"kind\":\"log\",\"text\":\"line 1: expected digits\"}]}");
  }
  const kmux_bytes parts[] = {source, {kReadsNothing, sizeof kReadsNothing - 1}};
  write_artifact(artifact, 2, kNames, parts);
  return KMUX_OK;
}

static uint64_t read_number(const char* bytes, int count) {
  uint64_t number = 0;
  for (int i = count; i-- > 0;) number = number << 8 | (unsigned char)bytes[i];
  return number;
}

/* The first part of the container is the factor; the host has checked the rest. */
static kmux_bytes first_part(kmux_bytes artifact) {
  const char* const table = artifact.data + 24 + 64;
  const uint64_t table_size = read_number(artifact.data + 16, 8);
  const uint64_t name_size = read_number(table, 4);
  const kmux_bytes part = {table + table_size, (size_t)read_number(table + 4 + name_size + 8, 8)};
  return part;
}

static kmux_code load(void* instance, const kmux_load_request* request, void** adapter, kmux_sink error) {
  (void)instance;
  plain_kernel* const kernel = malloc(sizeof *kernel);
  if (kernel == NULL) return fail(error, KMUX_OUT_OF_MEMORY, "out of memory for a kernel. Free some.");
  kernel->factor = number_in(first_part(request->artifact));
  *adapter = kernel;
  return KMUX_OK;
}

static kmux_code prepare(void* adapter, int32_t device, kmux_sink error) {
  (void)adapter;
  return device == 0 ? KMUX_OK : fail(error, KMUX_INVALID_ARGUMENT, "there is device 0 alone. Use it.");
}

static kmux_code launch(void* adapter, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  const plain_kernel* const kernel = adapter;
  int64_t* const x = slots[0].ptr;
  (void)env;
  (void)error;
  for (int64_t i = 0; i < slots[1].i64; ++i) x[i] *= kernel->factor;
  return KMUX_OK;
}

static void unload(void* adapter) { free(adapter); }

/* The devices: one, whose memory is the host's and whose streams are done at once. */
static kmux_code count(void* instance, int32_t* number, kmux_sink error) {
  (void)instance;
  (void)error;
  *number = 1;
  return KMUX_OK;
}

static kmux_code properties(void* instance, int32_t device, kmux_sink json, kmux_sink error) {
  (void)instance;
  (void)device;
  (void)error;
  write_text(json, "{\"name\":\"plain C\",\"arch\":\"plain\"}");
  return KMUX_OK;
}

static kmux_code allocate(void* instance, int32_t device, void* stream, size_t bytes, size_t alignment, void** address,
                          kmux_sink error) {
  const size_t least = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  (void)instance;
  (void)device;
  (void)stream;
  if (posix_memalign(address, least, bytes == 0 ? 1 : bytes) == 0) return KMUX_OK;
  return fail(error, KMUX_OUT_OF_MEMORY, "out of memory. Free some.");
}

static void free_memory(void* instance, int32_t device, void* stream, void* address) {
  (void)instance;
  (void)device;
  (void)stream;
  free(address);
}

static kmux_code copy(void* instance, int32_t device, void* stream, void* to, const void* from, size_t bytes,
                      int32_t kind, kmux_sink error) {
  (void)instance;
  (void)device;
  (void)stream;
  (void)kind;
  (void)error;
  memmove(to, from, bytes);
  return KMUX_OK;
}

static kmux_code set(void* instance, int32_t device, void* stream, void* address, uint8_t value, size_t bytes,
                     kmux_sink error) {
  (void)instance;
  (void)device;
  (void)stream;
  (void)error;
  memset(address, value, bytes);
  return KMUX_OK;
}

static kmux_code memory_info(void* instance, int32_t device, uint64_t* free_bytes, uint64_t* total_bytes,
                             kmux_sink error) {
  (void)instance;
  (void)device;
  (void)error;
  *free_bytes = *total_bytes = (uint64_t)1 << 30;
  return KMUX_OK;
}

static kmux_code make_stream(void* instance, int32_t device, void** stream, kmux_sink error) {
  (void)instance;
  (void)device;
  *stream = malloc(1);
  return *stream != NULL ? KMUX_OK : fail(error, KMUX_OUT_OF_MEMORY, "out of memory. Free some.");
}

static void drop_stream(void* instance, int32_t device, void* stream) {
  (void)instance;
  (void)device;
  free(stream);
}

static kmux_code wait_for(void* instance, int32_t device, void* stream, kmux_sink error) {
  (void)instance;
  (void)device;
  (void)stream;
  (void)error;
  return KMUX_OK;
}

static kmux_code make_event(void* instance, int32_t device, void** event, kmux_sink error) {
  (void)instance;
  (void)device;
  *event = calloc(1, sizeof(struct timespec));
  return *event != NULL ? KMUX_OK : fail(error, KMUX_OUT_OF_MEMORY, "out of memory. Free some.");
}

static kmux_code record(void* instance, int32_t device, void* event, void* stream, kmux_sink error) {
  (void)instance;
  (void)device;
  (void)stream;
  (void)error;
  clock_gettime(CLOCK_MONOTONIC, event);
  return KMUX_OK;
}

static kmux_code elapsed(void* instance, int32_t device, void* begin, void* end, double* milliseconds,
                         kmux_sink error) {
  const struct timespec* const first = begin;
  const struct timespec* const last = end;
  (void)instance;
  (void)device;
  (void)error;
  *milliseconds = (double)(last->tv_sec - first->tv_sec) * 1e3 + (double)(last->tv_nsec - first->tv_nsec) * 1e-6;
  return KMUX_OK;
}

static kmux_code wait_for_event(void* instance, int32_t device, void* stream, void* event, kmux_sink error) {
  (void)event;
  return wait_for(instance, device, stream, error);
}

/* What is not here is null: captures, pinned memory, priorities, other devices. */
static const kmux_device_api kDevices = {.struct_size = sizeof(kmux_device_api),
                                         .device_type = 12,
                                         .count = count,
                                         .properties = properties,
                                         .allocate = allocate,
                                         .free = free_memory,
                                         .copy = copy,
                                         .memset = set,
                                         .memory_info = memory_info,
                                         .stream_create = make_stream,
                                         .stream_destroy = drop_stream,
                                         .stream_synchronize = wait_for,
                                         .event_create = make_event,
                                         .event_destroy = drop_stream,
                                         .event_record = record,
                                         .event_elapsed = elapsed,
                                         .stream_wait_event = wait_for_event};

static kmux_plugin_api table = {.struct_size = sizeof(kmux_plugin_api),
                                .abi_version = KMUX_PLUGIN_ABI_VERSION,
                                .name = PLAIN_NAME,
                                .version = "1.0.0",
                                .create = create,
                                .destroy = destroy,
                                .probe = probe,
                                .resolve_target = resolve_target,
                                .supports = supports,
                                .toolchain = toolchain,
                                .wrap = wrap,
                                .build = build,
                                .load = load,
                                .prepare = prepare,
                                .launch = launch,
                                .unload = unload,
                                .devices = &kDevices};

/* Fields are only appended, so one table is right for every host that knows version 1; it says no newer version than the host's. */
__attribute__((visibility("default"))) const kmux_plugin_api* kmux_plugin_query(uint32_t host_max_version,
                                                                                kmux_sink reason);
const kmux_plugin_api* kmux_plugin_query(uint32_t host_max_version, kmux_sink reason) {
  if (host_max_version < KMUX_PLUGIN_ABI_OLDEST) {
    write_text(reason, "it needs a newer kmux. Update kmux.");
    return NULL;
  }
  if (host_max_version < table.abi_version) table.abi_version = host_max_version;
  return &table;
}
