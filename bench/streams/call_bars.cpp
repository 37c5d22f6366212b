#include <array>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/plugin/process.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bars/settings.h"
#include "bursts.h"
#include "nvidia/call_programs.h"
#include "nvidia/missing.h"
#include "nvidia/raw_cuda.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 501;
constexpr int kCalls = 100;  // fewer than the driver's queue holds
constexpr std::int64_t kLength = 4096;

Kernel compiled() {
  const Program program = add_program();
  CompileOptions options{.execution_backend = "nvrtc"};
  if (program.signature.outputs.empty()) options.out_idx = {-1};
  Kernel kernel = compile(program, options).value();
  kernel.await_best().value();
  return kernel;
}

// Calls of one kernel on a separate stream, and the cost of its outputs without stream order.
class Subject {
 public:
  Subject()
      : kernel_(compiled()),
        stream_(Stream::create(kernel_.device()).value()),
        a_(Tensor::zeros({kLength}, dtype::kFloat32, kernel_.device(), stream_).value()),
        b_(Tensor::zeros({kLength}, dtype::kFloat32, kernel_.device(), stream_).value()),
        inputs_{Arg(a_.dl()), Arg(b_.dl())} {  // views: the cost of recording inputs is measured elsewhere
    cuda_.check(cuda_.calls().device_pool(&pool_, 0), "cuDeviceGetDefaultMemPool");
    kernel_.warm().value();
    outputs_.reserve(kCalls);
    addresses_.reserve(kCalls);
  }

  double ordered(StreamRef stream, bool drops) {
    wait();
    const double nanoseconds = nanoseconds_of(kCalls, [&] {
      Result<Outputs> outputs = kernel_.call(inputs_, stream);
      if (!outputs) throw std::runtime_error(outputs.error().message);
      if (!drops) outputs_.push_back(*std::move(outputs));
    });
    outputs_.clear();
    return nanoseconds;
  }

  double unordered(StreamRef stream, bool drops) {
    wait();
    const auto memory = [this](std::vector<std::int64_t> shape, DType dtype, const Device& device, StreamRef) {
      return allocate(std::move(shape), dtype, device);
    };
    const double nanoseconds = nanoseconds_of(kCalls, [&] {
      Result<Outputs> outputs = kernel_.call(inputs_, stream, memory);
      if (!outputs) throw std::runtime_error(outputs.error().message);
      if (drops)
        free_all();
      else
        outputs_.push_back(*std::move(outputs));
    });
    outputs_.clear();
    free_all();
    return nanoseconds;
  }

  double launches(StreamRef stream) {
    const Tensor c = Tensor::zeros({kLength}, dtype::kFloat32, kernel_.device(), stream_).value();
    const std::array<Arg, 3> args{Arg(a_), Arg(b_), Arg(c)};  // in the order of stream_
    wait();
    return nanoseconds_of(kCalls, [&] {
      if (!kernel_.launch(args, stream).ok()) throw std::runtime_error("a launch failed");
    });
  }
  const Device& device() const { return kernel_.device(); }
  StreamRef stream() const { return stream_; }

 private:
  Result<Tensor> allocate(std::vector<std::int64_t> shape, DType dtype, const Device& device) {
    nvidia::CUcontext current = nullptr;
    cuda_.check(cuda_.calls().current_get(&current), "cuCtxGetCurrent");
    nvidia::CUdeviceptr address = 0;
    cuda_.check(cuda_.calls().allocate(&address, kLength * sizeof(float), pool_, nullptr), "cuMemAllocFromPoolAsync");
    addresses_.push_back(address);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are numbers
    return Tensor::borrow(reinterpret_cast<void*>(address), std::move(shape), dtype, device);
  }
  void free_all() {
    for (const nvidia::CUdeviceptr address : addresses_) {
      nvidia::CUcontext current = nullptr;
      cuda_.check(cuda_.calls().current_get(&current), "cuCtxGetCurrent");
      cuda_.check(cuda_.calls().free(address, nullptr), "cuMemFreeAsync");
    }
    addresses_.clear();
  }
  void wait() {
    stream_.synchronize().value();
    cuda_.wait();
  }

  RawCuda cuda_;
  nvidia::CUmemoryPool pool_ = nullptr;
  Kernel kernel_;
  Stream stream_;
  Tensor a_;
  Tensor b_;
  std::array<Arg, 2> inputs_;
  std::vector<Outputs> outputs_;
  std::vector<nvidia::CUdeviceptr> addresses_;
};

// Returns the result of `call_allocating` of `build`, run in a separate process.
double allocating_difference(const std::string& build, const std::string& reference) {
  const std::string module = "/lib/libcall_allocating_module.so";
  const Command command{{build + "/bench/call_allocating", build + module, reference + module}};
  const ProcessResult measured = run(command).value();
  if (measured.exit_code != 0) throw std::runtime_error(measured.standard_error);
  return std::stod(measured.standard_output);
}

// Measures both builds alternately in one process; the median of nine processes.
double call_allocating_added_ns() {
  constexpr int kProcesses = 9;
  const std::filesystem::path bench = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::vector<double> differences;
  for (int i = 0; i < kProcesses; ++i)
    differences.push_back(allocating_difference(bench.parent_path().string(), setting("reference")));
  return median(std::move(differences));
}

std::string missing_reference() {
  return setting("reference").empty() ? "no build to compare with (--reference FOLDER)" : missing_device();
}

double call_over_raw_ns() {
  Subject subject;
  return in_turns(
             kBursts, [&] { return subject.ordered({}, false); }, [&] { return subject.unordered({}, false); })
      .median_difference();
}
double call_and_drop_over_raw_ns() {
  Subject subject;
  return in_turns(
             kBursts, [&] { return subject.ordered({}, true); }, [&] { return subject.unordered({}, true); })
      .median_difference();
}
double launch_elsewhere_added_ns() {
  Subject subject;
  const Stream other = Stream::create(subject.device()).value();
  return in_turns(
             kBursts, [&] { return subject.launches(other); }, [&] { return subject.launches(subject.stream()); })
      .median_difference();
}

/// Kernel::call on the default stream, less the same call of another commit's build (bench/streams/reference.sh).
BAR("call_allocating_added_ns", "ns", at_most(60), call_allocating_added_ns, {.missing = missing_reference});

/// That call, less a launch whose output one bare call of the driver allocates.
BAR("call_over_raw_ns", "ns", no_limit(), call_over_raw_ns, {.missing = missing_device, .processes = 9});

/// The same with outputs dropped within the time.
BAR("call_and_drop_over_raw_ns", "ns", no_limit(), call_and_drop_over_raw_ns,
    {.missing = missing_device, .processes = 9});

/// What a launch costs more whose three tensors belong to another stream: an event behind it for each.
BAR("launch_elsewhere_added_ns", "ns", no_limit(), launch_elsewhere_added_ns,
    {.missing = missing_device, .processes = 9});

}  // namespace
}  // namespace kmux::bench
