#pragma once

#include <functional>
#include <vector>

namespace kmux::bench::spmd {

/// How long a call takes. Units: seconds.
struct Times {
  double best = 0;
  double median = 0;
};

/// Times the calls in turns, so that what disturbs the machine meets all alike. A turn is calls for a tenth of a second, in
/// bursts that a clock can measure: its shortest burst counts, of which `best` is the least. `median` is that of the turns'
/// mean times.
std::vector<Times> time_in_turns(const std::vector<std::function<void()>>& calls);

/// This thread, and those that it starts, run on one processor.
class OneProcessor {
 public:
  OneProcessor();
  ~OneProcessor();
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  struct Set;
  Set* before_;
};

}  // namespace kmux::bench::spmd
