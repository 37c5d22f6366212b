#pragma once

#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/signature.h"

namespace kmux {

/// The names of the outputs of a call: those of the signature, or the parameters at the positions `out_idx` (negative:
/// from the end), in that order.
///
/// Errors: invalid_argument for a position out of range, a repeated one, one that is no tensor, or any at all where the
/// signature declares outputs.
Result<std::vector<std::string>> output_names(const Signature& signature, const std::vector<int>& out_idx);

}  // namespace kmux
