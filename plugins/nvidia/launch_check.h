#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"

#include "nvidia/facts.h"

namespace kmux::nvidia {

/// Returns the parameters and thread limit of the kernel with this symbol, by the cubin's section ".nv.info.SYMBOL";
/// the types come from the symbol. Missing, contradictory or unknown records yield no facts: the driver then does the
/// first check.
///
/// Errors: as `CubinFile::open`.
Result<KernelForm> kernel_record(std::string_view cubin, std::string_view symbol);

/// Checks that the constant extents of the launches fit every device of NVIDIA's.
///
/// Errors: as `kmux::check_extents`.
Status check_extents(const Plan& plan);

/// Checks the launches of `plan` against the kernels' parameters and compiled block sizes, as far as `cubin` has these.
/// `symbols` are the kernels' symbols in `cubin`; `sizes` returns the passed sizes.
///
/// Errors: invalid_argument that names the kernel and shows both sides; as `CubinFile::open`.
Status check_launches(const Plan& plan, const std::vector<std::string>& symbols, std::string_view cubin,
                      const ArgumentSizes& sizes = argument_sizes);

/// Checks the launches of `plan` against the parameter declarations of PTX. Block sizes are checked when the code is
/// loaded.
///
/// Errors: invalid_argument that names the kernel and shows both sides.
Status check_ptx_launches(const Plan& plan, const std::vector<std::string>& symbols, std::string_view ptx);

/// Returns the symbols of the kernels of `plan`, called `names` in the code, a cubin or PTX, after checking every
/// launch against them. For a compressed fatbin, returns the names unchecked.
///
/// Errors: as `find_kernels`, and as the check of the code's kind; invalid_argument for a name expression of a compressed fatbin.
Result<std::vector<std::string>> checked_symbols(const Plan& plan, const std::vector<std::string>& names,
                                                 std::string_view code, bool is_ptx);

/// Returns `kernels` with the symbols from the name table in `code` (kmux/plugin/name_table.h).
///
/// Errors: as `cubin_kernels`.
Result<std::vector<std::string>> names_in_code(const std::vector<std::string>& kernels, std::string_view code,
                                               bool is_ptx);

/// Returns the variables of a cubin, with their sizes.
///
/// Errors: as `cubin_kernels`.
Result<std::vector<CodeVariable>> cubin_variables(std::string_view cubin);

/// Returns the symbols of a program's constants in `code`, a cubin or PTX; for a compressed fatbin their names.
///
/// Errors: as `kmux::find_constants` and `cubin_kernels`.
Result<std::vector<ConstantSymbol>> find_constants(const std::vector<Constant>& constants, std::string_view code,
                                                   bool is_ptx);

}  // namespace kmux::nvidia
