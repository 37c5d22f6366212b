// Rules of calls on streams, events, memory, graphs, code and devices that a driver refuses, each beside one that it
// accepts.
#include "groups.h"

namespace kmux::driver_rules {
namespace {

constexpr int kNoDevice = 99;

std::string refused(Code wrong) { return told({{"code", wrong}}); }

Code create_stream(Scene& scene, unsigned flags) {
  Handle made = nullptr;
  const Code code = scene.cu.stream_create(&made, flags);
  if (code == 0) scene.cu.stream_destroy(made);
  return code;
}

Code create_event(Scene& scene, unsigned flags) {
  Handle made = nullptr;
  const Code code = scene.cu.event_create(&made, flags);
  if (code == 0) scene.cu.event_destroy(made);
  return code;
}

// Queries the time between two events with these flags; `recorded`: both were recorded on a stream before.
Code elapsed(Scene& scene, unsigned flags, bool recorded) {
  Handle both[2] = {};
  for (Handle& each : both) scene.cu.event_create(&each, flags);
  const Handle stream = scene.stream();
  for (const Handle each : both) {
    if (recorded) scene.cu.event_record(each, stream);
  }
  scene.cu.stream_synchronize(stream);
  float milliseconds = 0;
  const Code code = scene.cu.event_elapsed(&milliseconds, both[0], both[1]);
  for (const Handle each : both) scene.cu.event_destroy(each);
  return code;
}

Code wait_with(Scene& scene, unsigned flags) {
  const Handle event = scene.event();
  const Handle stream = scene.stream();
  scene.cu.event_record(event, stream);
  return scene.cu.stream_wait_event(stream, event, flags);
}

Code allocate_bytes(Scene& scene, std::size_t bytes) {
  Address made = 0;
  return scene.allocate(&made, scene.stream(), bytes);
}

Code set_pool(Scene& scene, int attribute) {
  std::uint64_t value = 0;
  return scene.cu.pool_attribute_set(scene.cu.pool, attribute, &value);
}

Code allocate_pinned(Scene& scene, unsigned flags) {
  void* made = nullptr;
  const Code code = scene.cu.host_allocate(&made, 64, flags);
  if (code == 0) scene.cu.host_free(made);
  return code;
}

Code free_of_program(Scene& scene) {
  static int own = 0;
  return scene.cu.host_free(&own);
}

Code begin_in(Scene& scene, int mode) {
  const Handle stream = scene.stream();
  const Code code = scene.begin(stream, mode);
  if (code == 0) scene.end_capture(stream);
  return code;
}

// A graph that a rule adds nodes to, and its executable.
class OwnGraph {
 public:
  explicit OwnGraph(Scene& scene) : scene_(scene) { scene.cu.graph_create(&graph_, 0); }
  OwnGraph(const OwnGraph&) = delete;
  OwnGraph& operator=(const OwnGraph&) = delete;
  ~OwnGraph() { scene_.cu.graph_destroy(graph_); }

  MemsetParams fill() { return {scene_.memory(), 0, 1, 1, 16, 1}; }
  Code add(const MemsetParams& params) {
    return scene_.cu.graph_add_memset(&node_, graph_, nullptr, 0, &params, scene_.cu.context);
  }
  Code add_kernel(unsigned blocks) {
    Address to = scene_.memory();
    unsigned value = 1;
    std::uint64_t cycles = 0;
    void* args[] = {&to, &value, &cycles};
    const KernelNodeParams params = {nullptr, {blocks, 1, 1}, {1, 1, 1},       0,
                                     args,    nullptr,        scene_.kernel(), scene_.cu.context};
    return scene_.cu.graph_add_kernel(&node_, graph_, nullptr, 0, &params);
  }
  Code instantiate(unsigned long long flags = 0) { return scene_.instantiate(&executable_, graph_, flags); }
  Code change(const MemsetParams& params) {
    return scene_.cu.executable_set_memset(executable_, node_, &params, scene_.cu.context);
  }

