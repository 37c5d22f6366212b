// Measures the time of `Kernel::call` of one build beyond that of another. Both are loaded into this process and called
// alternately, since processes differ by thousands of nanoseconds.
//
// call_allocating OURS THEIRS [stream] [drop] [current]: the modules of call_allocating_module.cpp. With `stream` on a
// separate stream instead of the default one; with `drop` outputs are dropped within the time, else after; with
// `current` the device's context is current on the thread, else none. Prints the median difference, ours, theirs:
// nanoseconds.
#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "bursts.h"
#include "streams/call_allocating_module.h"

namespace kmux::bench {
namespace {

constexpr int kRounds = 501;

// The calls of one build.
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

template <class Function, class... Arguments>
void call_driver(void* driver, const char* name, Arguments... arguments) {
  const auto call = reinterpret_cast<Function*>(dlsym(driver, name));
  if (call == nullptr || call(arguments...) != 0) throw std::runtime_error(std::string(name) + " failed.");
}

// Makes the primary context of device 0 current, as an application that uses CUDA's runtime does.
void make_current() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* context = nullptr;
  call_driver<int(void**, int)>(driver, "cuDevicePrimaryCtxRetain", &context, 0);
  call_driver<int(void*)>(driver, "cuCtxSetCurrent", context);
}

int main(const std::vector<std::string>& words) {
  const Subject ours(words.at(0));
  const Subject theirs(words.at(1));
  const auto is_said = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  const bool on_own_stream = is_said("stream");
  const bool drops = is_said("drop");
  if (is_said("current")) make_current();
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
