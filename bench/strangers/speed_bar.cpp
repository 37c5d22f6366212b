#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/program.h"

#include "bars/bar.h"
#include "kernels.h"
#include "native_libraries.h"

namespace kmux::bench::strangers {
namespace {

constexpr const char* kKernels[] = {"product_in_registers", "histogram_of_block", "histogram_of_warps",
                                    "march_over_planes", "softmax_of_rows"};

/// A function of native.cpp.
using NativeFunction = void (*)(void* const* tensors);

// Returns the native builds, compiled once per process.
const std::vector<NativeLibrary>& native_code() {
  static const std::vector<NativeLibrary>& all = *new std::vector<NativeLibrary>(
      native_libraries({"-march=native", "-ffast-math", std::string(KMUX_BENCH_STRANGERS) + "/native.cpp"}));
  return all;
}

/// The tensors of a program; the first is its result.
class Tensors {
 public:
  explicit Tensors(const Program& program) {
    for (const Param& param : program.signature.params) add(std::get<BufferParam>(param.kind));
    for (const Tensor& tensor : tensors_) arguments_.emplace_back(tensor);
    clear();
  }
  const std::vector<Arg>& arguments() const { return arguments_; }
  void* const* addresses() const { return addresses_.data(); }
  void clear() { std::fill(memory_.front().begin(), memory_.front().end(), 0); }
  /// Returns the elements of the result, summed over all rows of `width`.
  std::vector<double> result(std::size_t width) const;

 private:
  void add(const BufferParam& buffer);

  std::vector<std::vector<std::uint32_t>> memory_;
  std::vector<void*> addresses_;
  std::vector<Tensor> tensors_;
  std::vector<Arg> arguments_;
};

// Fills with floats from 0 to 1, and words of any bits.
void Tensors::add(const BufferParam& buffer) {
  std::vector<std::int64_t> shape;
  std::size_t count = 1;
  for (const Expr& extent : buffer.shape) shape.push_back(extent.constant());
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  std::mt19937 random(static_cast<unsigned>(memory_.size()));
  std::vector<std::uint32_t>& words = memory_.emplace_back(count);
  for (std::uint32_t& word : words) {
    word = static_cast<std::uint32_t>(random());
    const float number = static_cast<float>(word >> 8) * 0x1p-24F;
    if (buffer.dtype == dtype::kFloat32) std::memcpy(&word, &number, sizeof number);
  }
  addresses_.push_back(words.data());
  tensors_.push_back(Tensor::borrow(words.data(), shape, buffer.dtype));
}

std::vector<double> Tensors::result(std::size_t width) const {
  const std::vector<std::uint32_t>& words = memory_.front();
  std::vector<double> sums(width);
  for (std::size_t i = 0; i < words.size(); ++i) {
    float number = 0;
    std::memcpy(&number, &words[i], sizeof number);
    const bool is_float = tensors_.front().dtype() == dtype::kFloat32;
    sums[i % width] += is_float ? static_cast<double>(number) : words[i];
  }
  return sums;
}

/// An implementation, with its best time of a call.
struct Entrant {
  std::string name;
  std::function<void()> call;
  double best = 0;
};

// Returns the processor time of this thread, which excludes other load.
double seconds_of(const Entrant& entrant, int calls) {
  timespec begin{}, end{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (int i = 0; i < calls; ++i) entrant.call();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  const auto seconds = static_cast<double>(end.tv_sec - begin.tv_sec);
  return (seconds + static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-9) / calls;
}

void time_in_bursts(std::vector<Entrant>& entrants) {
  constexpr int kBursts = 60;
  constexpr int kCalls = 2;
  for (int burst = 0; burst < kBursts; ++burst) {
    for (Entrant& entrant : entrants) {
      const double seconds = seconds_of(entrant, kCalls);
      entrant.best = entrant.best == 0 ? seconds : std::min(entrant.best, seconds);
    }
  }
}

// All results must equal the first one's; histograms may be in parts.
void compare(const std::string& kernel, std::vector<Entrant>& entrants, Tensors& tensors) {
  constexpr double kTolerance = 1e-4;
  const std::size_t width = kernel.starts_with("histogram") ? 256 : 1 << 12;
  std::vector<double> wanted;
  for (Entrant& entrant : entrants) {
    tensors.clear();
    entrant.call();
    const std::vector<double> found = tensors.result(width);
    if (wanted.empty()) wanted = found;
    for (std::size_t i = 0; i < width; ++i) {
      if (std::abs(found[i] - wanted[i]) <= kTolerance * (1 + std::abs(wanted[i]))) continue;
      throw std::runtime_error(kernel + ": what " + entrant.name + " computes is not what " + entrants[0].name +
                               " does");
    }
  }
}

double speed_of(const std::string& name) {
  const Program program = load_program(kernel_path(name)).value();
  const Kernel kernel = compile(program, cpu_options("full")).value();
  Tensors tensors(program);
  std::vector<Entrant> entrants = {{"kmux", [&] { kernel.launch(tensors.arguments()).value(); }}};
  for (const NativeLibrary& code : native_code())
    entrants.push_back({code.compiler, [&, function = reinterpret_cast<NativeFunction>(
                                               code.library.symbol(name).value())] { function(tensors.addresses()); }});
  compare(name, entrants, tensors);
  time_in_bursts(entrants);
  double native = entrants[1].best;
  for (std::size_t i = 1; i < entrants.size(); ++i) native = std::min(native, entrants[i].best);
  std::fprintf(stderr, "  %-24s %.2f:", name.c_str(), native / entrants[0].best);
  for (const Entrant& entrant : entrants) std::fprintf(stderr, " %s %.3f ms", entrant.name.c_str(), entrant.best * 1e3);
  std::fprintf(stderr, "\n");
  return native / entrants[0].best;
}

double speed_worst() {
  use_one_thread();
  double worst = 1e9;
  for (const char* const kernel : kKernels) worst = std::min(worst, speed_of(kernel));
  return worst;
}

/// The slowest of five kernels over the faster of g++ and clang++ with -O3 -march=native -ffast-math, one thread.
BAR("stranger_speed_worst", "ratio", at_least(0.5), speed_worst);

}  // namespace
}  // namespace kmux::bench::strangers
