#include "cold_kernel.h"

#include "kmux/builder.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/process.h"

namespace kmux::bench {
namespace {

constexpr const char* kAddSource = R"(void add(const float* a, const float* b, float* c, long long n) {
  for (long long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
)";
constexpr const char* kEntry = "kmux_cpu_launch";

std::string numbered(const std::string& source, int number) { return source + "// " + std::to_string(number) + "\n"; }

}  // namespace

Program small_program(int number) {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n}).input("B", dtype::kFloat32, {n});
  builder.output("C", dtype::kFloat32, {n});
  builder.variant("c").source("add.c", numbered(kAddSource, number));
  builder.launch("add").args({"A", "B", "C"}).arg(n, dtype::kInt64);
  return builder.build().value();
}

Program gemm_program(int number) {
  ProgramBuilder builder("gemm");
  const Expr m = builder.symbol("m");
  const Expr n = builder.symbol("n");
  const Expr k = builder.symbol("k");
  builder.input("A", dtype::kFloat32, {m, k}).input("B", dtype::kFloat32, {k, n});
  builder.input("bias", dtype::kFloat32, {n}).output("C", dtype::kFloat32, {m, n});
  builder.variant("c").source("gemm.cpp", numbered(read_file(KMUX_BENCH_GEMM).value(), number));
  builder.launch("gemm")
      .args({"A", "B", "bias", "C"})
      .arg(m, dtype::kInt64)
      .arg(n, dtype::kInt64)
      .arg(k, dtype::kInt64)
      .arg(Expr(0), dtype::kInt32)
      .returns_int32();
  return builder.build().value();
}

ReferenceBuild::ReferenceBuild(std::vector<std::string> compiler, std::filesystem::path folder, const Program& program,
                               const std::string& launcher)
    : command_(std::move(compiler)), library_(folder / "reference.so") {
  std::filesystem::create_directories(folder);
  const File& source = program.variants.front().sources.front();
  write_file(folder / source.path, source.content).value();
  write_file(folder / "launcher.cpp", launcher).value();
  for (const std::string& word :
       {std::string("-march=native"), std::string("-shared"), std::string("-fPIC"), (folder / source.path).string(),
        (folder / "launcher.cpp").string(), std::string("-o"), library_.string()}) {
    command_.push_back(word);
  }
}

DynamicLibrary ReferenceBuild::run() const {
  const ProcessResult result = kmux::run({.argv = command_}).value();
  if (result.exit_code != 0) throw std::runtime_error(result.standard_error);
  DynamicLibrary library = DynamicLibrary::open({library_.string()}).value();
  library.symbol(kEntry).value();
  return library;
}

}  // namespace kmux::bench
