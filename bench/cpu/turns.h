#pragma once

#include <functional>
#include <vector>

namespace kmux::bench::spmd {

/// The time of a call. Units: seconds.
struct Times {
  double best = 0;
  double median = 0;
};

/// Times the calls alternately, so that disturbances and short speed-ups affect all alike. Each turn runs burst by
/// burst, each long enough for a clock, until each call has had a tenth of a second. `best` is that of the shortest
/// burst of all turns. `median` is that of the turns' mean times.
std::vector<Times> time_in_turns(const std::vector<std::function<void()>>& calls);

/// Restricts this thread, and the threads it starts, to that many of its processors, or all if fewer are available.
class Processors {
 public:
  explicit Processors(int count);
  ~Processors();
  Processors(const Processors&) = delete;
  Processors& operator=(const Processors&) = delete;

 private:
  struct Set;
  Set* before_;
};

}  // namespace kmux::bench::spmd
