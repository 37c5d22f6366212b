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

/// A part of a fatbin: code for one architecture.
struct FatbinEntry {
  Arch arch;                  // a virtual one: PTX
  std::string_view code;      // a cubin or PTX; of a compressed entry the bytes that are there
  bool is_compressed = false;  // by LZ4 or Zstandard: what it holds shows when the driver has loaded it
};

/// Does `code` begin as a fatbin does?
bool is_fatbin(std::string_view code);

/// The cubins and the PTX of a fatbin, in its order. What only a linker takes is left out: relocatable cubins, intermediate code.
///
/// Errors: invalid_argument if it is not a fatbin, or is truncated.   Lifetime: they borrow the bytes.
/// Source: the files that fatbinary of CUDA 13.0 writes, compared with what cuobjdump says of them.
Result<std::vector<FatbinEntry>> fatbin_entries(std::string_view fatbin);

/// What a driver takes of `entries` for `target`: the best of the binary code that runs on it, else the newest PTX. Null where
/// nothing is for it.
const FatbinEntry* best_entry(const std::vector<FatbinEntry>& entries, Arch target);

/// The program of `request` where the source of the variant is a fatbin: with what that has for the target in its place, as a
/// variant of dialect cubin or ptx. Nothing where it is not a fatbin, or where that part is compressed, which `host` is told:
/// such a fatbin is loaded as it is, its kernels are taken to have the names in the program, and launches are compared with
/// them when it is loaded.
///
/// Errors: unsupported if it has nothing for the target, with what it has; as `fatbin_entries`.
Result<std::optional<Program>> unpacked(const BuildRequest& request, const Host& host);

}  // namespace kmux::nvidia
