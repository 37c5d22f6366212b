#include "kernel_symbols.h"

#include <algorithm>

#include "kmux/plugin/words.h"

#include "nvidia/cubin.h"
#include "printed/kernel_pattern.h"

namespace kmux::cutedsl {
namespace {

Error lacks(const std::string& kernel, const std::string& why, const std::vector<std::string>& present) {
  return make_error(ErrorCode::kCompileFailed, "the code has no kernel for \"" + kernel + "\" (" + why +
                                                   "; there are " + join(present, "none") +
                                                   "). Use CuTe DSL 4.7 or newer, or another name.");
}

// For a CuTe DSL that does not tell names.
Result<std::string> find_by_pattern(const std::string& kernel, const std::vector<std::string>& present) {
  std::vector<const char*> names;
  names.reserve(present.size());
  for (const std::string& name : present) names.push_back(name.c_str());
  const KernelMatch match = match_kernel(kernel.c_str(), names.data(), names.size());
  if (match.count == 1) return present[match.index];
  return lacks(kernel, match.count == 0 ? "none matches" : "several match", present);
}

}  // namespace

Result<std::vector<std::string>> kernel_symbols(const std::vector<Entry>& entries, const std::vector<std::string>& said,
                                                std::string_view cubin) {
  KMUX_ASSIGN(const std::vector<std::string> present, nvidia::cubin_kernels(cubin));
  if (said.size() == entries.size()) {
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (!std::ranges::binary_search(present, said[i]))
        return lacks(entries[i].kernel, "\"" + said[i] + "\"", present);
    }
    return said;
  }
  std::vector<std::string> symbols;
  for (const Entry& entry : entries) {
    KMUX_ASSIGN(std::string symbol, find_by_pattern(entry.kernel, present));
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

}  // namespace kmux::cutedsl
