#include <array>
#include <stdexcept>
#include <string>

#include "kmux/builder.h"
#include "kmux/export_library.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/tvm_ffi_abi.h"

#include "bars/bar.h"
#include "bursts.h"
#include "scratch.h"

namespace kmux::bench {
namespace {

constexpr int kExportedBursts = 2001;
constexpr int kExportedCalls = 200;

constexpr const char* kExportedSource =
    "void add(const float* x, const float* y, float* z, long long n) {\n"
    "  for (long long i = 0; i < n; ++i) z[i] = x[i] + y[i];\n"
    "}\n";

Program exported_program() {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).input("y", dtype::kFloat32, {n}).output("z", dtype::kFloat32, {n});
  builder.variant("c").source("add.c", kExportedSource);
  builder.launch("add").args({"x", "y", "z"}).arg(n, dtype::kInt64);
  return builder.build().value();
}

using BareAdd = void(const float*, const float*, float*, long long);
using ExportedAdd = int(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*);

DynamicLibrary export_add(const Scratch& folder) {
  ExportOptions options{.library = folder / "add.so"};
  options.compile.execution_backend = "cpu";
  options.compile.use_cache = false;
  export_library(exported_program(), options).value();
  return DynamicLibrary::open({options.library}).value();
}

DynamicLibrary compile_bare(const Scratch& folder) {
  write_file(folder / "bare.c", kExportedSource).value();
  const Command command = Command{{find_host_compiler("", "the bar").value(), "-x", "c", "-O3", "-march=native",
                                   "-fPIC", "-shared", "-o", folder / "bare.so", folder / "bare.c"},
                                  "/"};
  const ProcessResult result = run(command).value();
  if (result.exit_code != 0) throw std::runtime_error(result.standard_error);
  return DynamicLibrary::open({folder / "bare.so"}).value();
}

std::string missing_host_compiler() {
  const auto compiler = find_host_compiler("", "the bar");
  return compiler ? "" : compiler.error().message;
}

double export_call_over_bare() {
  const Scratch folder;
  const DynamicLibrary exported_library = export_add(folder);
  const DynamicLibrary bare_library = compile_bare(folder);
  ExportedAdd* const exported = exported_library.function<ExportedAdd>("__tvm_ffi_add").value();
  BareAdd* const bare = bare_library.function<BareAdd>("add").value();
  constexpr std::int64_t kCount = 4;
  std::array<std::array<float, kCount>, 3> memory{};
  std::array<std::int64_t, 1> shape{kCount};
  std::array<DLTensor, 3> tensors{};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i] = {memory[i].data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
  }
  bool all_ok = true;
  const auto call = [&] {
    std::array<TVMFFIAny, 3> args;  // built for each call, as a caller must
    for (std::size_t i = 0; i < args.size(); ++i) {
      args[i].type_index = kTVMFFIDLTensorPtr;
      args[i].zero_padding = 0;
      args[i].v_ptr = &tensors[i];
    }
    all_ok = exported(nullptr, args.data(), args.size(), nullptr) == 0 && all_ok;
  };
  const auto direct = [&] { bare(memory[0].data(), memory[1].data(), memory[2].data(), kCount); };
  const Pairs pairs = in_turns(
      kExportedBursts, [&] { return nanoseconds_of(kExportedCalls, call); },
      [&] { return nanoseconds_of(kExportedCalls, direct); });
  if (!all_ok) throw std::runtime_error("a call of the exported library failed");
  return pairs.median_difference();
}

/// An exported CPU library called from C, checks included, less the same function through a pointer.
BAR("export_call_over_bare", "ns", at_most(40), export_call_over_bare, {.missing = missing_host_compiler});

}  // namespace
}  // namespace kmux::bench
