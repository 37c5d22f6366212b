// [jit_lazy.begin]
#include <array>
#include <cstdio>

#include <kmux/jit.h>

// What the kernel may be compiled for, with defaults; described once, so that members have names.
struct Config {
  std::int64_t taps = 3;
  bool clamp = false;
};
BOOST_DESCRIBE_STRUCT(Config, (), (taps, clamp))

kmux::Result<kmux::Program> moving_sum(const Config& config) {
  kmux::ProgramBuilder b("moving_sum");
  const kmux::Expr n = b.symbol("n");
  b.input("x", kmux::dtype::kFloat32, {n + config.taps - 1}).output("y", kmux::dtype::kFloat32, {n});
  b.variant("c").define("TAPS", config.taps).define("CLAMP", config.clamp).source("moving_sum.c", R"(
    void moving_sum(const float* x, float* y, long long n) {
      for (long long i = 0; i < n; ++i) {
        float sum = 0;
        for (int tap = 0; tap < TAPS; ++tap) sum += x[i + tap];
        y[i] = CLAMP && sum < 0 ? 0 : sum;
      }
    })");
  b.launch("moving_sum").args({"x", "y", "n"});
  return b.build();
}

int main() try {
  auto kernels = kmux::jit(moving_sum, {.target = "cpu"});

  const kmux::Kernel sum_of_2 = kernels({.taps = 2}).value();  // compiles; the same call again costs a hash
  const auto x = kmux::Tensor::from<float>({4}, kmux::dtype::kFloat32, std::array{1.0F, 2.0F, 3.0F, 4.0F}).value();
  const kmux::Tensor y = sum_of_2(x).and_then(kmux::single).value();
  std::printf("y = %g %g %g\n", y.data_as<float>()[0], y.data_as<float>()[1], y.data_as<float>()[2]);

  // Several at once, as aggregates or by names; what is not named has its default.
  kernels.par_compile({Config{.taps = 5}, kmux::NamedValues{{"clamp", true}}}).value();
  std::printf("%s\n", kernels.parse_cache_key(kmux::NamedValues{{"clamp", true}}).value().c_str());
  return 0;
} catch (const kmux::Exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
// [jit_lazy.end]
