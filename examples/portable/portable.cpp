// portable PROGRAM: z = a * x + y on whatever is there.
// [portable.begin]
#include <array>
#include <cstdio>
#include <span>

#include <kmux/compile.h>
#include <kmux/program.h>

int main(int, char** argv) try {
  const kmux::Program program =
      kmux::load_program(argv[1]).value();  // has variants for the host and five kinds of device
  const kmux::Kernel saxpy = kmux::compile(program).value();          // the best of those that can run here

  constexpr std::array<float, 4> kX{0, 1, 2, 3};
  constexpr std::array<float, 4> kY{1, 1, 1, 1};
  const auto on_device = [&](std::span<const float> values) {
    return kmux::Tensor::from<float>({4}, kmux::dtype::kFloat32, values).value().to(saxpy.device()).value();
  };
  const kmux::Tensor on_host = saxpy(on_device(kX), on_device(kY), 2.0F).and_then(kmux::single).value().to({}).value();
  const float* const z = on_host.data_as<float>();

  std::printf("%s: z = %g %g %g %g\n", saxpy.backend().c_str(), z[0], z[1], z[2], z[3]);
  return 0;
} catch (const kmux::Exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
// [portable.end]
