// [jit_eager.begin]
#include <array>
#include <cstdio>

#include <kmux/jit.h>

struct Config {
  std::int64_t tile = 4;
};
BOOST_DESCRIBE_STRUCT(Config, (), (tile))

// Describes c = a @ b for the tensors of a call: `k` and `n` are compiled in, one kernel serves every `m`.
kmux::JitOutputs matmul(kmux::JitBuilder& b, std::span<const kmux::Tensor>, const Config& config) {
  const auto [k, n] = b.constants("k", "n");
  const kmux::Expr m = b.symbol("m");
  const auto a = b.input("a", {m, k});
  b.input("b", {k, n});
  const auto c = b.empty("c", a.dtype(), {m, n});

  b.variant("c").define("K", k.value()).define("N", n.value()).define("TILE", config.tile).source("matmul.c", R"(
    void matmul(const float* a, const float* b, float* c, long long m) {
      for (long long i = 0; i < m; ++i)
        for (int first = 0; first < N; first += TILE)
          for (int j = first; j < first + TILE && j < N; ++j) {
            float sum = 0;
            for (int l = 0; l < K; ++l) sum += a[i * K + l] * b[l * N + j];
            c[i * N + j] = sum;
          }
    })");
  b.launch("matmul").args({"a", "b", "c", "m"});
  return c;
}

int main() try {
  auto multiply = kmux::jit(matmul, {}, {.name = "matmul"});

  const auto matrix = [](std::int64_t rows, std::int64_t columns, float value) {
    const std::vector<float> values(static_cast<std::size_t>(rows * columns), value);
    return kmux::Tensor::from<float>({rows, columns}, kmux::dtype::kFloat32, values).value();
  };
  const kmux::Tensor b = matrix(8, 2, 3);
  const kmux::Tensor c = multiply(matrix(5, 8, 1), b).and_then(kmux::single).value();  // compiles, then runs
  const kmux::Tensor d = multiply(matrix(9, 8, 2), b).and_then(kmux::single).value();  // other rows: the same kernel
  const kmux::Tensor e = multiply(matrix(5, 8, 1), b, Config{.tile = 2}).and_then(kmux::single).value();
  std::printf("%g %g %g\n", c.data_as<float>()[0], d.data_as<float>()[0], e.data_as<float>()[0]);
  return 0;
} catch (const kmux::Exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
// [jit_eager.end]
