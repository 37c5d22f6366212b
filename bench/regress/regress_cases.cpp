#include <algorithm>
#include <vector>

#include "kmux/plugin/word_list.h"

#include "regress/call_cases.h"
#include "regress/cold_cases.h"
#include "regress/references.h"
#include "regress/regress_case.h"

namespace kmux::regress {
namespace {

/// Compares the reference with itself: a finding here is due to the machine or the check.
Duel control(const std::filesystem::path&) { return {calls_reference(), calls_reference()}; }

const std::vector<RegressCase>& all_cases() {
  static const std::vector<RegressCase> cases = {
      {"control", "the reference against itself", "calls", control, 40, 40},
      {"call_cpu", "a call of a kernel of the processor", "calls", call_cpu, 2000, 40, kThresholdOfCalls},
      {"call_null", "a checked call of a kernel that does nothing", "calls", call_null, 2000, 40, kThresholdOfCalls},
      {"call_wrong", "a call that is refused, with its message", "heap", call_wrong, 200, 20},
      {"call_trace_off", "a call after a trace, which is over", "a call before any trace", call_trace_off, 2000, 2000,
       kThresholdOfCalls},
      {"plan_runner", "a plan executed over a driver that does nothing", "calls", plan_runner, 2000, 40,
       kThresholdOfCalls},
      {"eager", "a call of an eager function", "calls", eager, 1000, 40, kThresholdOfCalls},
      {"resolve", "choosing among three backends", "heap", resolve_three, 10, 20},
      {"wrap", "printing a launcher", "heap", wrap_launcher, 2, 20},
      {"deserialise", "reading a program from its JSON", "heap", deserialise, 4, 20},
      {"hit_memory", "compiling what this process has compiled", "heap", hit_memory, 500, 20},
      {"hit_disk", "building what is in the cache on disk", "file", hit_disk, 1, 20},
      {"cold_compile", "compiling four lines of C in the process", "heap", cold_compile, 1, 1000, 0.20,
       Clock::kProcessor},
  };
  return cases;
}

}  // namespace

std::span<const RegressCase> regress_cases() { return all_cases(); }

Result<const RegressCase*> find_case(const std::string& name) {
  const auto found = std::ranges::find(all_cases(), name, &RegressCase::name);
  if (found != all_cases().end()) return &*found;
  std::vector<std::string> names;
  for (const RegressCase& known : all_cases()) names.push_back(known.name);
  return make_error(ErrorCode::kInvalidArgument,
                    "there is no case \"" + name + "\" (the cases: " + join(names) + "). Name one of them.");
}

}  // namespace kmux::regress
