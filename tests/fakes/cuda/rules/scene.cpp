#include "scene.h"

#include <algorithm>
#include <thread>

namespace kmux::driver_rules {
namespace {

// One thread that spins, then writes. Runs on every device since 7.0.
constexpr const char* kCode = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 to, .param .u32 value, .param .u64 cycles)
{
  .reg .pred %wait;
  .reg .b32 %what;
  .reg .b64 %where, %long, %begin, %now;
  ld.param.u64 %where, [to];
  ld.param.u32 %what, [value];
  ld.param.u64 %long, [cycles];
  cvta.to.global.u64 %where, %where;
  mov.u64 %begin, %clock64;
again:
  mov.u64 %now, %clock64;
  sub.u64 %now, %now, %begin;
  setp.lt.u64 %wait, %now, %long;
  @%wait bra again;
  st.global.u32 [%where], %what;
  ret;
}
)";

template <class T>
void drop(std::vector<T>& all, T one) {
  all.erase(std::remove(all.begin(), all.end(), one), all.end());
}

}  // namespace

Scene::Scene(const Driver& driver) : cu(driver) {
  kernel_ = kernel_of(library());
  reader_ = stream();
  const Address warm = memory();  // the first launch may load code, which a capture forbids
  fill(reader_, warm, 1);
  cu.stream_synchronize(reader_);
}

Code Scene::end() {
  Code broken = 0;
  const auto note = [&](Code code) {
    if (broken == 0 && code >= 700 && code < 800) broken = code;
  };
  int relaxed = kRelaxed;
  cu.exchange_capture_mode(&relaxed);
  for (const Handle each : streams_) {
    if (status(each) != 0) end_capture(each);
  }
  finish();
  for (const Handle each : executables_) note(cu.executable_destroy(each));
  for (const Handle each : graphs_) cu.graph_destroy(each);
  for (const Address each : blocks_) note(cu.free(each, nullptr));
  note(cu.stream_synchronize(nullptr));
  for (const Handle each : libraries_) note(cu.library_unload(each));
  for (const Handle each : events_) cu.event_destroy(each);
  for (const Handle each : streams_) cu.stream_destroy(each);
  cu.exchange_capture_mode(&relaxed);
  return broken;
}

Handle Scene::stream(unsigned flags) {
  Handle made = nullptr;
  cu.stream_create(&made, flags);
  streams_.push_back(made);
  return made;
}

void Scene::destroy(Handle stream) {
  drop(streams_, stream);
  cu.stream_destroy(stream);
}

Handle Scene::event() {
  Handle made = nullptr;
  cu.event_create(&made, 0);
  events_.push_back(made);
  return made;
}

Handle Scene::library() {
  Handle made = nullptr;
  cu.library_load(&made, kCode, nullptr, nullptr, 0, nullptr, nullptr, 0);
  libraries_.push_back(made);
  return made;
}

Handle Scene::kernel_of(Handle library) {
  Handle made = nullptr;
  cu.library_kernel(&made, library, "fill");
  return made;
}

Address Scene::memory(std::size_t bytes) {
  Address address = 0;
  allocate(&address, reader_, bytes);
  cu.memset8(address, 0, bytes, reader_);
  cu.stream_synchronize(reader_);
  return address;
}

Code Scene::allocate(Address* address, Handle stream, std::size_t bytes) {
  const Code code = cu.allocate(address, bytes, cu.pool, stream);
  if (code == 0) blocks_.push_back(*address);
  return code;
}

Code Scene::free(Address address, Handle stream) {
  const Code code = cu.free(address, stream);
  if (code == 0) drop(blocks_, address);
  return code;
}

Code Scene::fill(Handle stream, Address to, unsigned value, std::uint64_t cycles) {
  return fill_by(kernel_, stream, to, value, cycles);
}

Code Scene::fill_by(Handle kernel, Handle stream, Address to, unsigned value, std::uint64_t cycles) {
  void* args[] = {&to, &value, &cycles};
  const LaunchConfig config = {{1, 1, 1}, {1, 1, 1}, 0, stream, nullptr, 0};
  return cu.launch(&config, kernel, args, nullptr);
}

unsigned Scene::read(Address from) {
  unsigned value = 0;
  const Code code = cu.copy_to_host(&value, from, sizeof value, reader_);
  cu.stream_synchronize(reader_);
  return code == 0 ? value : 1'000'000'000U + static_cast<unsigned>(code);
}

void Scene::finish() {
  for (const Handle each : streams_) cu.stream_synchronize(each);
  cu.stream_synchronize(kPerThread);
  cu.stream_synchronize(nullptr);
}

Code Scene::begin(Handle stream, int mode) { return cu.capture_begin(stream, mode); }

Code Scene::end_capture(Handle stream, Handle* graph) {
  Handle made = nullptr;
  const Code code = cu.capture_end(stream, &made);
  if (code == 0 && made != nullptr) graphs_.push_back(made);
  if (graph != nullptr) *graph = made;
  return code;
}

int Scene::status(Handle stream) {
  int found = -1;
  const Code code = cu.stream_capturing(stream, &found);
  return code == 0 ? found : -code;
}

Code Scene::instantiate(Handle* executable, Handle graph, unsigned long long flags) {
  const Code code = cu.graph_instantiate(executable, graph, flags);
  if (code == 0) executables_.push_back(*executable);
  return code;
}

Code Scene::destroy_executable(Handle executable) {
  const Code code = cu.executable_destroy(executable);
  if (code == 0) drop(executables_, executable);
  return code;
}

Code Scene::unload(Handle library) {
  const Code code = cu.library_unload(library);
  if (code == 0) drop(libraries_, library);
  return code;
}

std::string told(std::initializer_list<std::pair<const char*, long long>> facts) {
  std::string text;
  for (const auto& [name, value] : facts)
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(value);
  return text;
}

void on_other_thread(const Scene& scene, const std::function<void()>& work, bool with_context) {
  std::thread([&] {
    if (with_context) scene.cu.current_set(scene.cu.context);
    work();
  }).join();
}

}  // namespace kmux::driver_rules
