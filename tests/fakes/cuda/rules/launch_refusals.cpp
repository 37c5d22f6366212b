// Rules of kernels and launches that a driver refuses.
#include <algorithm>

#include "groups.h"

namespace kmux::driver_rules {
namespace {

constexpr int kSharedOptIn = 97;  // of a device
constexpr int kLargestWindow = 109;
constexpr int kStaticShared = 1;  // of a kernel
constexpr int kMaxDynamicShared = 8;
constexpr int kCarveout = 9;
constexpr int kWindow = 1;  // of a launch
constexpr int kCooperative = 2;
constexpr int kCluster = 4;
constexpr int kStreaming = 1, kPersisting = 2;
constexpr unsigned kFreeShared = 48 << 10;

int device_value(Scene& scene, int attribute) {
  int value = 0;
  scene.cu.device_attribute(&value, attribute, 0);
  return value;
}

// Launches the scene's kernel, changed by `change(config, args, extra)`, and waits for it.
template <class Change>
Code launch_changed(Scene& scene, Change change) {
  Address to = scene.memory();
  unsigned value = 1;
  std::uint64_t cycles = 0;
  void* all[] = {&to, &value, &cycles};
  void** args = all;
  void** extra = nullptr;
  LaunchConfig config = {{1, 1, 1}, {1, 1, 1}, 0, scene.stream(), nullptr, 0};
  change(config, args, extra);
  const Code code = scene.cu.launch(&config, scene.kernel(), args, extra);
  scene.finish();
  return code;
}

std::string shaped(Scene& scene, std::initializer_list<unsigned> grid, std::initializer_list<unsigned> block) {
  return told({{"code", launch_changed(scene, [&](LaunchConfig& config, void**&, void**&) {
                  std::copy(grid.begin(), grid.end(), config.grid);
                  std::copy(block.begin(), block.end(), config.block);
                })}});
}

Code launch_shared(Scene& scene, unsigned bytes) {
  return launch_changed(scene, [&](LaunchConfig& config, void**&, void**&) { config.dynamic_smem_bytes = bytes; });
}

Code launch_with(Scene& scene, const LaunchAttribute& attribute, unsigned blocks = 1, unsigned threads = 1) {
  return launch_changed(scene, [&](LaunchConfig& config, void**&, void**&) {
    config.grid[0] = blocks, config.block[0] = threads;
    config.attributes = &attribute, config.attribute_count = 1;
  });
}

std::string with_window(Scene& scene, float ratio, int hit, int miss, int past_largest = 0) {
  LaunchAttribute attribute = {};
  attribute.id = kWindow;
  const std::size_t bytes =
      past_largest == 0 ? 1024 : static_cast<std::size_t>(device_value(scene, kLargestWindow)) + 1;
  attribute.value.window = {reinterpret_cast<const void*>(scene.memory()), bytes, ratio, hit, miss};
  return told({{"code", launch_with(scene, attribute)}});
}

std::string in_clusters(Scene& scene, unsigned size, unsigned blocks) {
  LaunchAttribute attribute = {};
  attribute.id = kCluster;
  attribute.value.cluster[0] = size, attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
  return told({{"code", launch_with(scene, attribute, blocks)}});
}

std::string together(Scene& scene, unsigned blocks) {
  LaunchAttribute attribute = {};
  attribute.id = kCooperative;
  attribute.value.cooperative = 1;
  return told({{"code", launch_with(scene, attribute, blocks, 1024)}});
}

std::string with_unknown(Scene& scene) {
  LaunchAttribute attribute = {};
  attribute.id = 77;
  return told({{"code", launch_with(scene, attribute)}});
}

std::string without_arguments(Scene& scene) {
  return told({{"code", launch_changed(scene, [](LaunchConfig&, void**& args, void**&) { args = nullptr; })}});
}

std::string with_arguments_twice(Scene& scene) {
  void* end[] = {nullptr};  // CU_LAUNCH_PARAM_END
  return told({{"code", launch_changed(scene, [&](LaunchConfig&, void**&, void**& extra) { extra = end; })}});
}

Code set_kernel(Scene& scene, int attribute, int value, int device = 0) {
  return scene.cu.kernel_attribute_set(attribute, value, scene.kernel(), device);
}

Code get_kernel(Scene& scene, int attribute, int device = 0) {
  int value = 0;
  return scene.cu.kernel_attribute_get(&value, attribute, scene.kernel(), device);
}

std::string most_shared(Scene& scene) {
  const int most = device_value(scene, kSharedOptIn);
  const Code beyond = set_kernel(scene, kMaxDynamicShared, most + 1);
  const Code whole = set_kernel(scene, kMaxDynamicShared, most);
  return told({{"beyond", beyond},
               {"set", whole},
               {"launch", launch_shared(scene, static_cast<unsigned>(most))},
               {"launch", launch_shared(scene, static_cast<unsigned>(most) + 1)}});
}

std::string lowered(Scene& scene) {
  const Code code = set_kernel(scene, kMaxDynamicShared, 1024);
  return told({{"set", code}, {"launch", launch_shared(scene, 1024)}, {"launch", launch_shared(scene, 1025)}});
}

std::string parameter(Scene& scene, std::size_t index) {
  std::size_t offset = 0, size = 0;
  const Code code = scene.cu.kernel_parameter(scene.kernel(), index, &offset, &size);
  return code != 0 ? told({{"code", code}})
                   : told({{"code", code},
                           {"offset", static_cast<long long>(offset)},
                           {"size", static_cast<long long>(size)}});
}

}  // namespace

std::vector<Rule> launch_refusal_rules() {
  using S = Scene&;
  constexpr const char* kInvalid = "code 1";
  constexpr const char* kTaken = "code 0";
  const auto code = [](Code found) { return told({{"code", found}}); };
  return {
      {"take.launch.large_block", "A block has 1024 threads, 64 of them in z.",
       [](S s) { return shaped(s, {1, 1, 1}, {16, 1, 64}); }, kTaken},
      {"refuse.launch.block", "... not 1025,", [](S s) { return shaped(s, {1, 1, 1}, {1025, 1, 1}); }, kInvalid},
      {"refuse.launch.block_in_all", "... also as a product,", [](S s) { return shaped(s, {1, 1, 1}, {32, 33, 1}); },
       kInvalid},
      {"refuse.launch.block_z", "... nor 65 in z.", [](S s) { return shaped(s, {1, 1, 1}, {1, 1, 65}); }, kInvalid},
      {"refuse.launch.no_threads", "A block has threads.", [](S s) { return shaped(s, {1, 1, 1}, {1, 0, 1}); },
       kInvalid},
      {"refuse.launch.no_blocks", "A grid has blocks.", [](S s) { return shaped(s, {1, 1, 0}, {1, 1, 1}); }, kInvalid},
      {"take.launch.grid_y", "A grid has 65535 blocks in y and z,",
       [](S s) { return shaped(s, {1, 65535, 1}, {1, 1, 1}); }, kTaken},
      {"refuse.launch.grid_y", "... not more.", [](S s) { return shaped(s, {1, 65536, 1}, {1, 1, 1}); }, kInvalid},
      {"refuse.launch.grid_z", "... not more in z.", [](S s) { return shaped(s, {1, 1, 65536}, {1, 1, 1}); }, kInvalid},
      {"refuse.launch.grid_x", "A grid has 2^31 - 1 blocks in x.",
       [](S s) { return shaped(s, {0x80000000U, 1, 1}, {1, 1, 1}); }, kInvalid},
      {"take.launch.shared", "A block has 48 KiB of shared memory unasked.",
       [code](S s) { return code(launch_shared(s, kFreeShared)); }, kTaken},
      {"refuse.launch.shared", "... not a byte more.", [code](S s) { return code(launch_shared(s, kFreeShared + 1)); },
       kInvalid},
      {"refuse.launch.shared_beyond", "What a block may have of shared memory is what the device has.", most_shared,
       "beyond 1, set 0, launch 0, launch 1"},
      {"refuse.launch.shared_lowered", "... or less, where that was said.", lowered, "set 0, launch 0, launch 1"},
      {"refuse.kernel.read_only", "Some attributes of a kernel are read alone.",
       [code](S s) { return code(set_kernel(s, kStaticShared, 16)); }, kInvalid},
      {"refuse.kernel.negative_shared", "Shared memory is not negative.",
       [code](S s) { return code(set_kernel(s, kMaxDynamicShared, -1)); }, kInvalid},
      {"take.kernel.carveout", "A carveout is a share in hundredths, or -1,",
       [code](S s) { return code(set_kernel(s, kCarveout, 100)); }, kTaken},
      {"refuse.kernel.carveout", "... not 101.", [code](S s) { return code(set_kernel(s, kCarveout, 101)); }, kInvalid},
      {"refuse.kernel.attribute", "A kernel has the attributes that there are.",
       [code](S s) { return code(get_kernel(s, 99)); }, kInvalid},
      {"refuse.kernel.device", "... on the devices that there are.", [code](S s) { return code(get_kernel(s, 0, 99)); },
       "code 101"},
      {"take.kernel.parameter", "Parameters lie where their types allow.", [](S s) { return parameter(s, 2); },
       "code 0, offset 16, size 8"},
      {"refuse.kernel.parameter", "There is none past the last.", [](S s) { return parameter(s, 3); }, kInvalid},
      {"refuse.launch.no_arguments", "A kernel with parameters is launched with arguments.", without_arguments,
       kInvalid},
      {"take.launch.arguments_twice", "... also where a list of none is there besides.", with_arguments_twice, kTaken},
      {"refuse.launch.attribute", "A launch has the attributes that there are.", with_unknown, kInvalid},
      {"take.launch.window", "A launch has an L2 window.",
       [](S s) { return with_window(s, 0.5F, kPersisting, kStreaming); }, kTaken},
      {"refuse.launch.window_ratio", "Its ratio is a share.",
       [](S s) { return with_window(s, 1.5F, kPersisting, kStreaming); }, kInvalid},
      {"take.launch.window_hit", "Its hits may have a property that there is not.",
       [](S s) { return with_window(s, 0.5F, 7, kStreaming); }, kTaken},
      {"refuse.launch.window_miss", "Its misses do not persist.",
       [](S s) { return with_window(s, 0.5F, kPersisting, kPersisting); }, kInvalid},
      {"refuse.launch.window_size", "It has what the device allows.",
       [](S s) { return with_window(s, 0.5F, kPersisting, kStreaming, 1); }, kInvalid},
      {"take.launch.cooperative", "A cooperative grid runs at once.", [](S s) { return together(s, 1); }, kTaken},
      {"refuse.launch.cooperative", "... or not at all.", [](S s) { return together(s, 1 << 20); }, "code 720"},
      {"take.launch.cluster", "Clusters have eight blocks on every device.", [](S s) { return in_clusters(s, 8, 8); },
       kTaken},
      {"refuse.launch.cluster", "... more where the kernel says so.", [](S s) { return in_clusters(s, 16, 16); },
       "code 912"},
      {"refuse.launch.cluster_rest", "A grid is of whole clusters.", [](S s) { return in_clusters(s, 3, 4); },
       "code 912"},
  };
}

}  // namespace kmux::driver_rules
