#include "order_backends.h"

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "needs.h"
#include "shared_cache.h"

namespace kmux::order {

FakeCuda& OrderBackends::driver() {
  static FakeCuda one = [] {
    FakeCuda made = FakeCuda::load();
    made.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
    return made;
  }();
  return one;
}

namespace {

bool can_build(const Runtime& runtime, std::string_view backend) {
  const auto plugin = runtime.registry().plugin(backend);
  return plugin && (*plugin)->probe() && (*plugin)->probe()->can_build.ok();
}

}  // namespace

void OrderBackends::SetUp() {
  Environment environment;
  environment.cache_dir = shared_cache();
  RegistryOptions options;
  options.plugin_options["hip.library"] = KMUX_HIP_ON_CUDA;
  options.variables = Environment::from_process().variables;  // for the paths of compilers
  runtime = Runtime::create(environment, options).value();
  std::vector<std::string> backends = {GetParam()};
  if (backends.front() == "hip") backends.emplace_back("nvrtc");  // HIP over CUDA uses NVRTC for hiprtc
  for (const std::string& backend : backends) {
    if (!can_build(*runtime, backend)) GTEST_SKIP() << needs(compiler_of(backend), "its backend cannot build here");
  }
  cuda.set_recording(false);
  cuda.on_launch(run);
  kernels = std::make_unique<OrderKernels>(OrderKernels::compile(*runtime, GetParam()).value());
}

void OrderBackends::TearDown() {
  kernels.reset();
  cuda.on_launch({});
}

}  // namespace kmux::order
