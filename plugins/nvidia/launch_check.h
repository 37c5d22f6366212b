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

/// What a cubin says of the kernel with this symbol, in section ".nv.info.SYMBOL", and the symbol of its types. Records that are
/// missing, contradict each other or are of a kind that is not known here say nothing: then the driver has the first word.
///
/// Errors: as `CubinFile::open`.
Result<KernelForm> kernel_record(std::string_view cubin, std::string_view symbol);

/// Do the constant extents of the launches fit every device of NVIDIA's?
///
/// Errors: as `kmux::check_extents`.
Status check_extents(const Plan& plan);

/// Do the launches of `plan` pass what its kernels take, as far as `cubin` says that, and in blocks for which they are
/// compiled? `symbols` are those of the kernels in it, `sizes` says what is passed.
///
/// Errors: invalid_argument that names the kernel and shows both; as `CubinFile::open`.
Status check_launches(const Plan& plan, const std::vector<std::string>& symbols, std::string_view cubin,
                      const ArgumentSizes& sizes = argument_sizes);

/// The same for PTX, as far as its declarations go. Blocks are compared when it is loaded.
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_ptx_launches(const Plan& plan, const std::vector<std::string>& symbols, std::string_view ptx);

/// The symbols of the kernels of `plan`, which have `names` there, in compiled code, PTX or a cubin, once every launch passes
/// what they take; the names themselves in a compressed fatbin.
///
/// Errors: as `find_kernels`, and as the check of the code's kind; invalid_argument for a name expression of a compressed fatbin.
Result<std::vector<std::string>> checked_symbols(const Plan& plan, const std::vector<std::string>& names,
                                                 std::string_view code, bool is_ptx);

/// `kernels` with the symbols that a table of names in `code` has for them (kmux/plugin/name_table.h).
///
/// Errors: as `cubin_kernels`.
Result<std::vector<std::string>> names_in_code(const std::vector<std::string>& kernels, std::string_view code,
                                               bool is_ptx);

/// The variables of a cubin, with their sizes.
///
/// Errors: as `cubin_kernels`.
Result<std::vector<CodeVariable>> cubin_variables(std::string_view cubin);

/// Where the constants of a program are in `code`, a cubin or PTX; under their names in a compressed fatbin.
///
/// Errors: as `kmux::find_constants` and `cubin_kernels`.
Result<std::vector<ConstantSymbol>> find_constants(const std::vector<Constant>& constants, std::string_view code,
                                                   bool is_ptx);

}  // namespace kmux::nvidia
