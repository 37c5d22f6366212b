// The main job on real input: programs are loaded, a backend is chosen, they are compiled in process, run on .npy
// tensors and checked against a reference.
//
// usage: demo ROOT HEADERS WORK   (the source tree, the folder with tl_templates/, a folder to write .npy files to)
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>

#include <kmux/compile.h>
#include <kmux/npy.h>
#include <kmux/program.h>

#include "reference.h"
#include "report.h"

namespace demo {
namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 1e-4;  // single precision, sums of 256 products

// Where programs come from, what they need to compile, and where tensors are kept.
struct Setting {
  fs::path programs;
  fs::path kernels;
  std::vector<std::string> include_dirs;
  fs::path work;
  bool tilelang;
};

Setting setting_of(const fs::path& root, const fs::path& headers, const fs::path& work) {
  fs::create_directories(work);
  if (fs::exists(headers / "tl_templates/cpp/common.h"))
    return {root / "tests/data/tilelang", root / "examples/kernels", {headers.string()}, work, true};
  return {root / "examples/programs", root / "examples/kernels", {}, work, false};
}

// A .npy file of random values, written and read back: the way from a file to a tensor is part of the job.
kmux::Tensor random_input(const Setting& setting, const std::string& name, std::vector<std::int64_t> shape) {
  const kmux::Tensor made = kmux::Tensor::empty(std::move(shape), kmux::dtype::kFloat32).value();
  std::minstd_rand bits(std::hash<std::string>{}(name) % 1000 + 1);
  std::uniform_real_distribution<float> values(-1, 1);
  for (float& value : std::span(made.data_as<float>(), made.element_count())) value = values(bits);
  const fs::path path = setting.work / (name + ".npy");
  kmux::save_npy(path, made).value();
  return kmux::load_npy(path).value();
}

std::span<const float> values_of(const kmux::Tensor& tensor) {
  return {tensor.data_as<float>(), static_cast<std::size_t>(tensor.element_count())};
}

// Loads and compiles the program `name`, and reports which backend was found and how long it took.
kmux::Kernel compiled(const Setting& setting, const std::string& name, Report& report) {
  const fs::path path = setting.programs / name / (name + ".kmux.json");
  const kmux::Program program = kmux::load_program(path).value();
  report.row("program", name + ": " + program.metadata.description + " (" + program.metadata.origin + ")");
  report.row("computes", program.metadata.reference);
  const auto begin = std::chrono::steady_clock::now();
  kmux::Kernel kernel = kmux::compile(program, {.target = "auto", .include_dirs = setting.include_dirs}).value();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.row("compiled", seconds_text(seconds) + " in process, by backend '" + kernel.backend() + "' for " +
                             kmux::to_string(kernel.target()) +
                             (kernel.tier().empty() ? "" : ", tier " + kernel.tier()));
  return kernel;
}

struct Product {
  MatmulShape shape;
  kmux::Tensor a, b, c;
};

// Calls `kernel` once for its result, and then, in its best tier, as often as it takes to know its speed.
double product_seconds(const kmux::Kernel& kernel, const Product& product, const std::string& label, Report& report) {
  const kmux::Tensor c = kernel(product.a, product.b).and_then(kmux::single).value();
  const auto expected = matmul(values_of(product.a), values_of(product.b), product.shape);
  report.result(label, largest_difference(values_of(c), expected), kTolerance);
  kernel.await_best().value();
  return best_seconds([&] { kernel.launch({product.a, product.b, c}).value(); });
}

Product product_of(const Setting& setting, MatmulShape shape) {
  return {shape, random_input(setting, "A" + std::to_string(shape.m), {shape.m, shape.k}),
          random_input(setting, "B", {shape.k, shape.n}),
          kmux::Tensor::zeros({shape.m, shape.n}, kmux::dtype::kFloat32).value()};
}

std::string speed_text(double flops, double seconds) {
  return seconds_text(seconds) + " a call, " + number_text(flops / seconds * 1e-9, "GFLOP/s");
}

void matrix_product(const Setting& setting, Report& report) {
  report.title("A matrix product");
  const kmux::Kernel kernel = compiled(setting, "gemm", report);
  report.row("resolved", kernel.resolution().explain());
  const Product product = product_of(setting, {256, 256, 256});
  const double seconds = product_seconds(kernel, product, "result", report);
  const double naive = best_seconds([&] {
    naive_matmul(product.a.data_as<float>(), product.b.data_as<float>(), product.c.data_as<float>(), product.shape);
  });
  report.row("speed", speed_text(product.shape.flops(), seconds));
  report.row("three loops", speed_text(product.shape.flops(), naive) + " (the same product as plain C++)");
  report.row("so", number_text(naive / seconds, "times as fast"));

  const kmux::Tensor wrong = random_input(setting, "wrong", {255, 256});
  const auto refused = kernel(product.a, wrong);
  report.expect("wrong call", !refused.ok(), refused.ok() ? "a B of 255 rows was taken" : refused.error().message);
}

void any_rows(const Setting& setting, Report& report) {
  report.title("One compiled program for any number of rows");
  const kmux::Kernel kernel = compiled(setting, setting.tilelang ? "gemm_dynamic" : "gemm", report);
  for (const std::int64_t m : {1, 100, 1000}) {
    const std::string label = "m = " + std::to_string(m);
    const Product product = product_of(setting, {m, 256, 256});
    const double seconds = product_seconds(kernel, product, label, report);
    report.row("", speed_text(product.shape.flops(), seconds));
  }
}

void any_length(const Setting& setting, Report& report) {
  report.title("A scalar argument and a vector of any length");
  const kmux::Kernel kernel = compiled(setting, "scale", report);
  for (const std::int64_t n : {1, 1000, 1000000}) {
    const kmux::Tensor x = random_input(setting, "x" + std::to_string(n), {n});
    const kmux::Tensor y = kernel(x, 1.5).and_then(kmux::single).value();
    std::vector<double> expected(values_of(x).begin(), values_of(x).end());
    for (double& value : expected) value *= 1.5;
    report.result("n = " + std::to_string(n), largest_difference(values_of(y), expected), kTolerance);
  }
}

// The kernel that a GPU would run, on this processor, beside the loops that one writes for it.
void cuda_kernel(const Setting& setting, Report& report) {
  report.title("A CUDA kernel, on this processor");
  const kmux::Program program = kmux::load_program(setting.kernels / "mandelbrot.kmux.json").value();
  report.row("program", program.metadata.description + ", in CUDA C++: " + program.variants[0].sources[0].path);
  const kmux::Kernel kernel = kmux::compile(program, {.execution_backend = "cpu"}).value();
  kernel.await_best().value();
  const Plane plane{600, 800, -2.2F, -1.2F, 0.004F, 200};
  const kmux::Tensor corner =
      kmux::Tensor::from<float>({2}, kmux::dtype::kFloat32, std::vector{plane.x, plane.y}).value();
  const kmux::Tensor counts = kmux::Tensor::zeros({plane.height, plane.width}, kmux::dtype::kInt32).value();
  const double seconds = best_seconds(
      [&] { kernel.launch({corner, counts, plane.height, plane.width, plane.step, plane.limit}).value(); });
  std::vector<int> expected;
  const double loops = best_seconds([&] { expected = escape_counts(plane); });
  // Points at the edge of the set end a step earlier or later where a product and a sum are rounded once or twice.
  const double different = share_of_different({counts.data_as<int>(), expected.size()}, expected);
  report.expect("result", different < 0.01,
                number_text(100 * different, "% of the points differ by how they are rounded"));
  report.row("speed", seconds_text(seconds) + " a call; the same as loops in C++, one thread: " + seconds_text(loops));
  report.row("so", number_text(loops / seconds, "times as fast, a vector element for each thread of a block"));
}

int run(const Setting& setting) {
  Report report;
  std::puts(setting.tilelang
                ? "kmux demo: programs that TileLang generated, on this machine's processor"
                : "kmux demo: programs written by hand (TileLang's headers are not there, and what TileLang\n"
                  "generated needs them; `./kmux.sh demo` fetches them where PyPI can be reached)");
  matrix_product(setting, report);
  any_rows(setting, report);
  any_length(setting, report);
  cuda_kernel(setting, report);
  return report.close();
}

}  // namespace
}  // namespace demo

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fputs("usage: demo ROOT HEADERS WORK\n", stderr);
    return 2;
  }
  return demo::run(demo::setting_of(argv[1], argv[2], argv[3]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "demo: %s\n", error.what());
  return 1;
}
