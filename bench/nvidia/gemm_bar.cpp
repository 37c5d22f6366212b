#include <array>
#include <cstdio>
#include <stdexcept>

#include "kmux/compile.h"
#include "kmux/program.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bursts.h"
#include "ir/float_convert.h"
#include "nvidia/missing.h"
#include "nvidia/places.h"
#include "nvidia/raw_cuda.h"

namespace kmux::bench {
namespace {

constexpr std::int64_t kSize = 4096;
constexpr int kLaunches = 20;
constexpr double kTeraflop = 2e-12 * kSize * kSize * kSize;

// Returns small fractions without a pattern.
double value(std::uint32_t place) { return static_cast<double>((place * 2654435761U) >> 24) / 128 - 1; }

Tensor matrix(std::uint32_t seed) {
  const Tensor tensor = Tensor::empty({kSize, kSize}, dtype::kFloat16).value();
  for (std::uint32_t i = 0; i < kSize * kSize; ++i) {
    tensor.data_as<std::uint16_t>()[i] = static_cast<std::uint16_t>(float_to_bits(dtype::kFloat16, value(seed + i)));
  }
  return tensor;
}

double element(const Tensor& tensor, std::int64_t row, std::int64_t column) {
  return bits_to_float(dtype::kFloat16, tensor.data_as<std::uint16_t>()[row * kSize + column]);
}

void check(const Tensor& a, const Tensor& b, const Tensor& c) {
  for (std::int64_t i = 0; i < kSize; i += 411) {
    const std::int64_t j = (i * 7 + 5) % kSize;
    double expected = 0;
    for (std::int64_t k = 0; k < kSize; ++k) expected += element(a, i, k) * element(b, k, j);
    const double difference = std::abs(element(c, i, j) - expected);
    if (difference > 0.05 + 1e-3 * std::abs(expected)) throw std::runtime_error("the product is wrong");
  }
}

double gemm_ratio() {
  const RawCuda cuda;
  const Program program = load_program(places().root / "bench/kernels/gemm_4096/gemm_4096.kmux.json").value();
  const Kernel kernel = compile(program, {.execution_backend = "nvrtc", .include_dirs = places().headers}).value();
  kernel.await_best().value();
  const Tensor host_a = matrix(1), host_b = matrix(99);
  const std::array tensors{host_a.to(kernel.device()).value(), host_b.to(kernel.device()).value(),
                           Tensor::zeros({kSize, kSize}, dtype::kFloat16, kernel.device()).value()};
  const std::array<Arg, 3> args{tensors[0], tensors[1], tensors[2]};
  kernel.launch(args).value();
  kernel.device().synchronize().value();
  check(host_a, host_b, tensors[2].to(Device{}).value());

  const Body& body = program.variants[0].body;
  const Launch& launch = std::get<Launch>(body.steps[0]);
  std::array maps{encode(cuda, body.tensor_maps[0], tensors[0].data()),
                  encode(cuda, body.tensor_maps[1], tensors[1].data())};
  void* c = tensors[2].data();
  const auto smem_bytes = static_cast<unsigned>(launch.dynamic_smem_bytes.constant());
  const nvidia::CUfunction function = cuda.load(kernel, launch.kernel.c_str(), smem_bytes);
  RawLaunch raw(cuda, function, static_cast<unsigned>(launch.grid[0].constant()),
                static_cast<unsigned>(launch.block[0].constant()), {&maps[0], &maps[1], &c});
  raw.config().gridDimY = static_cast<unsigned>(launch.grid[1].constant());
  raw.config().sharedMemBytes = smem_bytes;
  const auto milliseconds = [&](auto&& once) {
    return [&cuda, once] {
      return milliseconds_of([&] {
        for (int i = 0; i < kLaunches; ++i) once();
        cuda.wait();
      });
    };
  };
  const Pairs pairs = in_turns(41, milliseconds([&] { kernel.launch(args).value(); }), milliseconds([&] { raw(); }));
  const double ours = kTeraflop * kLaunches / median(pairs.ours) * 1e3;
  const double theirs = kTeraflop * kLaunches / median(pairs.theirs) * 1e3;
  std::fprintf(stderr, "  %.0f TFLOP/s against %.0f TFLOP/s\n", ours, theirs);
  return ours / theirs;
}

/// TFLOP/s of TileLang's half-precision product of 4096 / those of raw launches of the same code.
BAR("gemm_ratio", "ratio", at_least(0.99), gemm_ratio, {.missing = missing_device});

}  // namespace
}  // namespace kmux::bench
