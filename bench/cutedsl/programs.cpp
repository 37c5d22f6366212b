#include "cutedsl/programs.h"

#include <string>

#include "kmux/builder.h"

namespace kmux::bench {
namespace {

constexpr const char* kAdd = R"(import cutlass
import cutlass.cute as cute


@cute.kernel
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        c[i] = a[i] + b[i]
)";

}  // namespace

Program cutedsl_add_program(int number) {
  ProgramBuilder builder("add_" + std::to_string(number));
  const Expr n = builder.symbol("n", dtype::kInt32);
  builder.input("a", dtype::kFloat32, {n}).input("b", dtype::kFloat32, {n}).output("c", dtype::kFloat32, {n});
  builder.variant("cutedsl").source("add.py", kAdd);
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"a", "b", "c"});
  return builder.build().value();
}

}  // namespace kmux::bench
