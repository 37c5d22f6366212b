#include "cuda_constructs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/plugin/characters.h"

namespace kmux::hip {
namespace {

struct Construct {
  std::string_view name;
  std::string_view reason;
};

constexpr std::string_view kMasks = "a wavefront of AMD's devices may have 64 threads: use the form without _sync";
constexpr std::string_view kHopper = "AMD's devices have no such unit";
constexpr std::string_view kHost = "it belongs to CUDA's host interface: kmux launches kernels";
constexpr std::string_view kTensor = "AMD's matrix instructions are others: write a variant of dialect hip";

// Constructs of CUDA that HIP lacks, as whole words.
constexpr std::array<Construct, 31> kWords = {{
    {"asm", "the assembler of AMD's devices is another: write a variant of dialect hip"},
    {"__asm__", "the assembler of AMD's devices is another: write a variant of dialect hip"},
    {"__activemask", kMasks},
    {"__syncwarp", kMasks},
    {"__shfl_sync", kMasks},
    {"__shfl_up_sync", kMasks},
    {"__shfl_down_sync", kMasks},
    {"__shfl_xor_sync", kMasks},
    {"__ballot_sync", kMasks},
    {"__any_sync", kMasks},
    {"__all_sync", kMasks},
    {"__match_any_sync", kMasks},
    {"__match_all_sync", kMasks},
    {"__reduce_add_sync", kMasks},
    {"__reduce_min_sync", kMasks},
    {"__reduce_max_sync", kMasks},
    {"nvcuda", kTensor},
    {"wmma", kTensor},
    {"__grid_constant__", kHopper},
    {"__cluster_dims__", kHopper},
    {"CUtensorMap", kHopper},
    {"__cvta_generic_to_shared", kHopper},
    {"__nanosleep", "HIP has __builtin_amdgcn_s_sleep: write a variant of dialect hip"},
    {"__nv_bfloat16", "HIP calls it hip_bfloat16: write a variant of dialect hip"},
    {"__nv_fp8_e4m3", "HIP calls it __hip_fp8_e4m3_fnuz: write a variant of dialect hip"},
    {"__nv_fp8_e5m2", "HIP calls it __hip_fp8_e5m2_fnuz: write a variant of dialect hip"},
    {"cudaGridDependencySynchronize", kHopper},
    {"cudaTriggerProgrammaticLaunchCompletion", kHopper},
    {"__pipeline_memcpy_async", kHopper},
    {"cudaLaunchKernel", kHost},
    {"cudaMalloc", kHost},
}};

// Header folders that only CUDA and its libraries have.
constexpr std::array<std::string_view, 9> kCudaFolders = {
    "cooperative_groups/", "crt/", "cub/", "cuda/", "cute/", "cutlass/", "thrust/", "tl_templates/cuda/", "nv/"};

// Headers that only CUDA has and kernels include, and prefixes of families of such headers. Source: the folder include
// of CUDA's toolkits 12 and 13.
constexpr std::array<std::string_view, 13> kCudaHeaders = {
    "cooperative_groups.h", "cuComplex.h",       "cuda.h",         "cuda_device_runtime_api.h", "cuda_occupancy.h",
    "cuda_stdint.h",        "cudaProfiler.h",    "cudaTypedefs.h", "cuda_profiler_api.h",       "cudaGL.h",
    "cuda_gl_interop.h",    "cudart_platform.h", "mma.h"};
constexpr std::array<std::string_view, 9> kCudaFamilies = {
    "cuda_awbarrier.", "cuda_awbarrier_", "cuda_bf16.",          "cuda_fp", "cuda_pipeline.", "cuda_pipeline_",
    "curand.",         "curand_kernel.",  "curand_philox4x32_x."};

// Reads a source word by word, and skips comments, strings and character literals.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  int line() const { return line_; }

