#pragma once

#include <functional>
#include <vector>

namespace kmux::bench::spmd {

/// How long a call takes. Units: seconds.
struct Times {
  double best = 0;
  double median = 0;
};

/// Times the calls in turns, so that what disturbs the machine meets all alike, and what favours it for a moment, too: burst by burst,
/// each of which a clock can measure, until each call has had a tenth of a second in a turn. `best` is of the shortest burst of all
/// turns. `median` is that of the turns' mean times.
std::vector<Times> time_in_turns(const std::vector<std::function<void()>>& calls);

/// This thread, and those that it starts, run on that many processors of those that it may use, or all.
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
