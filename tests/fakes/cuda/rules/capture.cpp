#include "groups.h"

namespace kmux::driver_rules {
namespace {

std::string replayed(Scene& scene) {
  const Handle stream = scene.stream();
  const Address x = scene.memory();
  const Code begin = scene.begin(stream, kGlobal);
  scene.fill(stream, x, 1);
  scene.cu.memset8(x + 4, 1, 4, stream);
  scene.cu.copy(x + 8, x + 4, 4, stream);
  Handle graph = nullptr;
  Handle executable = nullptr;
  const Code end = scene.end_capture(stream, &graph);
  const unsigned before = scene.read(x);
  scene.instantiate(&executable, graph);
  const Code launch = scene.cu.graph_launch(executable, stream);
  scene.finish();
  return told({{"begin", begin},
               {"end", end},
               {"before", before},
               {"launch", launch},
               {"reads", scene.read(x)},
               {"reads", scene.read(x + 8)}});
}

// Two streams that write to one place, and an event between them.
struct TwoStreams {
  Scene& scene;
  const Handle stream = scene.stream();
  const Handle other = scene.stream();
  const Handle event = scene.event();
  const Address x = scene.memory();

  // Makes `other` wait for the work of `stream` so far.
  Code fork() const {
    scene.cu.event_record(event, stream);
    return scene.cu.stream_wait_event(other, event, 0);
  }
};

// Forks to another stream; `joined`: and joins it back.
std::string forked(Scene& scene, bool with_work, bool joined) {
  const TwoStreams two{scene};
  const Handle join = scene.event();
  scene.begin(two.stream, kGlobal);
  scene.fill_slowly(two.stream, two.x, 1);
  const Code wait = two.fork();
  const int status = scene.status(two.other);
  if (with_work) scene.fill_slowly(two.other, two.x, 2);
  scene.cu.event_record(join, two.other);
  if (joined) scene.cu.stream_wait_event(two.stream, join, 0);
  scene.fill(two.stream, two.x, joined ? 3 : 2);
  Handle graph = nullptr;
  Handle executable = nullptr;
  const Code end = scene.end_capture(two.stream, &graph);
  if (end == 0) scene.instantiate(&executable, graph), scene.cu.graph_launch(executable, two.stream);
  scene.finish();
  return told({{"wait", wait}, {"status", status}, {"end", end}, {"reads", scene.read(two.x)}});
}

std::string waits_for_outside(Scene& scene) {
  const TwoStreams two{scene};
  scene.fill(two.other, two.x, 1);
  scene.cu.event_record(two.event, two.other);
  scene.begin(two.stream, kGlobal);
  scene.fill(two.stream, two.x, 2);
  const Code wait = scene.cu.stream_wait_event(two.stream, two.event, 0);
  return told({{"wait", wait}, {"end", scene.end_capture(two.stream)}});
}

std::string waits_on_host(Scene& scene) {
  const Handle stream = scene.stream();
  const Handle event = scene.event();
  scene.begin(stream, kRelaxed);
  scene.fill(stream, scene.memory(), 1);
  scene.cu.event_record(event, stream);
  const Code wait = scene.cu.event_synchronize(event);
  return told({{"wait", wait}, {"end", scene.end_capture(stream)}});
}

std::string merged(Scene& scene) {
  const TwoStreams two{scene};
  scene.begin(two.stream, kRelaxed);
  scene.begin(two.other, kRelaxed);
  scene.fill(two.stream, two.x, 1);
  scene.fill(two.other, two.x, 1);
  const Code wait = two.fork();
  const Code end = scene.end_capture(two.stream);
  return told({{"wait", wait}, {"end", end}, {"end", scene.end_capture(two.other)}});
}

std::string synchronized(Scene& scene, int mode) {
  const Handle stream = scene.stream();
  const Address x = scene.memory();
  scene.begin(stream, mode);
  scene.fill(stream, x, 1);
  const Code wait = scene.cu.stream_synchronize(stream);
  const int status = scene.status(stream);
  const Code launch = scene.fill(stream, x, 1);
  return told({{"wait", wait}, {"status", status}, {"launch", launch}, {"end", scene.end_capture(stream)}});
}

// Makes a call on the legacy stream while a blocking stream is captured.
std::string legacy_meanwhile(Scene& scene, const std::function<Code(Address)>& call) {
  const Handle stream = scene.stream(kBlocking);
  const Address x = scene.memory();
  scene.begin(stream, kRelaxed);
  scene.fill(stream, x, 1);
  const Code code = call(x);
  return told({{"call", code}, {"end", scene.end_capture(stream)}});
}

std::string begun(Scene& scene, Handle stream) {
  const Code begin = scene.begin(stream, kRelaxed);
  if (begin == 0) scene.end_capture(stream);
  return told({{"begin", begin}});
}

std::string begun_twice(Scene& scene) {
  const Handle stream = scene.stream();
  scene.begin(stream, kGlobal);
  const Code again = scene.begin(stream, kGlobal);
  return told({{"begin", again}, {"end", scene.end_capture(stream)}});
}

std::string ended_by_thread(Scene& scene, int mode) {
  const Handle stream = scene.stream();
  const Address x = scene.memory();
  scene.begin(stream, mode);
  scene.fill(stream, x, 1);
  Code other = -1;
  on_other_thread(scene, [&] { other = scene.end_capture(stream); });
  return told({{"end", other}, {"status", scene.status(stream)}});
}

std::string ended_on_fork(Scene& scene) {
  const TwoStreams two{scene};
  scene.begin(two.stream, kGlobal);
  scene.fill(two.stream, two.x, 1);
  two.fork();
  const Code end = scene.end_capture(two.other);
  return told({{"end", end}, {"status", scene.status(two.stream)}});
}

std::string ids(Scene& scene) {
  const Handle first = scene.stream();
  const Handle second = scene.stream();
  std::uint64_t seen[4] = {};
  int status = -1;
  scene.begin(first, kRelaxed);
  scene.begin(second, kRelaxed);
  scene.cu.capture_info(first, &status, &seen[0], nullptr, nullptr, nullptr);
  scene.cu.capture_info(second, &status, &seen[1], nullptr, nullptr, nullptr);
  scene.cu.capture_info(first, &status, &seen[2], nullptr, nullptr, nullptr);
  scene.end_capture(first);
  scene.begin(first, kRelaxed);
  scene.cu.capture_info(first, &status, &seen[3], nullptr, nullptr, nullptr);
  return told({{"status", status},
               {"lasts", seen[0] == seen[2]},
               {"other", seen[0] != seen[1]},
               {"anew", seen[3] != seen[0] && seen[3] != seen[1]}});
}

// Captures an allocation, freed or not, and launches the graph twice.
std::string allocated(Scene& scene, bool freed, unsigned long long flags, bool free_outside = false) {
  const Handle stream = scene.stream();
  Address a = 0;
  scene.begin(stream, kGlobal);
  const Code allocate = scene.cu.allocate(&a, Scene::kBytes, scene.cu.pool, stream);
  scene.fill(stream, a, 1);
  const Code free = freed ? scene.cu.free(a, stream) : 0;
  Handle graph = nullptr;
  Handle executable = nullptr;
  const Code end = scene.end_capture(stream, &graph);
  const Code instantiate = scene.instantiate(&executable, graph, flags);
  const Code first = scene.cu.graph_launch(executable, stream);
  if (free_outside) scene.cu.free(a, stream);
  const Code second = scene.cu.graph_launch(executable, stream);
  scene.finish();
  if (!freed) scene.cu.free(a, stream);
  return told({{"alloc", allocate},
               {"free", free},
               {"end", end},
               {"instantiate", instantiate},
               {"launch", first},
               {"launch", second}});
}

std::string freed_outside_memory(Scene& scene) {
  const Handle stream = scene.stream();
  const Address x = scene.memory();
  scene.begin(stream, kGlobal);
  scene.fill(stream, x, 1);
  const Code free = scene.cu.free(x, stream);
  return told({{"free", free}, {"status", scene.status(stream)}, {"end", scene.end_capture(stream)}});
}

}  // namespace

std::vector<Rule> capture_rules() {
  using S = Scene&;
  const auto legacy_launch = [](S s) { return legacy_meanwhile(s, [&](Address x) { return s.fill(nullptr, x, 2); }); };
  const auto legacy_query = [](S s) { return legacy_meanwhile(s, [&](Address) { return -s.status(nullptr); }); };
  const auto legacy_wait = [](S s) {
    return legacy_meanwhile(s, [&](Address) { return s.cu.stream_synchronize(nullptr); });
  };
  return {
      {"capture.replays", "What is captured is done when its graph is launched.", replayed,
       "begin 0, end 0, before 0, launch 0, reads 1, reads 16843009"},
      {"capture.forks_and_joins", "A stream that waits for an event of a capture joins it.",
       [](S s) { return forked(s, true, true); }, "wait 0, status 1, end 0, reads 3"},
      {"capture.must_be_joined", "A capture whose streams were not joined is lost.",
       [](S s) { return forked(s, true, false); }, "wait 0, status 1, end 904, reads 0"},
      {"capture.need_not_join_idle_streams", "A stream that got nothing need not be joined.",
       [](S s) { return forked(s, false, false); }, "wait 0, status 1, end 0, reads 2"},
      {"capture.waits_for_nothing_outside", "A captured stream cannot wait for what is not captured.",
       waits_for_outside, "wait 905, end 901"},
      {"capture.has_no_host_waits", "The host cannot wait for an event of a capture.", waits_on_host,
       "wait 907, end 901"},
      {"capture.does_not_merge", "Two captures cannot wait for each other.", merged, "wait 902, end 901, end 901"},
      {"capture.cannot_be_synchronized", "A captured stream cannot be waited for.",
       [](S s) { return synchronized(s, kGlobal); }, "wait 900, status 2, launch 901, end 901"},
      {"capture.cannot_be_synchronized_relaxed", "... in relaxed mode, too.",
       [](S s) { return synchronized(s, kRelaxed); }, "wait 900, status 2, launch 901, end 901"},
      {"capture.legacy_launch", "A launch on the legacy stream spoils captures of blocking streams.", legacy_launch,
       "call 906, end 901"},
      {"capture.legacy_query", "Asking the legacy stream about captures is refused then, and spoils none.",
       legacy_query, "call 906, end 0"},
      {"capture.legacy_synchronize",
       "Waiting for the legacy stream spoils captures of blocking streams, relaxed ones, too.", legacy_wait,
       "call 906, end 901"},
      {"capture.not_of_legacy", "The legacy stream cannot be captured.", [](S s) { return begun(s, nullptr); },
       "begin 900"},
      {"capture.of_per_thread", "A per-thread stream can be captured.", [](S s) { return begun(s, kPerThread); },
       "begin 0"},
      {"capture.begun_twice", "A captured stream cannot begin another capture, and goes on with its own.", begun_twice,
       "begin 401, end 0"},
      {"capture.ended_unbegun", "A stream that is not captured has no capture to end.",
       [](S s) { return told({{"end", s.end_capture(s.stream())}}); }, "end 401"},
      {"capture.ended_by_other_thread", "A capture is ended by the thread that began it.",
       [](S s) { return ended_by_thread(s, kGlobal); }, "end 908, status 0"},
      {"capture.relaxed_ended_by_other_thread", "... but for relaxed ones.",
       [](S s) { return ended_by_thread(s, kRelaxed); }, "end 0, status 0"},
      {"capture.ended_on_fork", "A capture is ended on the stream that began it.", ended_on_fork, "end 903, status 2"},
      {"capture.ids", "Each capture of a process has an id of its own.", ids, "status 1, lasts 1, other 1, anew 1"},
  };
}

std::vector<Rule> node_rules() {
  using S = Scene&;
  return {
      {"node.allocation_and_free", "Allocations and frees of a captured stream are nodes.",
       [](S s) { return allocated(s, true, 0); }, "alloc 0, free 0, end 0, instantiate 0, launch 0, launch 0"},
      {"node.allocation_left", "A graph whose allocation was not freed cannot be launched again.",
       [](S s) { return allocated(s, false, 0); }, "alloc 0, free 0, end 0, instantiate 0, launch 0, launch 1"},
      {"node.allocation_left_auto_free", "... but with AUTO_FREE_ON_LAUNCH.",
       [](S s) { return allocated(s, false, kAutoFreeOnLaunch); },
       "alloc 0, free 0, end 0, instantiate 0, launch 0, launch 0"},
      {"node.allocation_freed_outside", "... or after it was freed on a stream.",
       [](S s) { return allocated(s, false, 0, true); }, "alloc 0, free 0, end 0, instantiate 0, launch 0, launch 0"},
      {"node.free_of_outside_memory", "A captured stream cannot free memory that its capture did not allocate.",
       freed_outside_memory, "free 1, status 1, end 0"},
  };
}

}  // namespace kmux::driver_rules
