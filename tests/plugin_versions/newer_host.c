/* newer_host LIBRARY: a host of a later version of the plugin ABI opens a plugin of version 1 or 2, builds, loads and launches with
 * it. It says what differs and exits with 1, or with 0. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "data/plugin_v2.h"

static char answer[1 << 16];
static size_t answer_size;

static int32_t take(void* self, const char* data, size_t size) {
  (void)self;
  if (size > sizeof answer - 1 - answer_size) return 1;
  memcpy(answer + answer_size, data, size);
  answer[answer_size += size] = '\0';
  return 0;
}

static int32_t option(void* self, kmux_bytes name, kmux_sink value) {
  (void)self;
  (void)name;
  (void)value;
  return 0;
}
static void log_line(void* self, int32_t level, kmux_bytes text) {
  (void)self;
  (void)level;
  (void)text;
}
static void trace(void* self, int32_t phase, kmux_bytes name) {
  (void)self;
  (void)phase;
  (void)name;
}
static int32_t stopping(void* self) {
  (void)self;
  return 0;
}
static int32_t hour(void* self) {
  (void)self;
  return 11;
}

static int failed(const char* what) {
  fprintf(stderr, "newer_host: %s: %s\n", what, answer);
  return 1;
}

static kmux_sink sink(void) {
  const kmux_sink to = {NULL, take};
  answer_size = 0;
  answer[0] = '\0';
  return to;
}

static const char kProgram[] =
    "{\"format\":\"kmux.program\",\"kernels\":[],\"name\":\"p\",\"version\":1,\"variants\":[]}";

/* Builds, loads and launches what the C plugins take: a factor. */
static int run(const kmux_plugin_api* plugin, void* instance) {
  static const kmux_bytes kSource = {"3", 1};
  const kmux_program_view program = {sizeof program, {kProgram, sizeof kProgram - 1}, &kSource, 1};
  kmux_build_request build = {
      .struct_size = sizeof build, .program = &program, .target = {"plain", 5}, .options = {"{}", 2}};
  if (plugin->build(instance, &build, sink(), sink()) != KMUX_OK) return failed("build");
  static char artifact[sizeof answer];
  memcpy(artifact, answer, answer_size);
  kmux_load_request load = {.struct_size = sizeof load, .artifact = {artifact, answer_size}};
  void* adapter = NULL;
  if (plugin->load(instance, &load, &adapter, sink()) != KMUX_OK) return failed("load");
  int64_t values[3] = {1, 2, -3};
  kmux_slot slots[2];
  slots[0].ptr = values;
  slots[1].i64 = 3;
  const kmux_launch_env env = {.struct_size = sizeof env};
  const kmux_code code = plugin->launch(adapter, slots, &env, sink());
  plugin->unload(adapter);
  if (code != KMUX_OK) return failed("launch");
  return values[0] == 3 && values[1] == 6 && values[2] == -9 ? 0 : failed("the values are wrong");
}

int main(int argc, char** argv) {
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return failed(argc == 2 ? dlerror() : "name a library");
  kmux_plugin_query_fn query = NULL;
  *(void**)&query = dlsym(library, KMUX_PLUGIN_QUERY_SYMBOL);
  const kmux_plugin_api* const plugin = query == NULL ? NULL : query(KMUX_PLUGIN_ABI_VERSION, sink());
  if (plugin == NULL) return failed("no table");
  if (plugin->abi_version < KMUX_PLUGIN_ABI_OLDEST || plugin->abi_version > KMUX_PLUGIN_ABI_VERSION)
    return failed("version");
  if (plugin->struct_size < KMUX_PLUGIN_API_LEAST) return failed("the table is too small");
  const kmux_host_api host = {.struct_size = sizeof host,
                              .abi_version = KMUX_PLUGIN_ABI_VERSION,
                              .option = option,
                              .log = log_line,
                              .trace = trace,
                              .stopping = stopping,
                              .hour = hour};
  void* instance = NULL;
  if (plugin->create(&host, &instance, sink()) != KMUX_OK) return failed("create");
  const int is_plain = strncmp(plugin->name, "plain", 5) == 0;
  const char* const target = is_plain ? "plain" : plugin->name;
  if (plugin->toolchain(instance, (kmux_bytes){target, strlen(target)}, (kmux_bytes){"{}", 2}, sink(), sink()) !=
      KMUX_OK) {
    return failed("toolchain");
  }
  const int knows_hour = strcmp(answer, "header 2, host 2, hour 11") == 0;
  if (is_plain && (plugin->abi_version == 2) != knows_hour) return failed("what is new did not reach it");
  const int code = is_plain ? run(plugin, instance) : 0;
  plugin->destroy(instance);
  return code;
}
