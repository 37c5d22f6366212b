// Libraries that run without kmux: exported and opened here, and called as applications call them.
#include <cstdlib>
#include <optional>

#include "kmux/export_library.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/tvm_ffi_abi.h"

#include "suite.h"

namespace kmux::suite {
namespace {

KMUX_DEVICE_SUITE(Exported);

/// An exported library, in a folder that it owns.
class Library {
 public:
  Library(const ProgramBuilder& builder, const std::string& backend) {
    std::string pattern = (std::filesystem::temp_directory_path() / "kmux-exported-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const Program program = builder.build().value();
    ExportOptions options{.library = folder_ / "library.so"};
    options.compile.execution_backend = backend;
    export_library(program, options).value();
    library_ = DynamicLibrary::open({options.library}).value();
    call_ = library_->function<TvmFfiCall>("__tvm_ffi_" + program.name).value();
    last_error_ = library_->function<const char*()>(program.name + "_last_error").value();
    close_ = library_->function<void()>(program.name + "_close").value();
  }
  ~Library() {
    close_();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Returns the error; empty if the call is right.
  std::string operator()(std::initializer_list<const DLTensor*> tensors, double factor) const {
    std::vector<TVMFFIAny> args;
    for (const DLTensor* tensor : tensors) {
      args.push_back({kTVMFFIDLTensorPtr, 0, {}});
      args.back().v_ptr = const_cast<DLTensor*>(tensor);
    }
    args.push_back({kTVMFFIFloat, 0, {}});
    args.back().v_float64 = factor;
    const int code = call_(nullptr, args.data(), static_cast<std::int32_t>(args.size()), nullptr);
    return code == 0 ? "" : last_error_();
  }

 private:
  using TvmFfiCall = int(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*);
  std::filesystem::path folder_;
  std::optional<DynamicLibrary> library_;
  TvmFfiCall* call_ = nullptr;
  const char* (*last_error_)() = nullptr;
  void (*close_)() = nullptr;
};

// y = factor * x by way of a workspace, with a template and more shared memory than a kernel has by default.
ProgramBuilder scale_program() {
  ProgramBuilder builder("scale");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n});
  builder.output("y", dtype::kFloat32, {n});
  builder.scalar("factor", dtype::kFloat32);
  builder.variant("cuda").source("scale.cu", R"(
template <int kBlock>
__global__ void scale(const float* x, float* w, float factor, int n) {
  extern __shared__ float staged[];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) staged[threadIdx.x] = x[i], w[i] = factor * staged[threadIdx.x];
}
extern "C" __global__ void copy(const float* w, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = w[i];
}
)");
  builder.workspace("w", n * 4);
  builder.launch("scale<64>")
      .grid({ceildiv(n, 64)})
      .block({64})
      .dynamic_smem_bytes(100'000)
      .args({"x", "w", "factor"})
      .arg(n);
  builder.launch("copy").grid({ceildiv(n, 64)}).block({64}).args({"w", "y"}).arg(n);
  return builder;
}

TEST_P(Exported, ComputesWhatTheKernelComputes) {
  const Kernel kernel = compiled(scale_program());
  const Library scale(scale_program(), GetParam());
  const Tensor x = uploaded(kernel, {1000}, dtype::kFloat32, counted(1000));
  const Tensor y = poisoned(kernel, {1000}, dtype::kFloat32);
  for (int round = 0; round < 3; ++round) EXPECT_EQ(scale({x.dl(), y.dl()}, 2.5), "");
  kernel.device().synchronize().value();
  Numbers expected = counted(1000);
  for (double& number : expected) number *= 2.5;
  expect_numbers(y, expected);
}

TEST_P(Exported, SaysWhatTheKernelSays) {
  const Kernel kernel = compiled(scale_program());
  const Library scale(scale_program(), GetParam());
  const Tensor x = uploaded(kernel, {1000}, dtype::kFloat32, counted(1000));
  const Tensor shorter = poisoned(kernel, {999}, dtype::kFloat32);
  const Tensor host = Tensor::zeros({1000}, dtype::kFloat32).value();
  for (const Tensor& wrong : {shorter, host}) {
    EXPECT_EQ(scale({x.dl(), wrong.dl()}, 1), kernel.launch({x, wrong, 1.0}).error().message);
  }
}

}  // namespace
}  // namespace kmux::suite
