// [quickstart.begin]
#include <cstdio>

#include <kmux/compile.h>
#include <kmux/npy.h>
#include <kmux/program.h>

int main() try {
  const kmux::Program program = kmux::load_program("gemm.kmux.json").value();
  const kmux::Kernel gemm = kmux::compile(program, {.target = "auto", .execution_backend = "auto"}).value();

  const kmux::Tensor a = kmux::load_npy("a.npy").value().to(gemm.device()).value();
  const kmux::Tensor b = kmux::load_npy("b.npy").value().to(gemm.device()).value();
  const kmux::Tensor c = gemm(a, b).and_then(kmux::single).value();  // allocates C, after checking every argument

  kmux::save_npy("c.npy", c.to({}).value()).value();
  std::puts(gemm.resolution().explain().c_str());  // every backend that was considered, and why
  return 0;
} catch (const kmux::Exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
// [quickstart.end]
