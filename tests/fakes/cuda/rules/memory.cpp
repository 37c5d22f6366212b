#include "groups.h"

namespace kmux::driver_rules {
namespace {

constexpr bool kOverlaps = true;
constexpr std::size_t kOdd = (std::size_t{5} << 20) + (std::size_t{1} << 16);  // no other rule has blocks like it

std::string reuse(Scene& scene, bool slow) {
  const Handle stream = scene.stream();
  Address a = 0;
  Address b = 0;
  const Code first = scene.allocate(&a, stream, kOdd);
  if (slow) scene.fill_slowly(stream, a, 1);
  const Code freed = scene.free(a, stream);
  const Code second = scene.allocate(&b, stream, kOdd);
  return told({{"alloc", first}, {"free", freed}, {"alloc", second}, {"same", a == b}});
}

// Returns a block of `stream` that was freed while a kernel has yet to write to it.
Address freed_while_written(Scene& scene, Handle stream) {
  Address block = 0;
  scene.allocate(&block, stream, kOdd);
  scene.fill_slowly(stream, block, 1);
  scene.free(block, stream);
  return block;
}

std::string reuse_behind_event(Scene& scene) {
  const Handle first = scene.stream();
  const Handle second = scene.stream();
  const Handle event = scene.event();
  const Address a = freed_while_written(scene, first);
  Address b = 0;
  scene.cu.event_record(event, first);
  scene.cu.stream_wait_event(second, event, 0);
  scene.allocate(&b, second, kOdd);
  return told({{"same", a == b}});
}

std::string free_elsewhere(Scene& scene) {
  const Handle second = scene.stream();
  freed_while_written(scene, scene.stream());
  Address b = 0;
  scene.allocate(&b, second, kOdd);
  scene.fill(second, b, 2);
  scene.finish();
  return told({{"reads", scene.read(b)}});
}

// A block has two owners in the order of the legacy stream. The slow kernel of the first owner writes to it on `first`,
// the second owner on `second`: one of the streams does not take part in that order.
std::string owned_twice(Scene& scene, Handle first, Handle second) {
  Address a = 0;
  Address b = 0;
  scene.allocate(&a, nullptr, kOdd);
  scene.cu.stream_synchronize(nullptr);
  scene.fill_slowly(first, a, 111);
  scene.free(a, nullptr);
  scene.allocate(&b, nullptr, kOdd);
  scene.fill(second, b, 222);
  scene.cu.stream_synchronize(second);
  scene.finish();
  return told({{"same", a == b}, {"own", scene.read(b) == 222}});
}

std::string source_changed(Scene& scene, std::size_t bytes) {
  const Handle stream = scene.stream();
  const Address x = scene.memory();
  std::vector<unsigned> host(bytes / sizeof(unsigned), 7);
  scene.fill_slowly(stream, x, 1);
  const Code code = scene.cu.copy_to_device(x, host.data(), bytes, stream);
  host.assign(host.size(), 8);
  scene.finish();
  return told({{"copy", code}, {"reads", scene.read(x)}});
}

std::string copied_to_host(Scene& scene) {
  const Handle stream = scene.stream();
  const Address x = scene.memory();
  unsigned host = 0;
  scene.fill_slowly(stream, x, 9);
  const Code code = scene.cu.copy_to_host(&host, x, sizeof host, stream);
  return told({{"copy", code}, {"holds", host}});
}

std::string arguments_changed(Scene& scene) {
  const Handle stream = scene.stream();
  Address x = scene.memory();
  const Address to = x;
  unsigned value = 3;
  std::uint64_t cycles = 0;
  void* args[] = {&x, &value, &cycles};
  const LaunchConfig config = {{1, 1, 1}, {1, 1, 1}, 0, stream, nullptr, 0};
  scene.fill_slowly(stream, x, 1);
  const Code code = scene.cu.launch(&config, scene.kernel(), args, nullptr);
  value = 4, x = 0;
  scene.finish();
  return told({{"launch", code}, {"reads", scene.read(to)}});
}

std::string freed_twice(Scene& scene) {
  const Handle stream = scene.stream();
  Address a = 0;
  scene.allocate(&a, stream, kOdd);
  const Code first = scene.free(a, stream);
  return told({{"free", first}, {"again", scene.cu.free(a, stream)}});
}

}  // namespace

std::vector<Rule> memory_rules() {
  using S = Scene&;
  return {
      {"pool.reuses_in_stream_order", "Memory freed on a stream is given to the next allocation on it.",
       [](S s) { return reuse(s, false); }, "alloc 0, free 0, alloc 0, same 1"},
      {"pool.reuses_before_the_free_is_done", "... also while the work before the free is not done.",
       [](S s) { return reuse(s, true); }, "alloc 0, free 0, alloc 0, same 1"},
      {"pool.reuses_behind_an_event", "... and on a stream that waits for an event behind the free.",
       reuse_behind_event, "same 1"},
      {"pool.protects_another_stream", "What is given to a stream that does not wait is not in use any more.",
       free_elsewhere, "reads 2"},
      {"pool.next_owner_elsewhere",
       "Memory used on a stream that is not ordered with its allocation holds what the owner "
       "before wrote.",
       [](S s) { return owned_twice(s, nullptr, s.stream()); }, "same 1, own 0", kOverlaps},
      {"pool.free_before_use_ends",
       "Memory freed on a stream that is not ordered with its use is written to after it has "
       "the next owner.",
       [](S s) { return owned_twice(s, s.stream(), nullptr); }, "same 1, own 0", kOverlaps},
      {"pool.freed_twice", "Memory can be freed once.", freed_twice, "free 0, again 1"},
      {"copy.reads_its_source_at_once", "A copy from pageable memory reads it before it returns.",
       [](S s) { return source_changed(s, 64); }, "copy 0, reads 7"},
      {"copy.reads_its_large_source_at_once", "... large ones, too.",
       [](S s) { return source_changed(s, std::size_t{2} << 20); }, "copy 0, reads 7"},
      {"copy.to_host_is_complete", "A copy to pageable memory is complete when it returns.", copied_to_host,
       "copy 0, holds 9"},
      {"launch.copies_arguments", "Arguments are read before a launch returns.", arguments_changed,
       "launch 0, reads 3"},
  };
}

}  // namespace kmux::driver_rules
