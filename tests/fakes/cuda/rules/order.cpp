#include <chrono>
#include <thread>

#include "groups.h"

namespace kmux::driver_rules {
namespace {

constexpr bool kOverlapRounds = true;

// Writes a slow 1 on `first` and a fast 2 on `second`. Returns the value of the last write.
std::string last_of(Scene& scene, Handle first, Handle second) {
  const Address x = scene.memory();
  scene.fill_slowly(first, x, 1);
  scene.fill(second, x, 2);
  scene.finish();
  return told({{"reads", scene.read(x)}});
}

std::string last_of_threads(Scene& scene) {
  const Address x = scene.memory();
  scene.fill_slowly(kPerThread, x, 1);
  on_other_thread(scene, [&] { scene.fill(kPerThread, x, 2), scene.cu.stream_synchronize(kPerThread); });
  scene.finish();
  return told({{"reads", scene.read(x)}});
}

std::string after_waiting_for(Scene& scene, Handle busy, Handle waited) {
  const Address x = scene.memory();
  scene.fill_slowly(busy, x, 1);
  const Code code = scene.cu.stream_synchronize(waited);
  const unsigned seen = scene.read(x);
  scene.finish();
  return told({{"wait", code}, {"reads", seen}});
}

std::string wait_for_event(Scene& scene, bool recorded) {
  const Handle first = scene.stream();
  const Handle second = scene.stream();
  const Handle event = scene.event();
  const Address x = scene.memory();
  scene.fill_slowly(first, x, 1);
  if (recorded) scene.cu.event_record(event, first);
  const Code code = scene.cu.stream_wait_event(second, event, 0);
  scene.fill(second, x, 2);
  scene.finish();
  return told({{"wait", code}, {"reads", scene.read(x)}});
}

std::string record_again(Scene& scene) {
  const Handle first = scene.stream();
  const Handle second = scene.stream();
  const Handle event = scene.event();
  const Address x = scene.memory();
  scene.cu.event_record(event, first);
  scene.cu.stream_wait_event(second, event, 0);
  scene.fill_slowly(first, x, 1);
  scene.cu.event_record(event, first);
  scene.fill(second, x, 2);
  scene.finish();
  return told({{"reads", scene.read(x)}});
}

std::string event_destroyed(Scene& scene) {
  const Handle first = scene.stream();
  const Handle second = scene.stream();
  const Address x = scene.memory();
  Handle event = nullptr;
  scene.cu.event_create(&event, 0);
  scene.fill_slowly(first, x, 1);
  scene.cu.event_record(event, first);
  scene.cu.stream_wait_event(second, event, 0);
  const Code code = scene.cu.event_destroy(event);
  scene.fill(second, x, 2);
  scene.finish();
  return told({{"destroy", code}, {"reads", scene.read(x)}});
}

std::string event_of_legacy(Scene& scene) {
  const Handle blocking = scene.stream(kBlocking);
  const Handle other = scene.stream();
  const Handle event = scene.event();
  const Address x = scene.memory();
  scene.fill_slowly(blocking, x, 1);
  scene.cu.event_record(event, nullptr);
  scene.cu.stream_wait_event(other, event, 0);
  scene.fill(other, x, 2);
  scene.finish();
  return told({{"reads", scene.read(x)}});
}

std::string elapsed_early(Scene& scene) {
  const Handle stream = scene.stream();
  const Handle begin = scene.event();
  const Handle end = scene.event();
  const Address x = scene.memory();
  float milliseconds = -1;
  const Code none = scene.cu.event_elapsed(&milliseconds, begin, end);
  const Code nothing = scene.cu.event_synchronize(end);
  scene.cu.event_record(begin, stream);
  scene.fill_slowly(stream, x, 1);
  scene.cu.event_record(end, stream);
  const Code early = scene.cu.event_elapsed(&milliseconds, begin, end);
  scene.cu.event_synchronize(end);
  const Code late = scene.cu.event_elapsed(&milliseconds, begin, end);
  return told({{"unrecorded", none}, {"wait", nothing}, {"early", early}, {"late", late}, {"reads", scene.read(x)}});
}

std::string elapsed_unrecorded(Scene& scene) {
  float milliseconds = -1;
  const Handle begin = scene.event();
  const Handle end = scene.event();
  const Code none = scene.cu.event_elapsed(&milliseconds, begin, end);
  return told({{"elapsed", none}, {"wait", scene.cu.event_synchronize(end)}});
}

std::string destroyed_stream(Scene& scene, bool then_legacy) {
  const Handle stream = scene.stream(kBlocking);
  const Address x = scene.memory();
  scene.fill_slowly(stream, x, 1);
  scene.destroy(stream);
  if (then_legacy) scene.fill(nullptr, x, 2);
  scene.finish();
  for (int tries = 0; !then_legacy && scene.read(x) == 0 && tries < 100; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return told({{"reads", scene.read(x)}});
}

std::string unload_behind_kernel(Scene& scene) {
  const Handle library = scene.library();
  const Address x = scene.memory();
  scene.fill_by(scene.kernel_of(library), scene.stream(), x, 5, Scene::kSlowCycles);
  const Code code = scene.unload(library);
  return told({{"unload", code}, {"reads", scene.read(x)}});
}

std::string capturing_without_context(Scene& scene, Handle stream) {
  Code code = -1;
  int status = -1;
  on_other_thread(scene, [&] { code = scene.cu.stream_capturing(stream, &status); }, false);
  return told({{"call", code}, {"status", status}});
}

}  // namespace

std::vector<Rule> order_rules() {
  using S = Scene&;
  return {
      {"order.one_stream", "A stream does its work in order.",
       [](S s) {
         const Handle a = s.stream();
         return last_of(s, a, a);
       },
       "reads 2"},
      {"order.legacy_waits_for_blocking", "The legacy stream waits for blocking streams.",
       [](S s) { return last_of(s, s.stream(kBlocking), nullptr); }, "reads 2"},
      {"order.blocking_waits_for_legacy", "Blocking streams wait for the legacy stream.",
       [](S s) { return last_of(s, nullptr, s.stream(kBlocking)); }, "reads 2"},
      {"order.legacy_waits_for_per_thread", "The legacy stream waits for a per-thread stream.",
       [](S s) { return last_of(s, kPerThread, nullptr); }, "reads 2"},
      {"order.per_thread_waits_for_legacy", "A per-thread stream waits for the legacy stream.",
       [](S s) { return last_of(s, nullptr, kPerThread); }, "reads 2"},
      {"order.legacy_has_two_handles", "Handles 0 and 1 are one stream.",
       [](S s) { return last_of(s, nullptr, kLegacy); }, "reads 2"},
      {"order.non_blocking_ignores_legacy", "Non-blocking streams do not wait for the legacy stream.",
       [](S s) { return last_of(s, nullptr, s.stream()); }, "reads 1", kOverlapRounds},
      {"order.legacy_ignores_non_blocking", "The legacy stream does not wait for non-blocking streams.",
       [](S s) { return last_of(s, s.stream(), nullptr); }, "reads 1", kOverlapRounds},
      {"order.blocking_ignores_blocking", "Two blocking streams do not wait for each other.",
       [](S s) {
         const Handle a = s.stream(kBlocking);
         return last_of(s, a, s.stream(kBlocking));
       },
       "reads 1", kOverlapRounds},
      {"order.per_thread_is_one_a_thread", "Each thread has a per-thread stream of its own.", last_of_threads,
       "reads 1", kOverlapRounds},
      {"order.legacy_synchronizes_blocking", "Waiting for the legacy stream waits for blocking streams.",
       [](S s) { return after_waiting_for(s, s.stream(kBlocking), nullptr); }, "wait 0, reads 1"},
      {"order.blocking_synchronizes_itself", "Waiting for a blocking stream does not wait for the legacy stream.",
       [](S s) { return after_waiting_for(s, nullptr, s.stream(kBlocking)); }, "wait 0, reads 0", kOverlapRounds},
      {"order.destroyed_stream_ends", "A destroyed stream does what it has got.",
       [](S s) { return destroyed_stream(s, false); }, "reads 1"},
      {"order.legacy_waits_for_destroyed", "The legacy stream waits for a blocking stream that was destroyed.",
       [](S s) { return destroyed_stream(s, true); }, "reads 2"},
      {"event.orders", "What follows a wait comes after what the event recorded.",
       [](S s) { return wait_for_event(s, true); }, "wait 0, reads 2"},
      {"event.unrecorded_orders_nothing", "An event that was never recorded is not waited for.",
       [](S s) { return wait_for_event(s, false); }, "wait 0, reads 1", kOverlapRounds},
      {"event.recording_again_leaves_waits", "A wait is for what was recorded when it was made.", record_again,
       "reads 1", kOverlapRounds},
      {"event.destroyed_event_is_waited_for", "A wait outlives its event.", event_destroyed, "destroy 0, reads 2"},
      {"event.of_legacy_covers_blocking", "An event of the legacy stream is behind the blocking streams.",
       event_of_legacy, "reads 2"},
      {"event.elapsed_early", "Times of events are there when their work is done.", elapsed_early,
       "unrecorded 400, wait 0, early 600, late 0, reads 1", kOverlapRounds},
      {"event.elapsed_unrecorded", "Events that were never recorded have no time and are not waited for.",
       elapsed_unrecorded, "elapsed 400, wait 0"},
      {"unload.waits", "Unloading a library waits for its kernels.", unload_behind_kernel, "unload 0, reads 5"},
      {"context.is_capturing_of_stream", "Whether a stream captures can be asked without a context.",
       [](S s) { return capturing_without_context(s, s.stream()); }, "call 0, status 0"},
      {"context.is_capturing_of_legacy",
       "The capture of the legacy stream, which is of the current context, cannot be queried without one.",
       [](S s) { return capturing_without_context(s, nullptr); }, "call 201, status -1"},
  };
}

}  // namespace kmux::driver_rules