 private:
  Scene& scene_;
  Handle graph_ = nullptr;
  Handle node_ = nullptr;
  Handle executable_ = nullptr;
};

Code create_graph(Scene& scene, unsigned flags) {
  Handle made = nullptr;
  const Code code = scene.cu.graph_create(&made, flags);
  if (code == 0) scene.cu.graph_destroy(made);
  return code;
}

Code instantiate_with(Scene& scene, unsigned long long flags) {
  OwnGraph graph(scene);
  graph.add(graph.fill());
  return graph.instantiate(flags);
}

Code fill_of(Scene& scene, unsigned element_bytes, std::size_t height) {
  OwnGraph graph(scene);
  MemsetParams params = graph.fill();
  params.element_bytes = element_bytes, params.width = 4, params.height = height, params.pitch = 64;
  return graph.add(params);
}

std::string changed_to_rows(Scene& scene, std::size_t before, std::size_t after) {
  OwnGraph graph(scene);
  MemsetParams params = graph.fill();
  params.pitch = 64, params.height = before;
  const Code added = graph.add(params);
  const Code made = graph.instantiate();
  params.height = after;
  return told({{"add", added}, {"instantiate", made}, {"change", graph.change(params)}});
}

Code kernel_node(Scene& scene, unsigned blocks) {
  OwnGraph graph(scene);
  return graph.add_kernel(blocks);
}

Code device_attribute(Scene& scene, int attribute, int device) {
  int value = 0;
  return scene.cu.device_attribute(&value, attribute, device);
}

Code get_device(Scene& scene, int ordinal) {
  int device = 0;
  return scene.cu.device_get(&device, ordinal);
}

Code retain_device(Scene& scene, int device) {
  Handle context = nullptr;
  return scene.cu.primary_retain(&context, device);
}

std::string name_of(Scene& scene, Code code) {
  const char* text = "";
  const Code found = scene.cu.error_name(code, &text);
  return told({{"code", found}, {"null", text == nullptr}});
}

Code load_with(Scene& scene, int option, bool has_values) {
  constexpr const char* kCode = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
  Handle made = nullptr;
  void* value = nullptr;
  const Code code = scene.cu.library_load(&made, kCode, nullptr, nullptr, 0, &option, has_values ? &value : nullptr, 1);
  if (code == 0) scene.cu.library_unload(made);
  return code;
}

}  // namespace

std::vector<Rule> refusal_rules() {
  using S = Scene&;
  constexpr const char* kInvalid = "code 1";
  constexpr const char* kTaken = "code 0";
  return {
      {"refuse.init.flags", "cuInit takes no flags.", [](S s) { return refused(s.cu.init(1)); }, kInvalid},
      {"refuse.stream.flags", "A stream has the flags that there are.",
       [](S s) { return refused(create_stream(s, 2)); }, kInvalid},
      {"refuse.stream.nowhere", "A stream is written somewhere.",
       [](S s) { return refused(s.cu.stream_create(nullptr, kNonBlocking)); }, kInvalid},
      {"take.event.blocking", "An event may wait without spinning.", [](S s) { return refused(create_event(s, 1)); },
       kTaken},
      {"refuse.event.flags", "An event has the flags that there are.", [](S s) { return refused(create_event(s, 64)); },
       kInvalid},
      {"refuse.event.interprocess_time", "An event of several processes has no time.",
       [](S s) { return refused(create_event(s, 4)); }, kInvalid},
      {"refuse.event.nowhere", "An event is written somewhere.",
       [](S s) { return refused(s.cu.event_create(nullptr, 0)); }, kInvalid},
      {"take.event.elapsed", "Two events have a time between them.", [](S s) { return refused(elapsed(s, 0, true)); },
       kTaken},
      {"refuse.event.untimed", "Events without time have none between them.",
       [](S s) { return refused(elapsed(s, 2, true)); }, "code 400"},
      {"refuse.event.unrecorded", "... nor have those that were never recorded.",
       [](S s) { return refused(elapsed(s, 0, false)); }, "code 400"},
      {"refuse.wait.flags", "A wait has the flags that there are.", [](S s) { return refused(wait_with(s, 2)); },
       kInvalid},
      {"refuse.wait.external", "A wait for an event outside of the capture is one in a capture.",
       [](S s) { return refused(wait_with(s, 1)); }, "code 401"},
      {"refuse.memory.too_much", "More than there is is not allocated.",
       [](S s) { return refused(allocate_bytes(s, std::size_t{1} << 50)); }, "code 2"},
      {"refuse.memory.nowhere", "Memory is written somewhere.",
       [](S s) { return refused(s.cu.allocate(nullptr, 64, s.cu.pool, s.stream())); }, kInvalid},
      {"refuse.pool.attribute", "A pool has the attributes that there are.",
       [](S s) { return refused(set_pool(s, 77)); }, kInvalid},
      {"take.pinned.portable", "Pinned memory may be of all contexts.",
       [](S s) { return refused(allocate_pinned(s, 1)); }, kTaken},
      {"refuse.pinned.flags", "Pinned memory has the flags that there are.",
       [](S s) { return refused(allocate_pinned(s, 0x100)); }, kInvalid},
      {"refuse.pinned.free_other", "What is not pinned is not freed.", [](S s) { return refused(free_of_program(s)); },
       kInvalid},
      {"refuse.capture.mode", "A capture has the modes that there are.", [](S s) { return refused(begin_in(s, 7)); },
       kInvalid},
      {"refuse.graph.flags", "A graph has no flags.", [](S s) { return refused(create_graph(s, 1)); }, kInvalid},
      {"take.graph.instantiate", "A graph is instantiated.", [](S s) { return refused(instantiate_with(s, 0)); },
       kTaken},
      {"refuse.graph.instantiate_flags", "... with the flags that there are.",
       [](S s) { return refused(instantiate_with(s, 0x100)); }, kInvalid},
      {"take.graph.fill", "A fill has elements of 1, 2 or 4 bytes, in rows.",
       [](S s) { return refused(fill_of(s, 4, 2)); }, kTaken},
      {"refuse.graph.fill_element", "... not of 3.", [](S s) { return refused(fill_of(s, 3, 1)); }, kInvalid},
      {"take.graph.change_fill", "An executable takes another fill of one row.",
       [](S s) { return changed_to_rows(s, 1, 1); }, "add 0, instantiate 0, change 0"},
      {"refuse.graph.change_to_rows", "... not of two.", [](S s) { return changed_to_rows(s, 1, 2); },
       "add 0, instantiate 0, change 1"},
      {"refuse.graph.change_from_rows", "... nor instead of two.", [](S s) { return changed_to_rows(s, 2, 1); },
       "add 0, instantiate 0, change 1"},
      {"take.graph.kernel", "A kernel is a node.", [](S s) { return refused(kernel_node(s, 1)); }, kTaken},
      {"refuse.graph.kernel_grid", "... not on an empty grid.", [](S s) { return refused(kernel_node(s, 0)); },
       kInvalid},
      {"refuse.device.attribute", "A device has the attributes that there are.",
       [](S s) { return refused(device_attribute(s, 100000, 0)); }, kInvalid},
      {"refuse.device.ordinal", "A device has an ordinal below their number.",
       [](S s) { return refused(get_device(s, kNoDevice)); }, "code 101"},
      {"refuse.device.attribute_of_none", "... also where an attribute is asked for.",
       [](S s) { return refused(device_attribute(s, 16, kNoDevice)); }, "code 101"},
      {"refuse.device.context", "... and a context.", [](S s) { return refused(retain_device(s, kNoDevice)); },
       "code 101"},
      {"take.error.name", "An error has a name.", [](S s) { return name_of(s, 400); }, "code 0, null 0"},
      {"refuse.error.name", "What is no error has none.", [](S s) { return name_of(s, 12345); }, "code 1, null 1"},
      {"refuse.library.option", "Code is loaded with the options that there are.",
       [](S s) { return refused(load_with(s, 77, true)); }, kInvalid},
  };
}

}  // namespace kmux::driver_rules
