#include "sorting_program.h"

#include <cstdio>
#include <string>
#include <vector>

#include "kmux/builder.h"

namespace kmux {
namespace {

constexpr int kRefused = 3;
constexpr int kWrong = 4;
constexpr std::size_t kSize = 64;

constexpr const char* kSource = R"(#include <algorithm>
#include <map>
#include <string>
#include <vector>
extern "C" void sorting(const float* a, float* b) {
  std::vector<float> v(a, a + 64);
  std::map<std::string, float> m;
  for (float x : v) m[std::to_string(x)] += x;
  std::stable_sort(v.begin(), v.end());
  std::copy(v.begin(), v.end(), b);
  if (m.empty()) b[0] = -1;
}
)";

constexpr const char* kQuickSource = R"(#include <cmath>
extern "C" void sorting(const float* a, float* b) {
  for (int i = 0; i < 64; ++i) {
    int at = i;
    for (; at > 0 && std::isgreater(b[at - 1], a[i]); --at) b[at] = b[at - 1];
    b[at] = a[i];
  }
}
)";

Program sorting_by(const std::string& source) {
  ProgramBuilder builder("sorting");
  builder.input("A", dtype::kFloat32, {64}).output("B", dtype::kFloat32, {64});
  builder.variant("c").source("sorting.cpp", source);
  builder.launch("sorting").args({"A", "B"});
  return builder.build().value();
}

}  // namespace

Program sorting(int number) { return sorting_by(kSource + ("// " + std::to_string(number) + "\n")); }

Program quick_sorting() { return sorting_by(kQuickSource); }

Status call_sorting(const Kernel& kernel) {
  std::vector<float> a(kSize);
  std::vector<float> b(kSize);
  for (std::size_t i = 0; i < kSize; ++i) a[i] = static_cast<float>((i * 37) % kSize);
  KMUX_TRY(kernel.launch(
      {Tensor::borrow(a.data(), {64}, dtype::kFloat32), Tensor::borrow(b.data(), {64}, dtype::kFloat32)}));
  for (std::size_t i = 0; i < kSize; ++i)
    if (b[i] != static_cast<float>(i)) return make_error(ErrorCode::kInternal, "wrong result");
  return Ok{};
}

int refused(const Error& error) {
  std::printf("%s: %s\n", std::string(to_string(error.code)).c_str(), error.message.c_str());
  return error.code == ErrorCode::kInternal ? kWrong : kRefused;
}

int compile_and_call(Runtime& runtime, const Program& program) {
  const auto kernel = compile(runtime, program, {.execution_backend = "cpu"});
  if (!kernel) return refused(kernel.error());
  const Status called = call_sorting(*kernel);
  if (!called) return refused(called.error());
  std::puts("right");
  return 0;
}

}  // namespace kmux
