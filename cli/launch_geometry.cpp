// SPDX-License-Identifier: Apache-2.0
#include "launch_geometry.h"

#include <cctype>
#include <string_view>

#include "style.h"

namespace kmux::cli {
namespace {

/// Returns true if the block index is multiplied by the number of threads or by a constant.
bool is_scaled(std::string_view body) {
  constexpr std::string_view kBlock = "blockIdx.x";
  const auto is_factor = [](char one) {
    return std::isupper(static_cast<unsigned char>(one)) + std::isdigit(static_cast<unsigned char>(one)) > 0;
  };
  for (std::size_t at = body.find(kBlock); at != std::string_view::npos; at = body.find(kBlock, at + 1)) {
    const std::string_view next = body.substr(at + kBlock.size());
    if (next.starts_with("*blockDim") || (next.size() > 1 && next[0] == '*' && is_factor(next[1]))) return true;
    if (at > 1 && body[at - 1] == '*' && (body.substr(0, at).ends_with("blockDim.x*") || is_factor(body[at - 2])))
      return true;
  }
  return false;
}

/// Guesses grid and block, with the reason, from the body's use of indices.
LaunchGeometry extents_of(const SourceKernel& kernel, const std::vector<std::string>& sizes) {
  const auto has = [&](std::string_view text) { return kernel.body.find(text) != std::string::npos; };
  if (sizes.size() > 1 && has("Idx.y")) {
    const bool is_width_first = std::string_view("wWxX").find(sizes[0][0]) != std::string_view::npos;
    const std::string& inner = sizes[is_width_first ? 0 : 1];
    const std::string& outer = sizes[is_width_first ? 1 : 0];
    return {"[ceildiv(" + inner + ", 16), ceildiv(" + outer + ", 16)], [16, 16]", "a thread an element of two axes"};
  }
  if (sizes.empty() || !has("blockIdx")) return {"1, 256", "one block"};
  const bool is_row = sizes.size() > 1 && !is_scaled(kernel.body);
  if (is_row) return {sizes[0] + ", 256", "a block for each of " + sizes[0]};
  return {"ceildiv(" + joined(sizes, " * ") + ", 256), 256", "a thread an element"};
}

}  // namespace

LaunchGeometry geometry_of(const SourceKernel& kernel, const std::vector<std::string>& sizes) {
  LaunchGeometry guess = extents_of(kernel, sizes);
  if (!kernel.has_dynamic_memory) return guess;
  guess.text += ", 16384";
  guess.reason += "; 16384 bytes of shared memory, 64 a thread";
  return guess;
}

}  // namespace kmux::cli