  // Returns the next identifier, or the name of an "#include"; nothing at the end.
  std::optional<std::string_view> next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_name_character(c))
        return take(at_, std::ranges::find_if_not(text_.substr(at_), is_name_character) - text_.substr(at_).begin());
      if (text_.substr(at_).starts_with("//")) {
        skip_to("\n", 0);
      } else if (text_.substr(at_).starts_with("/*")) {
        skip_to("*/", 2);
      } else if (c == '"' || c == '\'') {
        skip_quoted(c);
      } else if (c == '#') {
        if (const auto header = header_name()) return header;
      } else {
        step(1);
      }
    }
    return std::nullopt;
  }

 private:
  std::string_view take(std::size_t begin, std::ptrdiff_t size) {
    at_ = begin + static_cast<std::size_t>(size);
    return text_.substr(begin, static_cast<std::size_t>(size));
  }
  void step(std::size_t count) {
    const std::size_t end = std::min(at_ + count, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }
  void skip_to(std::string_view end, std::size_t beyond) {
    const std::size_t found = text_.find(end, at_ + 1);
    step(found == text_.npos ? text_.size() : found + beyond - at_);
  }
  void skip_quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    step(end + 1 - at_);
  }
  // Returns the name of an "#include" with its opening bracket or quote, which no identifier has.
  std::optional<std::string_view> header_name() {
    const std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
    const std::size_t word = rest.find_first_not_of(" \t", 1);
    const std::size_t open = rest.find_first_of("<\"");
    if (word == rest.npos || !rest.substr(word).starts_with("include") || open == rest.npos) {
      step(1);
      return std::nullopt;
    }
    const std::size_t close = rest.find_first_of(">\"", open + 1);
    const std::size_t begin = at_ + open;
    return take(begin, static_cast<std::ptrdiff_t>((close == rest.npos ? rest.size() : close) - open));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

// Returns true for "cuda_fp16.h", but false for "cuda_fp_helpers.h" of another author.
bool is_of_family(std::string_view name, std::string_view family) {
  if (!name.starts_with(family)) return false;
  return family != "cuda_fp" || std::isdigit(static_cast<unsigned char>(name.substr(family.size()).front())) != 0;
}

// Returns true if the program has a file of this name in any folder.
bool is_own(const Variant& variant, std::string_view name) {
  const auto is_meant = [&](const File& file) {
    return file.path == name || file.path.ends_with("/" + std::string(name));
  };
  return std::ranges::any_of(variant.headers, is_meant) || std::ranges::any_of(variant.sources, is_meant);
}

std::optional<Construct> refused_header(std::string_view name, const Variant& variant) {
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const bool is_cudas = std::ranges::find(kCudaHeaders, name) != kCudaHeaders.end() ||
                        std::ranges::any_of(kCudaFolders, begins) ||
                        std::ranges::any_of(kCudaFamilies, [&](auto family) { return is_of_family(name, family); });
  if (!is_cudas || is_own(variant, name)) return std::nullopt;
  return Construct{name, "it is a header of CUDA's: write a variant of dialect hip"};
}

std::optional<Construct> refused(std::string_view word, const Variant& variant) {
  if (word.front() == '<' || word.front() == '"') return refused_header(word.substr(1), variant);
  const auto found = std::ranges::find(kWords, word, &Construct::name);
  return found == kWords.end() ? std::nullopt : std::optional(*found);
}

Status check_file(const File& file, const Variant& variant) {
  Words words(file.content);
  while (const auto word = words.next()) {
    const auto construct = refused(*word, variant);
    if (!construct) continue;
    return make_error(ErrorCode::kUnsupported, "\"" + std::string(construct->name) + "\" in " + file.path + ":" +
                                                   std::to_string(words.line()) +
                                                   " cannot be compiled for AMD's devices (" +
                                                   std::string(construct->reason) + "). Use another backend for it.");
  }
  return Ok{};
}

}  // namespace

Status check_cuda_constructs(const Variant& variant) {
  for (const auto* files : {&variant.sources, &variant.headers}) {
    for (const File& file : *files) KMUX_TRY(check_file(file, variant));
  }
  return Ok{};
}

}  // namespace kmux::hip
