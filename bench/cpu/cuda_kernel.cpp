#include "cuda_kernel.h"

#include "kmux/builder.h"
#include "kmux/compile.h"

#include "bars/settings.h"

namespace kmux::bench::spmd {
namespace {

Extents extents_of(const std::array<unsigned, 3>& three) {
  Extents extents;
  for (const unsigned extent : three) extents.emplace_back(static_cast<int>(extent));
  return extents;
}

DType type_of(const Buffer& buffer) { return buffer.is_integer ? dtype::kInt32 : dtype::kFloat32; }

}  // namespace

Program program_of(const Problem& problem, const std::string& note) {
  ProgramBuilder builder(problem.kernel);
  for (const Buffer& buffer : problem.buffers) {
    builder.buffer(buffer.name, BufferParam{type_of(buffer), {Expr(static_cast<int>(buffer.count))}});
  }
  for (const auto& [name, value] : problem.scalars) builder.scalar(name, dtype::kInt32);
  const std::string file = problem.kernel + ".cu";
  builder.variant("cuda").source(file, kernel_text(file) + note);
  LaunchBuilder launch = builder.launch(problem.kernel);
  launch.grid(extents_of(problem.grid)).block(extents_of(problem.block));
  for (const Buffer& buffer : problem.buffers) launch.args({buffer.name});
  for (const auto& [name, value] : problem.scalars) launch.args({name});
  return builder.build().value();
}

CompileOptions cpu_options(Options options) {
  options["march"] = setting("march", "native");
  return {.execution_backend = "cpu", .options = std::move(options), .use_cache = false};
}

CudaKernel::CudaKernel(const Problem& problem, const Memory& memory, const std::string& note,
                       const CompileOptions& options)
    : kernel_(compile(program_of(problem, note), options).value()) {
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    tensors_.push_back(
        Tensor::borrow(memory.addresses()[i], {static_cast<std::int64_t>(buffer.count)}, type_of(buffer)));
  }
  for (const Tensor& tensor : tensors_) arguments_.emplace_back(tensor);
  for (const auto& [name, value] : problem.scalars) arguments_.emplace_back(value);
}

void CudaKernel::operator()() const { kernel_.launch(arguments_).value(); }

}  // namespace kmux::bench::spmd
