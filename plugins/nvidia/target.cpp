#include "nvidia/target.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "kmux/json.h"
#include "kmux/plugin/support.h"

namespace kmux::nvidia {
namespace {

// The first architecture with code for itself alone (suffix "a"), which wgmma and setmaxnreg require.
constexpr int kFirstWithSuffix = 90;

int family(int number) { return number / 10; }

// The newest architecture of CUDA 12.0, the oldest supported compiler.
constexpr int kNewestOfOldest = 90;

// An architecture that a later release added.
struct NewerArch {
  int number;
  Release first;         // the first release that supports it
  bool carries_forward;  // newer devices accept its PTX; false for sm_101, which was renamed
};
constexpr std::array<NewerArch, 6> kNewerArchs = {{{100, {12, 8}, true},
                                                   {101, {12, 8}, false},
                                                   {103, {12, 9}, true},
                                                   {110, {13, 0}, true},
                                                   {120, {12, 8}, true},
                                                   {121, {12, 9}, true}}};
constexpr Release kLastListed = {13, 0};
constexpr Release kFirstWithFamilies = {12, 9};  // sm_100f

TargetForms forms_of(std::string_view backend) {
  return {backend, "auto, cuda and sm_NN", "arch", R"("cuda" or "cuda:sm_90a")"};
}

Error unknown_arch(const std::string& arch) {
  return make_error(ErrorCode::kInvalidArgument, "architecture \"" + arch +
                                                     "\" is not one of NVIDIA's devices (sm_ and a number, perhaps "
                                                     "with a or f). Write it as in \"cuda:sm_90a\".");
}

constexpr const char* kCode = "code";  // the attribute that overrides the architecture of sources

// Returns true for attribute `code` with a virtual architecture, for example "compute_90".
bool names_ptx(std::string_view key, std::string_view value) {
  const auto arch = parse_arch(value);
  return key == kCode && arch && arch->is_virtual;
}

// Attributes that TVM writes into its targets and that hold for every device.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kHarmless = {{{"keys", "cuda,gpu"},
                                                                                     {"keys", "cuda"},
                                                                                     {"keys", "gpu"},
                                                                                     {"max_num_threads", "1024"},
                                                                                     {"max_threads_per_block", "1024"},
                                                                                     {"thread_warp_size", "32"}}};

Status check_attributes(const Target& target, std::string_view backend, bool makes_ptx) {
  for (const auto& [key, value] : target.attributes) {
    if (makes_ptx && names_ptx(key, value)) continue;
    const std::pair<std::string_view, std::string_view> attribute(key, value);
    if (std::ranges::find(kHarmless, attribute) == kHarmless.end())
      return unknown_attribute(key, value, forms_of(backend));
  }
  return Ok{};
}

// Moves an architecture in the place of the kind ("sm_90a" alone) to its own.
Target named(Target target) {
  if (target.arch.empty() && parse_arch(target.kind)) return {"cuda", target.kind, target.attributes};
  return target;
}

}  // namespace

std::string to_string(Arch arch) {
  std::string text = (arch.is_virtual ? "compute_" : "sm_") + std::to_string(arch.number);
  if (arch.suffix != '\0') text += arch.suffix;
  return text;
}

std::optional<Arch> parse_arch(std::string_view text) {
  constexpr std::string_view kReal = "sm_";
  constexpr std::string_view kVirtual = "compute_";
  Arch arch{.is_virtual = text.starts_with(kVirtual)};
  if (!arch.is_virtual && !text.starts_with(kReal)) return std::nullopt;
  text.remove_prefix(arch.is_virtual ? kVirtual.size() : kReal.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), arch.number);
  if (error != std::errc() || arch.number < 10 || arch.number > 999) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.size() > 1 || (text.size() == 1 && text != "a" && text != "f")) return std::nullopt;
  if (!text.empty()) arch.suffix = text.front();
  return arch;
}

Arch arch_of_capability(int major, int minor) {
  const int number = major * 10 + minor;
  return {number, number >= kFirstWithSuffix ? 'a' : '\0'};
}

namespace {

struct MultiprocessorLimits {
  int number;  // of the architecture
  int threads;
  int blocks;
  int shared_kib;
};

// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; cuda_occupancy.h of CUDA 13.0.
constexpr std::array<MultiprocessorLimits, 13> kMultiprocessors = {{{70, 2048, 32, 96},
                                                                    {75, 1024, 16, 64},
                                                                    {80, 2048, 32, 164},
                                                                    {86, 1536, 16, 100},
                                                                    {87, 1536, 16, 164},
                                                                    {89, 1536, 24, 100},
                                                                    {90, 2048, 32, 228},
                                                                    {100, 2048, 32, 228},
                                                                    {101, 1536, 24, 228},
                                                                    {103, 2048, 32, 228},
                                                                    {110, 1536, 24, 228},
                                                                    {120, 1536, 24, 100},
                                                                    {121, 1536, 24, 100}}};

}  // namespace

