#include "export/exported_program.h"

#include <algorithm>
#include <fstream>

#include "kmux/builder.h"

#include "unit/call_table.h"

namespace kmux::test {

Program everything() {
  Program program{.name = "everything"};
  program.signature = CallTable::signature();
  Variant variant{.dialect = "c"};
  variant.sources = {{"everything.c",
                      "int everything(float* a, int m, int n, unsigned char u, int* rows) {\n"
                      "  for (int i = 0; i < m; ++i) rows[i] = n;\n"
                      "  for (int i = 0; i < m * 16; ++i) a[i] = (float)rows[i / 16];\n"
                      "  return u == 13 ? 13 : 0;\n"
                      "}\n"}};
  const Expr m = Expr::symbol("m");
  variant.body.asserts = {{ne(m, 5), "five rows are too many, or too few"}};
  variant.body.workspaces = {{"rows", m * 4, 64}};
  variant.body.steps = {
      Launch{.kernel = "everything",
             .args = {TensorArg{"a"}, ExprArg{m}, ScalarArg{"n"}, ScalarArg{"u"}, WorkspaceArg{"rows"}},
             .returns = CallResult::kInt32}};
  program.variants = {std::move(variant)};
  return program;
}

Program axpy() {
  ProgramBuilder builder("axpy");
  const Expr n = builder.symbol("n");
  builder.scalar("alpha", dtype::kFloat32);
  builder.input("x", dtype::kFloat32, {n});
  builder.output("y", dtype::kFloat32, {n});
  builder.variant("c").source("axpy.c",
                              "void axpy(float alpha, const float* x, float* y, long long n) {\n"
                              "  for (long long i = 0; i < n; ++i) y[i] += alpha * x[i];\n"
                              "}\n");
  builder.launch("axpy").args({"alpha", "x", "y"}).arg(n, dtype::kInt64);
  return builder.build().value();
}

Program aligned() {
  ProgramBuilder builder("aligned");
  builder.buffer("out", BufferParam{dtype::kInt64, {4}});
  builder.variant("c").source("aligned.c",
                              "void aligned(long long* out, char* a, char* b, char* c, char* d) {\n"
                              "  a[0] = a[98] = b[0] = b[98] = c[0] = c[98] = d[0] = d[98] = 1;\n"
                              "  out[0] = (long long)a % 16;\n"
                              "  out[1] = (long long)b % 256;\n"
                              "  out[2] = (long long)c % 4096;\n"
                              "  out[3] = (long long)d % 65536;\n"
                              "}\n");
  builder.workspace("a", 99, 16).workspace("b", 99, 256).workspace("c", 99, 4096).workspace("d", 99, 65536);
  builder.launch("aligned").args({"out", "a", "b", "c", "d"});
  return builder.build().value();
}

Program filled() {
  ProgramBuilder builder("filled");
  const Expr n = builder.symbol("n");
  builder.buffer("y", BufferParam{dtype::kInt8, {n}});
  const Expr extra = builder.scalar("extra", dtype::kInt64);
  builder.variant("c").source("filled.c", "void filled(signed char* y) { y[0] = 1; }\n");
  builder.launch("filled").args({"y"});
  builder.body().fill("y", n + extra, 7);
  return builder.build().value();
}

Program thrower() {
  ProgramBuilder builder("thrower");
  builder.pointer("p");
  builder.variant("c").source("thrower.cpp",
                              "#include <stdexcept>\n"
                              "extern \"C\" void thrower(void*) { throw std::runtime_error(\"too warm\"); }\n");
  builder.launch("thrower").args({"p"});
  return builder.build().value();
}

Program block_sums() {
  ProgramBuilder builder("block_sums");
  const Expr n = builder.symbol("n");
  const Expr threads = builder.scalar("threads", dtype::kInt32);
  builder.scalar("alpha", dtype::kFloat32);
  builder.input("x", dtype::kFloat32, {n * Expr(64)});
  builder.output("y", dtype::kFloat32, {n});
  builder.variant("cuda").source("block_sums.cu",
                                 "__global__ void block_sums(float alpha, const float* x, float* y) {\n"
                                 "  extern __shared__ float part[];\n"
                                 "  part[threadIdx.x] = alpha * x[blockIdx.x * 64 + threadIdx.x];\n"
                                 "  for (int half = 32; half > 0; half /= 2) {\n"
                                 "    __syncthreads();\n"
                                 "    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];\n"
                                 "  }\n"
                                 "  if (threadIdx.x == 0) y[blockIdx.x] += part[0];\n"
                                 "}\n");
  builder.launch("block_sums").grid({n}).block({threads}).dynamic_smem_bytes(64 * 4).args({"alpha", "x", "y"});
  return builder.build().value();
}

ExportFolder::ExportFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kmux-exported-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
}

ExportFolder::~ExportFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> ExportFolder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

void ExportFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
}

std::string ExportFolder::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ExportedLibrary ExportFolder::exported(const Program& program, const Options& options) const {
  ExportOptions to{.library = path(program.name + ".so"), .header = path(program.name + ".h")};
  to.compile.execution_backend = "cpu";
  to.compile.options = options;
  return export_library(program, to).value();
}

}  // namespace kmux::test
