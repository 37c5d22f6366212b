// SPDX-License-Identifier: Apache-2.0
#include "host_calls.h"

namespace kmux {
namespace {

// Host-only names, besides CUDA's interface.
constexpr std::array<std::string_view, 6> kHostWords = {"cout", "cerr", "fprintf", "fopen", "getenv", "stderr"};
// Functions of CUDA's interface that kernels may call.
constexpr std::array<std::string_view, 2> kOfKernels = {"cudaGridDependencySynchronize",
                                                        "cudaTriggerProgrammaticLaunchCompletion"};

// "cudaMalloc", "hipFree".
bool is_runtime_call(std::string_view word, std::string_view family) {
  return word.size() > family.size() && word.starts_with(family) && word[family.size()] >= 'A' &&
         word[family.size()] <= 'Z';
}

}  // namespace

bool calls_host(std::span<const SourceToken> tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "<<<" || is_one_of(kHostWords, text)) return true;
    const bool is_api = is_runtime_call(text, "cuda") || is_runtime_call(text, "hip");
    if (is_api && i + 1 < tokens.size() && tokens[i + 1].is("(") && !is_one_of(kOfKernels, text)) return true;
  }
  return false;
}

}  // namespace kmux