std::optional<Json> multiprocessor_of(Arch arch) {
  constexpr int kFirstWithSmallUnits =
      80;  // from here on, shared memory is allocated in smaller units, and a part is reserved
  const auto found = std::ranges::find(kMultiprocessors, arch.number, &MultiprocessorLimits::number);
  if (found == kMultiprocessors.end()) return std::nullopt;
  const bool is_new = arch.number >= kFirstWithSmallUnits;
  return Json::Object{{"threads", std::int64_t{found->threads}},
                      {"blocks", std::int64_t{found->blocks}},
                      {"warp_threads", std::int64_t{32}},
                      {"partitions", std::int64_t{4}},
                      {"registers", std::int64_t{65536}},
                      {"register_unit", std::int64_t{256}},
                      {"shared_bytes", std::int64_t{found->shared_kib} * 1024},
                      {"shared_unit_bytes", std::int64_t{is_new ? 128 : 256}},
                      {"reserved_shared_bytes", std::int64_t{is_new ? 1024 : 0}}};
}

std::optional<Release> parse_release(std::string_view text) {
  Release release;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [dot, wrong] = std::from_chars(begin, end, release.major);
  if (wrong != std::errc() || dot == end || *dot != '.') return std::nullopt;
  if (std::from_chars(dot + 1, end, release.minor).ec != std::errc()) return std::nullopt;
  return release;
}

std::optional<Arch> forward_ptx(Arch target, Release release) {
  if (target.is_virtual || target.number <= kNewestOfOldest) return std::nullopt;
  const auto listed = std::ranges::find(kNewerArchs, target.number, &NewerArch::number);
  const Release first = listed == kNewerArchs.end() ? Release{kLastListed.major, kLastListed.minor + 1}
                        : target.suffix == 'f'      ? std::max(listed->first, kFirstWithFamilies)
                                                    : listed->first;
  if (release >= first) return std::nullopt;
  Arch newest{kNewestOfOldest, '\0', true};
  for (const NewerArch& known : kNewerArchs) {
    if (known.carries_forward && known.number <= target.number && release >= known.first)
      newest.number = std::max(newest.number, known.number);
  }
  return newest;
}

bool satisfies(Arch target, Arch wanted) {
  if (wanted.suffix == 'a') return target.number == wanted.number && target.suffix == 'a';
  if (target.number < wanted.number) return false;
  return wanted.suffix == '\0' || (family(target.number) == family(wanted.number) && target.suffix != '\0');
}

bool runs_on(Arch code, Arch target) {
  if (target.is_virtual) return false;
  if (code.suffix == 'a') return code.number == target.number;
  return family(code.number) == family(target.number) && code.number <= target.number;
}

std::tuple<bool, int, int> rank(Arch arch) {
  return {!arch.is_virtual, arch.number, arch.suffix == 'a' ? 2 : arch.suffix == 'f' ? 1 : 0};
}

namespace {

// Returns true for TVM's target forms. TVM has no suffixes, and TileLang compiles its sm_90 as sm_90a.
bool is_of_tvm(std::string_view request) { return request.find_first_of(" {") != request.npos; }

// Sets attribute `code` of the target if the compiler is older than the device.
Target with_code(Target target, Arch arch, const CompilerRelease& release) {
  if (!release || target.attributes.contains(kCode) || arch.number <= kNewestOfOldest) return target;
  const std::optional<Release> known = release();
  const std::optional<Arch> code = known ? forward_ptx(arch, *known) : std::nullopt;
  if (code) target.attributes[kCode] = to_string(*code);
  return target;
}

}  // namespace

Result<Target> resolve_cuda_target(std::string_view request, std::string_view backend, const DeviceArch& device_arch,
                                   const CompilerRelease& release) {
  Target target{"cuda"};
  if (!request.empty() && request != "auto") {
    KMUX_ASSIGN(target, parse_target(request));
    target = named(std::move(target));
  }
  if (target.kind != "cuda") return unknown_kind(target, forms_of(backend));
  KMUX_TRY(check_attributes(target, backend, release != nullptr));
  erase_if(target.attributes, [](const auto& attribute) { return attribute.first != kCode; });
  if (target.arch.empty() || target.arch == "native") {
    Result<Arch> arch = device_arch();
    if (!arch) return no_architecture(request, "cuda:sm_90a", std::move(arch).error());
    return with_code({"cuda", to_string(*arch), std::move(target.attributes)}, *arch, release);
  }
  KMUX_ASSIGN(Arch arch, arch_of(target));
  if (arch.is_virtual && (!release || target.attributes.contains(kCode))) return unknown_arch(target.arch);
  const bool means_all = arch.suffix == '\0' && !arch.is_virtual && (!release || is_of_tvm(request));
  if (means_all) arch = arch_of_capability(arch.number / 10, arch.number % 10);
  return with_code({"cuda", to_string(arch), std::move(target.attributes)}, arch, release);
}

