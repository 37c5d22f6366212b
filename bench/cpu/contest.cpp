#include "contest.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

#include "cuda_kernel.h"
#include "memory.h"
#include "native_code.h"
#include "opencl.h"

namespace kmux::bench::spmd {
namespace {

/// All implementations of a problem.
class Contestants {
 public:
  Contestants(const Problem& problem, bool with_pocl) : problem_(problem), memory_(problem), ours_(problem, memory_) {
    for (const auto& [name, value] : problem.scalars) scalars_.push_back(value);
    add("kmux", [this] { ours_(); });
    for (const NativeCode& code : native_code()) {
      add(code.compiler,
          [this, function = code.function(problem.native)] { function(memory_.addresses(), scalars_.data()); });
    }
    if (with_pocl) pocl_.emplace(problem, memory_);
    if (with_pocl) add("PoCL", [this] { (*pocl_)(); });
  }

  Contest run() {
    check();
    const std::vector<Times> times = time_in_turns(calls_);
    Contest result;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (names_[i] == "kmux") {
        result.ours = times[i];
      } else if (names_[i] == "PoCL") {
        result.pocl = times[i];
      } else {
        result.native[names_[i]] = times[i];
      }
    }
    tell(times);
    return result;
  }

 private:
  void add(const std::string& name, std::function<void()> call) {
    names_.push_back(name);
    calls_.push_back(std::move(call));
  }

  std::vector<double> output_of(std::size_t which) const {
    memory_.clear_output();
    calls_[which]();
    return memory_.output();
  }

  void check() const {
    const std::vector<double> wanted = output_of(1);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (i != 1) check_output(problem_, names_[i], output_of(i), wanted);
    }
  }

  void tell(const std::vector<Times>& times) const {
    std::string line;
    char word[64];
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto speed = [&](double seconds) { return problem_.work / seconds * 1e-9; };
      std::snprintf(word, sizeof word, "  %s %.4g (%.4g)", names_[i].c_str(), speed(times[i].best),
                    speed(times[i].median));
      line += word;
    }
    std::fprintf(stderr, "  %-32s %s, best (median):%s\n", problem_.title.c_str(), problem_.unit.c_str(), line.c_str());
  }

  const Problem& problem_;
  const Memory memory_;
  const CudaKernel ours_;
  std::vector<int> scalars_;
  std::optional<OpenClKernel> pocl_;
  std::vector<std::string> names_;
  std::vector<std::function<void()>> calls_;
};

}  // namespace

double Contest::over_native() const {
  double best = 0;
  for (const auto& [compiler, times] : native) best = best == 0 ? times.best : std::min(best, times.best);
  return best / ours.best;
}

const Contest& contest(const Problem& problem, bool with_pocl) {
  static std::map<std::string, Contest>& known = *new std::map<std::string, Contest>;
  const auto found = known.find(problem.title);
  if (found != known.end() && (found->second.pocl || !with_pocl)) return found->second;
  const Processors one(1);
  return known[problem.title] = Contestants(problem, with_pocl).run();
}

double least_over_native(std::span<const Problem> problems) {
  double least = 0;
  for (const Problem& problem : problems) {
    const double ratio = contest(problem).over_native();
    least = least == 0 ? ratio : std::min(least, ratio);
  }
  return least;
}

}  // namespace kmux::bench::spmd
