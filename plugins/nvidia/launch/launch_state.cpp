#include "nvidia/launch/launch_state.h"

#include <new>
#include <stdlib.h>

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {

namespace {

// `count` objects side by side; null for none and without memory. Their alignment divides their size, so lanes share no cache line.
template <class Object>
Object* make_aligned(size_t count) {
  if (count == 0) return nullptr;
  void* memory = aligned_alloc(alignof(Object), count * sizeof(Object));
  if (memory == nullptr) return nullptr;
  Object* objects = static_cast<Object*>(memory);
  for (size_t i = 0; i < count; ++i) new (&objects[i]) Object();
  return objects;
}

template <class Object>
void free_aligned(Object* objects, size_t count) {
  for (size_t i = 0; i < (objects == nullptr ? 0 : count); ++i) objects[i].~Object();
  free(objects);
}

}  // namespace

LaunchStates::~LaunchStates() { clear(); }

int LaunchStates::make(unsigned map_count, unsigned step_count, kmux_sink error) {
  if (states_ != nullptr || (map_count == 0 && step_count == 0)) return 0;
  map_count_ = map_count;
  step_count_ = step_count;
  maps_ = make_aligned<MapSlot>(size_t{kCount} * map_count);
  nodes_ = make_aligned<ReplayNode>(size_t{kCount} * step_count);
  states_ = make_aligned<LaunchState>(kCount);
  if (states_ == nullptr || (maps_ == nullptr && map_count > 0) || (nodes_ == nullptr && step_count > 0)) {
    clear();
    return fail(error, KMUX_UNAVAILABLE,
                "out of memory for %u launch states (%u tensor maps and %u steps each). Free some.", kCount, map_count,
                step_count);
  }
  for (unsigned i = 0; i < kCount; ++i) {
    states_[i].map_count = map_count;
    states_[i].maps = maps_ + size_t{i} * map_count;
    states_[i].replay.use(nodes_ + size_t{i} * step_count, step_count);
  }
  return 0;
}

void LaunchStates::clear() {
  free_aligned(states_, kCount);
  free_aligned(nodes_, size_t{kCount} * step_count_);
  free_aligned(maps_, size_t{kCount} * map_count_);
  states_ = nullptr;
  nodes_ = nullptr;
  maps_ = nullptr;
}

ReplayFailure LaunchStates::close(const DriverTable& driver) {
  ReplayFailure first;
  for (unsigned i = 0; i < kCount && states_ != nullptr; ++i) {
    const ReplayFailure failure = states_[i].replay.destroy(driver);
    if (first.call == nullptr) first = failure;
  }
  return first;
}

}  // namespace kmux::nvidia