Result<Arch> arch_of(const Target& target) {
  const auto arch = parse_arch(target.arch);
  if (!arch) return unknown_arch(target.arch);
  return *arch;
}

Result<Arch> code_arch_of(const Target& target) {
  const auto code = target.attributes.find(kCode);
  if (code == target.attributes.end()) return arch_of(target);
  const auto arch = parse_arch(code->second);
  if (!arch) return unknown_arch(code->second);
  return *arch;
}

std::string told_forward(std::string_view compiler, Arch target, Arch code) {
  return std::string(compiler) + " does not know " + to_string(target) + ": sources are compiled to PTX for " +
         to_string(code) +
         ", which the driver compiles when it loads them, without what is new in the architecture. Install a newer "
         "CUDA "
         "toolkit.";
}

const std::vector<std::string>& launch_features() {
  static const auto& features = *new const std::vector<std::string>([] {
    std::vector<std::string> all(known_features().begin(), known_features().end());
    std::erase(all, "packed_values");
    return all;
  }());
  return features;
}

namespace {

// Returns true if code for `wanted` fits `target`: binary code fits few architectures, PTX and sources fit all newer
// ones. A fatbin, of dialect cubin, has both.
bool fits(std::string_view dialect, Arch wanted, Arch target) {
  const bool is_binary = dialect == "cubin" && !wanted.is_virtual;
  return is_binary ? runs_on(wanted, target) : satisfies(target, wanted);
}

// Returns the best fitting architecture that a variant requires. A virtual one ranks lower in a fatbin only, which also
// has binary code.
std::optional<Arch> best_of(const Variant& variant, Arch target) {
  std::optional<Arch> best;
  for (const std::string& wanted : variant.requirements.arch) {
    auto arch = parse_arch(wanted);
    if (!arch || !fits(variant.dialect, *arch, target)) continue;
    arch->is_virtual = arch->is_virtual && variant.dialect == "cubin";
    if (!best || rank(*arch) > rank(*best)) best = arch;
  }
  return best;
}

// Returns the variants of the chosen variant's dialect that fit the target better, at any position. The worse ones stay
// as fallbacks: the best variant may fail where they succeed.
std::vector<MissingFeature> better_fits(const BuildRequest& request, Arch target) {
  std::vector<MissingFeature> better;
  const std::optional<Arch> own = best_of(request.chosen(), target);
  for (std::size_t i = 0; own && i < request.program.variants.size(); ++i) {
    const Variant& other = request.program.variants[i];
    const auto best = other.dialect == request.chosen().dialect ? best_of(other, target) : std::nullopt;
    if (!best || rank(*best) <= rank(*own)) continue;
    better.push_back({std::string(kBetterFit), "/variants/" + std::to_string(i),
                      "variant " + std::to_string(i) + " fits \"" + to_string(target) + "\" better (it is for " +
                          to_string(*best) + ", this one for " + to_string(*own) + ")"});
  }
  return better;
}

}  // namespace

std::vector<MissingFeature> missing_support(const BuildRequest& request, std::string_view backend,
                                            const std::vector<std::string>& dialects) {
  const std::string& dialect = request.chosen().dialect;
  const auto target = dialect == "cuda" ? code_arch_of(request.target) : arch_of(request.target);
  const auto has_arch = [&](const std::string& wanted) {
    const auto arch = parse_arch(wanted);
    return target && arch && fits(dialect, *arch, *target);
  };
  auto missing = missing_of({backend, dialects, launch_features(), has_arch}, request);
  if (target) std::ranges::move(better_fits(request, *target), std::back_inserter(missing));
  const auto lacking = missing_on_arch(request);
  missing.insert(missing.end(), lacking.begin(), lacking.end());
  return missing;
}

namespace {

struct Newest {
  std::string_view feature;
  int first;  // the architecture that brought it
};

// Source: CUDA C++ Programming Guide, "Feature Support per Compute Capability".
constexpr std::array<Newest, 6> kFirstArch = {{{"cluster", 90},
                                               {"cooperative", 60},
                                               {"l2_window", 80},
                                               {"programmatic_serialization", 90},
                                               {"tensor_map.im2col", 90},
                                               {"tensor_map.tiled", 90}}};

}  // namespace

std::vector<MissingFeature> missing_on_arch(const BuildRequest& request) {
  const auto target = parse_arch(request.target.arch);
  if (!target) {
    return {
        {"arch", path_in_variant(request, "requires/arch"), "\"" + request.target.arch + "\" is not an architecture"}};
  }
  std::vector<MissingFeature> missing;
  for (const UsedFeature& used : features_used(request.program, request.variant)) {
    const auto newest = std::ranges::find(kFirstArch, used.name, &Newest::feature);
    if (newest == kFirstArch.end() || target->number >= newest->first) continue;
    missing.push_back({used.name, used.path,
                       "architecture \"" + to_string(*target) + "\" does not have it (sm_" +
                           std::to_string(newest->first) + " and newer ones do)"});
  }
  return missing;
}

}  // namespace kmux::nvidia
