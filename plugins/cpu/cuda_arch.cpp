// SPDX-License-Identifier: Apache-2.0
#include "cuda_arch.h"

#include <charconv>
#include <string_view>

namespace kmux::cpu {
namespace {

// Returns {900, true} for "sm_90a", and 700 for what is none of sm_80 to sm_90a.
CudaArch parse_arch(std::string_view name) {
  if (!name.starts_with("sm_")) return {};
  name.remove_prefix(3);
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const std::string_view suffix = name.substr(static_cast<std::size_t>(end - name.data()));
  const bool is_specific = suffix == "a" && number == 90;
  if (error != std::errc() || number < 80 || number > 90 || (!suffix.empty() && !is_specific)) return {};
  return {number * 10, is_specific};
}

}  // namespace

CudaArch cuda_arch_of(const Variant& variant) {
  for (const std::string& name : variant.requirements.arch) {
    if (const CudaArch arch = parse_arch(name); arch.is_required()) return arch;
  }
  return {};
}

std::string name_of(CudaArch arch) { return "sm_" + std::to_string(arch.number / 10) + (arch.is_specific ? "a" : ""); }

std::string arch_macros(CudaArch arch) {
  if (!arch.is_required()) return "";
  const std::string number = std::to_string(arch.number);
  std::string text = "#define KMUX_CUDA_ARCH " + number + "\n";
  if (!arch.is_specific) return text;
  text += "#define __CUDA_ARCH_FEAT_SM" + std::to_string(arch.number / 10) + "_ALL 1\n";
  return text + "#define __CUDA_ARCH_SPECIFIC__ " + number + "\n#define __CUDA_ARCH_FAMILY_SPECIFIC__ " + number + "\n";
}

}  // namespace kmux::cpu
