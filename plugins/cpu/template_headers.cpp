// SPDX-License-Identifier: Apache-2.0
#include "template_headers.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cuda_arch.h"
#include "headers.h"

namespace kmux::cpu {
namespace {

constexpr std::string_view kTilelang = "tl_templates/", kCutlass = "cutlass/", kCute = "cute/";

std::vector<std::string> include_folders(const BuildOptions& options) {
  std::vector<std::string> folders = options.include_dirs;
  for (const std::string& flag : options.compile_flags) {
    if (flag.starts_with("-I")) folders.push_back(flag.substr(2));
  }
  return folders;
}

bool has_file(const std::vector<std::string>& folders, const char* name) {
  std::error_code error;
  return std::ranges::any_of(
      folders, [&](const std::string& folder) { return std::filesystem::exists(folder + "/" + name, error); });
}

// Returns true if `text` has a path in `folder`, at the begin of a literal, that kmux has no header for.
bool includes_from(std::string_view text, std::string_view folder) {
  for (std::size_t at = text.find(folder); at != text.npos; at = text.find(folder, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (before != '<' && before != '"') continue;
    const std::size_t end = std::min(text.find_first_of(">\"\n", at), text.size());
    if (!has_device_header(text.substr(at, end - at))) return true;
  }
  return false;
}

}  // namespace

bool TemplateHeaders::have(std::string_view path) const {
  if (path.starts_with(kTilelang)) return of_tilelang && path != "tl_templates/cuda/nvrtc_std.h";
  return of_cutlass && (path.starts_with(kCutlass) || path.starts_with(kCute));
}

TemplateHeaders find_template_headers(const Variant& variant, const BuildOptions& options) {
  if (variant.dialect != "cuda" || !cuda_arch_of(variant).is_required()) return {};
  const std::vector<std::string> folders = include_folders(options);
  if (!has_file(folders, "cutlass/cutlass.h")) return {};
  return {true, has_file(folders, "tl_templates/cuda/common.h")};
}

bool include_template_headers(std::span<const std::string_view> texts) {
  return std::ranges::any_of(texts, [](std::string_view text) {
    return includes_from(text, kTilelang) || includes_from(text, kCutlass) || includes_from(text, kCute);
  });
}

}  // namespace kmux::cpu
