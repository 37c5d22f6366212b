// What `Kernel::call` of one build takes beyond that of another: both are loaded into this process and called in turns, so that
// what differs between processes, and that is thousands of nanoseconds, is the same for both.
//
// call_allocating OURS THEIRS default|stream [drop]: the modules of call_allocating_module.cpp; on the default stream or one of
// its own; outputs dropped within the time, or after. Prints the median difference, ours, theirs: nanoseconds.
#include <cstdio>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bursts.h"
#include "order/call_allocating_module.h"

namespace kmux::bench {
namespace {

constexpr int kRounds = 501;

// Calls of one build.
class Subject {
 public:
  explicit Subject(const std::string& module) : module_(dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (module_ == nullptr) throw std::runtime_error(dlerror());
    subject_ = function<decltype(kmux_call_allocating_open)>("kmux_call_allocating_open")();
    if (subject_ == nullptr) throw std::runtime_error(module + " cannot call its kernel. It said why above.");
    burst_ = function<decltype(kmux_call_allocating_burst)>("kmux_call_allocating_burst");
  }

  double burst(bool on_own_stream, bool drops) const {
    const double nanoseconds = burst_(subject_, on_own_stream, drops);
    if (nanoseconds == 0) throw std::runtime_error("a call failed. The module said why above.");
    return nanoseconds;
  }

 private:
  template <class Function>
  Function* function(const char* name) const {
    void* const found = dlsym(module_, name);
    if (found == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<Function*>(found);
  }

  void* module_;
  void* subject_ = nullptr;
  decltype(&kmux_call_allocating_burst) burst_ = nullptr;
};

int main(const std::vector<std::string>& words) {
  const Subject ours(words.at(0));
  const Subject theirs(words.at(1));
  const bool on_own_stream = words.at(2) == "stream";
  const bool drops = words.size() > 3;
  const Pairs pairs = in_turns(
      kRounds, [&] { return ours.burst(on_own_stream, drops); }, [&] { return theirs.burst(on_own_stream, drops); });
  std::printf("%.1f %.1f %.1f\n", pairs.median_difference(), median(pairs.ours), median(pairs.theirs));
  return 0;
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) try {
  return kmux::bench::main({argv + 1, argv + argc});
} catch (const std::exception& error) {
  std::fprintf(stderr, "call_allocating: %s\n", error.what());
  return 1;
}
