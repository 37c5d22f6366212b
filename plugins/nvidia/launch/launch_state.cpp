#include "nvidia/launch/launch_state.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {

int LaunchStates::make(unsigned map_count, unsigned step_count, kmux_sink error) {
  if (states_.data() != nullptr || (map_count == 0 && step_count == 0)) return 0;
  if (!maps_.make(size_t{kCount} * map_count) || !nodes_.make(size_t{kCount} * step_count) || !states_.make(kCount)) {
    maps_.clear();
    nodes_.clear();
    return fail(error, KMUX_UNAVAILABLE,
                "out of memory for %u launch states (%u tensor maps and %u steps each). Free some.", kCount, map_count,
                step_count);
  }
  for (unsigned i = 0; i < kCount; ++i) {
    LaunchState& state = states_.data()[i];
    state.map_count = map_count;
    state.maps = maps_.data() + size_t{i} * map_count;
    state.replay.use(nodes_.data() + size_t{i} * step_count, step_count);
  }
  return 0;
}

ReplayFailure LaunchStates::close(const DriverTable& driver) {
  ReplayFailure first;
  for (unsigned i = 0; i < kCount && states_.data() != nullptr; ++i) {
    const ReplayFailure failure = states_.data()[i].replay.destroy({&driver});
    if (first.call == nullptr) first = failure;
  }
  return first;
}

}  // namespace kmux::nvidia
