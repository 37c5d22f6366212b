#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/target.h"

namespace kmux::nvidia {

/// An entry of a fatbin: code for one architecture.
struct FatbinEntry {
  Arch arch;                  // virtual: PTX
  std::string_view code;      // a cubin or PTX; the compressed bytes if the entry is compressed
  bool is_compressed = false;  // with LZ4 or Zstandard: only the driver reads the content
};

/// Returns true if `code` begins with a fatbin's magic number.
bool is_fatbin(std::string_view code);

/// Returns the cubins and the PTX of a fatbin, in file order. Skips linker input: relocatable cubins and intermediate
/// code.
///
/// Errors: invalid_argument if `fatbin` is not a fatbin, or is truncated.   Lifetime: entries are valid as long as the
///          bytes.
/// Source: the files that fatbinary of CUDA 13.0 writes, compared with the output of cuobjdump.
Result<std::vector<FatbinEntry>> fatbin_entries(std::string_view fatbin);

/// Returns the entry that a driver loads for `target`: the best binary code that runs on it, else the newest PTX.
/// Returns null if no entry fits. The result is valid until `entries` changes.
const FatbinEntry* best_entry(const std::vector<FatbinEntry>& entries, Arch target);

/// Returns the program of `request` with the variant's fatbin replaced by its entry for the target, as a variant of
/// dialect cubin or ptx.
///
/// Returns nothing if the source is not a fatbin, or if that entry is compressed, which is logged to `host`. A
/// compressed fatbin is loaded unchanged: its kernels must have the names in the program, and launches are checked when
/// it is loaded.
///
/// Errors: unsupported if no entry fits the target, listing the entries' architectures; as `fatbin_entries`.
Result<std::optional<Program>> unpacked(const BuildRequest& request, const Host& host);

}  // namespace kmux::nvidia
