#include "kmux/plugin/features.h"

#include <algorithm>
#include <map>

#include "json_reader.h"

namespace kmux {
namespace {

// Walks a body and records the first place of each feature.
class FeatureCollector {
 public:
  void constants(const std::vector<Constant>& list) {
    if (!list.empty()) use("constants", JsonPointer() / "constants" / std::size_t{0});
  }

  void body(const Body& body, const JsonPointer& at) {
    if (!body.workspaces.empty()) use("workspace", at / "workspaces" / std::size_t{0});
    for (std::size_t i = 0; i < body.tensor_maps.size(); ++i) {
      const bool tiled = std::holds_alternative<TiledMap>(body.tensor_maps[i].mode);
      use(tiled ? "tensor_map.tiled" : "tensor_map.im2col", at / "tensor_maps" / i);
    }
    steps(body.steps, at / "steps");
  }

  std::vector<UsedFeature> take() && {
    std::vector<UsedFeature> features;
    features.reserve(first_.size());
    for (auto& [name, path] : first_) features.push_back({name, std::move(path)});
    return features;
  }

 private:
  void use(const char* feature, const JsonPointer& at) { first_.try_emplace(feature, at.text()); }

  void steps(const std::vector<Step>& list, const JsonPointer& at) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::visit([&](const auto& step) { this->step(step, at / i); }, list[i]);
    }
  }

  void step(const Launch& launch, const JsonPointer& at) {
    const JsonPointer here = at / "launch";
    if (std::exchange(launched_, true)) use("several_launches", here);
    if (!launch.grid.empty()) use("grid", here / "grid");
    if (!launch.block.empty()) use("grid", here / "block");
    if (!launch.cluster.empty()) use("cluster", here / "cluster");
    if (!launch.dynamic_smem_bytes.is_constant(0)) use("dynamic_smem", here / "dynamic_smem_bytes");
    if (launch.cooperative) use("cooperative", here / "cooperative");
    if (launch.programmatic_serialization) use("programmatic_serialization", here / "programmatic_serialization");
    if (launch.packed_values) use("packed_values", here / "packed_values");
    if (!launch.l2_windows.empty()) use("l2_window", here / "l2_windows" / std::size_t{0});
    const auto record =
        std::ranges::find_if(launch.args, [](const LaunchArg& arg) { return std::holds_alternative<StructArg>(arg); });
    const auto index = static_cast<std::size_t>(record - launch.args.begin());
    if (record != launch.args.end()) use("struct_argument", here / "args" / index);
  }

  void step(const Fill&, const JsonPointer& at) { use("fill", at / "fill"); }

  void step(const If& guard, const JsonPointer& at) {
    use("guard", at / "if");
    steps(guard.then_steps, at / "if" / "then");
    steps(guard.else_steps, at / "if" / "else");
  }

  void step(const For& loop, const JsonPointer& at) {
    use("loop", at / "for");
    steps(loop.steps, at / "for" / "steps");
  }

  std::map<std::string, std::string> first_;
  bool launched_ = false;
};

}  // namespace

const std::vector<std::string_view>& known_features() {
  static const auto& features = *new const std::vector<std::string_view>{
      "cluster",
      "constants",
      "cooperative",
      "dynamic_smem",
      "fill",
      "grid",
      "guard",
      "l2_window",
      "loop",
      "packed_values",
      "programmatic_serialization",
      "several_launches",
      "struct_argument",
      "tensor_map.im2col",
      "tensor_map.tiled",
      "workspace",
  };
  return features;
}

std::vector<UsedFeature> features_used(const Program& program, std::size_t variant) {
  FeatureCollector collector;
  collector.constants(program.constants);
  collector.body(program.variants[variant].body, JsonPointer() / "variants" / variant / "body");
  return std::move(collector).take();
}

std::vector<MissingFeature> missing_features(const Program& program, std::size_t variant,
                                             const std::vector<std::string>& supported, std::string_view backend) {
  std::vector<MissingFeature> missing;
  for (const UsedFeature& used : features_used(program, variant)) {
    if (std::ranges::find(supported, used.name) != supported.end()) continue;
    missing.push_back({used.name, used.path, "backend \"" + std::string(backend) + "\" has no " + used.name});
  }
  return missing;
}

const std::vector<Dialect>& all_dialects() {
  static const auto& dialects = *new const std::vector<Dialect>{
      {"c", true, false, false, false, "C or C++ host functions with C linkage"},
      {"cubin", false, true, true, false, "CUDA device code, a cubin or a fatbin"},
      {"cuda", false, false, true, false, "CUDA C++"},
      {"cutedsl", false, false, false, false, "Python of CuTe DSL"},
      {"hip", false, false, true, false, "HIP C++"},
      {"hsaco", false, true, true, false, "AMD device code for one architecture"},
      {"metallib", false, true, false, true, "a Metal library"},
      {"msl", false, false, false, true, "Metal Shading Language"},
      {"object", true, true, false, false, "a relocatable host object with functions of C linkage"},
      {"ptx", false, true, true, false, "PTX text"},
  };
  return dialects;
}

const Dialect* find_dialect(std::string_view name) {
  const auto found = std::ranges::find(all_dialects(), name, &Dialect::name);
  return found == all_dialects().end() ? nullptr : &*found;
}

}  // namespace kmux
