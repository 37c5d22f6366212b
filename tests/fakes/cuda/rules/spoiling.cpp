#include "groups.h"

namespace kmux::driver_rules {
namespace {

// Streams and objects from before a capture, as arguments of the calls.
struct Stage {
  explicit Stage(Scene& made_in) : scene(made_in) {
    const Handle origin = scene.stream();
    scene.begin(origin, kRelaxed);
    scene.fill(origin, memory, 3);
    scene.end_capture(origin, &graph);
    scene.instantiate(&executable, graph);
    scene.cu.event_record(event, other);
    scene.fill_by(scene.kernel_of(library), other, memory, 1, 0);
    scene.finish();
  }
  Scene& scene;
  Handle captured = scene.stream();
  Handle other = scene.stream();
  Handle event = scene.event();
  Handle library = scene.library();
  Address memory = scene.memory();
  Address spare = scene.memory();
  Handle graph = nullptr;
  Handle executable = nullptr;
  unsigned host[4] = {};
};

struct NamedCall {
  const char* name;
  bool spoils;
  std::function<Code(Stage&)> make;
};

Code set_threshold(Stage& stage) {
  constexpr int kReleaseThreshold = 4;
  std::uint64_t bytes = 0;
  return stage.scene.cu.pool_attribute_set(stage.scene.cu.pool, kReleaseThreshold, &bytes);
}

Code instantiate(Stage& stage) {
  Handle made = nullptr;
  return stage.scene.instantiate(&made, stage.graph);
}

Code load(Stage& stage) { return stage.scene.library() != nullptr ? 0 : -1; }

Code kernel_attributes(Stage& stage) {
  constexpr int kMaxThreads = 0;
  constexpr int kMaxDynamicShared = 8;
  int value = 0;
  const Code get = stage.scene.cu.kernel_attribute_get(&value, kMaxThreads, stage.scene.kernel(), 0);
  return get != 0 ? get : stage.scene.cu.kernel_attribute_set(kMaxDynamicShared, 1024, stage.scene.kernel(), 0);
}

Code capture_info(Stage& stage) {
  int status = -1;
  return stage.scene.cu.capture_info(stage.captured, &status, nullptr, nullptr, nullptr, nullptr);
}

Code streams(Stage& stage) {
  Handle made = nullptr;
  const Code create = stage.scene.cu.stream_create(&made, kNonBlocking);
  return create != 0 ? create : stage.scene.cu.stream_destroy(made);
}

Code events(Stage& stage) {
  Handle made = nullptr;
  const Code create = stage.scene.cu.event_create(&made, 0);
  if (create != 0) return create;
  const Code record = stage.scene.cu.event_record(made, stage.other);
  const Code wait = stage.scene.cu.stream_wait_event(stage.other, made, 0);
  const Code destroy = stage.scene.cu.event_destroy(made);
  return record != 0 ? record : wait != 0 ? wait : destroy;
}

Code pinned(Stage& stage) {
  void* made = nullptr;
  const Code code = stage.scene.cu.host_allocate(&made, 64, 0);
  if (code == 0) stage.scene.cu.host_free(made);
  return code;
}

Code graph_create(Stage& stage) {
  Handle made = nullptr;
  const Code code = stage.scene.cu.graph_create(&made, 0);
  return code != 0 ? code : stage.scene.cu.graph_destroy(made);
}

Code kernel_function(Stage& stage) {
  Handle function = nullptr;
  return stage.scene.cu.kernel_function(&function, stage.scene.kernel());
}

Code limit_get(Stage& stage) {
  constexpr int kPersistingL2 = 6;
  std::size_t bytes = 0;
  return stage.scene.cu.limit_get(&bytes, kPersistingL2);
}

Code device_attribute_get(Stage& stage) {
  constexpr int kMultiprocessors = 16;
  int value = 0;
  return stage.scene.cu.device_attribute(&value, kMultiprocessors, 0);
}

Code retain_and_release(Stage& stage) {
  Handle context = nullptr;
  const Code code = stage.scene.cu.primary_retain(&context, 0);
  return code != 0 ? code : stage.scene.cu.primary_release(0);
}

std::vector<NamedCall> calls() {
  constexpr int kPersistingL2 = 6;
  using S = Stage&;
  return {
      {"allocate", true,
       [](S s) {
         Address a = 0;
         return s.scene.allocate(&a, s.other);
       }},
      {"free", true, [](S s) { return s.scene.free(s.spare, s.other); }},
      {"pool_attribute", true, set_threshold},
      {"instantiate", true, instantiate},
      {"executable_destroy", true, [](S s) { return s.scene.destroy_executable(s.executable); }},
      {"stream_synchronize", true, [](S s) { return s.scene.cu.stream_synchronize(s.other); }},
      {"event_synchronize", true, [](S s) { return s.scene.cu.event_synchronize(s.event); }},
      {"limit", true, [](S s) { return s.scene.cu.limit_set(kPersistingL2, 1 << 20); }},
      {"pinned", true, pinned},
      {"graph_create", false, graph_create},
      {"kernel_function", false, kernel_function},
      {"limit_get", false, limit_get},
      {"device_attribute", false, device_attribute_get},
      {"retain_and_release", false, retain_and_release},
      {"unload", true, [](S s) { return s.scene.unload(s.library); }},
      {"reset_persisting", false, [](S s) { return s.scene.cu.reset_persisting(); }},
      {"memset", false, [](S s) { return s.scene.cu.memset8(s.memory, 1, 16, s.other); }},
      {"copy", false, [](S s) { return s.scene.cu.copy(s.memory, s.spare, 16, s.other); }},
      {"copy_to_device", false, [](S s) { return s.scene.cu.copy_to_device(s.memory, s.host, 16, s.other); }},
      {"copy_to_host", false, [](S s) { return s.scene.cu.copy_to_host(s.host, s.memory, 16, s.other); }},
      {"launch", false, [](S s) { return s.scene.fill(s.other, s.memory, 4); }},
      {"graph_launch", false, [](S s) { return s.scene.cu.graph_launch(s.executable, s.other); }},
      {"events", false, events},
      {"streams", false, streams},
      {"load", false, load},
      {"kernel_attributes", false, kernel_attributes},
      {"capture_info", false, capture_info},
      {"memory_info", false,
       [](S s) {
         std::size_t free = 0, total = 0;
         return s.scene.cu.memory_info(&free, &total);
       }},
  };
}

struct Circumstance {
  const char* name;
  int mode;             // of the capture
  bool by_other_thread;  // true if another thread makes the call
  int thread_mode;      // of the calling thread
  bool forbids;
};

std::vector<Circumstance> circumstances() {
  return {
      {"global.same_thread", kGlobal, false, kGlobal, true},
      {"global.other_thread", kGlobal, true, kGlobal, true},
      {"thread_local.same_thread", kThreadLocal, false, kGlobal, true},
      {"thread_local.other_thread", kThreadLocal, true, kGlobal, false},
      {"relaxed.same_thread", kRelaxed, false, kGlobal, false},
      {"relaxed.other_thread", kRelaxed, true, kGlobal, false},
      {"global.same_thread_relaxed", kGlobal, false, kRelaxed, false},
      {"global.other_thread_relaxed", kGlobal, true, kRelaxed, false},
      {"thread_local.same_thread_relaxed", kThreadLocal, false, kRelaxed, false},
      {"global.same_thread_local", kGlobal, false, kThreadLocal, true},
      {"global.other_thread_local", kGlobal, true, kThreadLocal, false},
  };
}

Code call_in_mode(Stage& stage, const NamedCall& call, int mode) {
  const Driver& cu = stage.scene.cu;
  cu.exchange_capture_mode(&mode);
  const Code code = call.make(stage);
  cu.exchange_capture_mode(&mode);
  return code;
}

std::string play(Scene& scene, const NamedCall& call, const Circumstance& circumstance) {
  Stage stage(scene);
  scene.begin(stage.captured, circumstance.mode);
  scene.fill(stage.captured, stage.memory, 2);
  Code code = -1;
  const auto make = [&] { code = call_in_mode(stage, call, circumstance.thread_mode); };
  if (circumstance.by_other_thread) {
    on_other_thread(scene, make);
  } else {
    make();
  }
  return told({{"call", code}, {"end", scene.end_capture(stage.captured)}});
}

}  // namespace

std::vector<Rule> spoiling_rules() {
  std::vector<Rule> rules;
  for (const Circumstance& circumstance : circumstances()) {
    for (const NamedCall& call : calls()) {
      const bool spoiled = call.spoils && circumstance.forbids;
      Rule rule;
      rule.name = std::string("spoil.") + circumstance.name + "." + call.name;
      rule.sentence = std::string("Beside a capture (") + circumstance.name + ") " + call.name +
                      (spoiled ? " is refused and ends it." : " is allowed.");
      rule.outcome = [call, circumstance](Scene& scene) { return play(scene, call, circumstance); };
      rule.expected = spoiled ? "call 900, end 901" : "call 0, end 0";
      rules.push_back(std::move(rule));
    }
  }
  return rules;
}

}  // namespace kmux::driver_rules
