// A plugin with the fault that KMUX_TEST_BAD_PLUGIN requests, "STEP:FAULT", where no error can report it: in its static
// initialiser ("load"), its query, or a function of its table. The faults are below.
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "sound.h"

namespace kmux::broken {
namespace {

[[noreturn]] void end_by(int signal) {
  std::signal(signal, SIG_DFL);  // the handler of a sanitizer would end the process with an exit code instead
  std::raise(signal);
  std::abort();
}

[[noreturn]] void wait_forever() {
  for (;;) pause();
}

/// Returns the name of this process: "kmux-worker" in a worker.
std::string process_name() {
  std::string name;
  std::getline(std::ifstream("/proc/self/comm"), name);
  return name;
}

/// Crashes, exits, hangs, throws, leaks a thread or process, or writes noise, as `fault` requests.
void misbehave(std::string_view fault) {
  if (fault == "crash") end_by(SIGSEGV);
  if (fault == "crash_in_worker" && process_name() == "kmux-worker") end_by(SIGSEGV);
  if (fault == "abort") end_by(SIGABRT);
  if (fault == "sigill") end_by(SIGILL);
  if (fault == "killed") end_by(SIGKILL);
  if (fault == "exits") std::exit(3);
  if (fault == "hangs") wait_forever();
  if (fault == "throws") throw std::runtime_error("thrown through C");
  if (fault == "has_no_memory") throw std::bad_alloc();
  if (fault == "forgets_thread") std::thread(wait_forever).detach();
  if (fault == "forgets_process" && fork() == 0) wait_forever();
  if (fault == "writes_noise") std::fputs("what nobody asked for\n", stdout), std::fflush(stdout);
  if (fault == "writes_to_socket") [[maybe_unused]]
    const auto ignored = ::write(3, "what nobody asked for", 21);
}

/// Sends an invalid answer: a false size, a null pointer, noise, or bytes after the call.
void lie(std::string_view fault, kmux_sink answer) {
  static const std::string page(4096, 'x');
  if (fault == "lies_huge") answer.write(answer.self, page.data(), SIZE_MAX / 2);
  if (fault == "lies_beyond") answer.write(answer.self, page.data(), std::size_t{64} << 20);
  if (fault == "lies_null") answer.write(answer.self, nullptr, 64);
  if (fault == "answers_nonsense") answer.write(answer.self, page.data(), page.size());
  if (fault == "writes_late") {
    std::thread([answer] {
      usleep(100'000);  // by now the call has returned
      for (int i = 0; i < 200; ++i, usleep(1000)) answer.write(answer.self, page.data(), 16);
    }).detach();
  }
}

/// Returns the fault requested for `step`; empty if none is requested.
std::string_view asked_in(std::string_view step) {
  const char* const asked = std::getenv("KMUX_TEST_BAD_PLUGIN");
  const std::string_view text = asked == nullptr ? "" : asked;
  return text.starts_with(step) && text.substr(step.size()).starts_with(':') ? text.substr(step.size() + 1) : "";
}

/// Returns the frames of libkmux.so on the stack of this thread.
int frames_of_kmux() {
  std::array<void*, 256> stack{};
  const int depth = ::backtrace(stack.data(), static_cast<int>(stack.size()));
  int frames = 0;
  for (int i = 0; i < depth; ++i) {
    Dl_info place{};
    const bool is_known = ::dladdr(stack[static_cast<std::size_t>(i)], &place) != 0 && place.dli_fname != nullptr;
    if (is_known && std::string_view(place.dli_fname).find("/libkmux.so") != std::string_view::npos) ++frames;
  }
  return frames;
}

void at(std::string_view step) { misbehave(asked_in(step)); }
void at(std::string_view step, kmux_sink answer) { at(step), lie(asked_in(step), answer); }

/// Appends the name of each process that opens this library to KMUX_TEST_BAD_PLUGIN_LOG, one line each.
void tell_who_opens() {
  if (const char* const file = std::getenv("KMUX_TEST_BAD_PLUGIN_LOG"))
    std::ofstream(file, std::ios::app) << process_name() << '\n';
}

[[maybe_unused]] const bool opened = (tell_who_opens(), at("load"), true);

const kmux_plugin_api& sound() { return *kmux::query_plugin<Sound>(KMUX_PLUGIN_ABI_VERSION, {}); }

kmux_code create(const kmux_host_api* host, void** instance, kmux_sink error) {
  at("create");
  return sound().create(host, instance, error);
}
void destroy(void* instance) {
  at("destroy");
  sound().destroy(instance);
}
kmux_code probe(void* instance, kmux_sink report, kmux_sink error) {
  at("probe", report);
  return sound().probe(instance, report, error);
}
kmux_code supports(void* instance, const kmux_build_request* request, kmux_sink missing, kmux_sink error) {
  at("supports", missing);
  return sound().supports(instance, request, missing, error);
}
kmux_code wrap(void* instance, const kmux_build_request* request, kmux_sink launcher, kmux_sink error) {
  at("wrap", launcher);
  return sound().wrap(instance, request, launcher, error);
}
kmux_code build(void* instance, const kmux_build_request* request, kmux_sink artifact, kmux_sink error) {
  at("build", artifact);
  if (asked_in("build") == "tells_frames") {
    const std::string text = std::to_string(frames_of_kmux());
    error.write(error.self, text.data(), text.size());
    return KMUX_COMPILE_FAILED;
  }
  return sound().build(instance, request, artifact, error);
}
kmux_code load(void* instance, const kmux_load_request* request, void** adapter, kmux_sink error) {
  at("adapt");
  return sound().load(instance, request, adapter, error);
}

kmux_code prepare(void* adapter, std::int32_t device, kmux_sink error) {
  at("prepare");
  return sound().prepare(adapter, device, error);
}
kmux_code launch(void* adapter, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  if (asked_in("launch") == "crashes_on_seven" && *static_cast<const float*>(slots[0].ptr) == 7) end_by(SIGSEGV);
  at("launch");
  return sound().launch(adapter, slots, env, error);
}
void unload(void* adapter) {
  at("unload");
  sound().unload(adapter);
}

kmux_plugin_api bad() {
  kmux_plugin_api table = sound();
  table.create = create, table.destroy = destroy, table.probe = probe, table.supports = supports;
  table.wrap = wrap, table.build = build, table.load = load;
  table.prepare = prepare, table.launch = launch, table.unload = unload, table.entry = nullptr;
  return table;
}

}  // namespace
}  // namespace kmux::broken

extern "C" __attribute__((visibility("default"))) const kmux_plugin_api* kmux_plugin_query(std::uint32_t, kmux_sink) {
  using namespace kmux::broken;
  at("query");
  static kmux_plugin_api table;
  table = bad();
  const std::string_view lie = asked_in("table");
  if (lie == "lies_small") table.struct_size = 8;
  if (lie == "lies_huge") table.struct_size = SIZE_MAX;
  return &table;
}
