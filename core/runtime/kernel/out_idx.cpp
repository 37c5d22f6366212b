#include "out_idx.h"

#include <algorithm>
#include <cstdint>

namespace kmux {
namespace {

Error invalid_out_idx(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

/// The parameter at `index`.
Result<const Param*> param_at(const Signature& signature, int index) {
  const auto count = static_cast<std::int64_t>(signature.params.size());
  const std::int64_t position = index < 0 ? index + count : index;
  if (position < 0 || position >= count) {
    return invalid_out_idx("out_idx index " + std::to_string(index) + " is out of range for a function with " +
                           std::to_string(count) + " parameters. Give positions from " + std::to_string(-count) +
                           " to " + std::to_string(count - 1) + ".");
  }
  const Param& param = signature.params[static_cast<std::size_t>(position)];
  if (as_buffer(param) != nullptr) return &param;
  return invalid_out_idx("out_idx index " + std::to_string(index) + " is parameter '" + param.name +
                         "' (not a tensor). Name tensors only.");
}

}  // namespace

Result<std::vector<std::string>> output_names(const Signature& signature, const std::vector<int>& out_idx) {
  if (out_idx.empty()) return signature.outputs;
  if (!signature.outputs.empty())
    return invalid_out_idx(
        "out_idx is given although the program declares its outputs (two answers). Leave out_idx empty.");
  std::vector<std::string> names;
  for (const int index : out_idx) {
    KMUX_ASSIGN(const Param* param, param_at(signature, index));
    if (std::find(names.begin(), names.end(), param->name) != names.end())
      return invalid_out_idx("out_idx contains duplicate tensor indices ('" + param->name +
                             "' twice). Give each output once.");
    names.push_back(param->name);
  }
  return names;
}

}  // namespace kmux
