#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/stream_ordered_devices.h"
#include "kmux/target.h"

#include "launch/device_code.h"
#include "launch/hip_error.h"
#include "launch/hip_table.h"

namespace kmux::hip {

/// Returns the architecture of device `ordinal`, for example "gfx90a".
///
/// Errors: invalid_argument if there is no such device; unsupported if it reports no valid architecture; HIP's error.
Result<std::string> device_arch(const HipTable& hip, int ordinal);

/// Returns the object of `DeviceApi::properties`: name, arch, memory_bytes, multiprocessors, l2_bytes,
/// shared_memory_bytes_per_block, wavefront_size and runtime_version. Omits attributes that the device does not report.
///
/// Errors: as `device_arch`.
Result<Json> device_properties(const HipTable& hip, int ordinal);

/// Returns the search places of HIP: the library of option "hip.library", if set, and the folders to search otherwise.
/// These are the wheels of PyTorch for ROCm and of AMD, in the virtual environment of option "hip.venv" and beside this
/// plugin; then "lib" of options "hip.rocm_path" and "hip.hip_path".
HipPlaces places_of(const Host& host);

/// Returns HIP's functions.
///
/// Errors: unavailable that lists the tried libraries and the packages to install.
Result<const HipTable*> opened_hip(const Host& host);

/// Returns ok, or the error of a call: "CALL failed with NUMBER NAME (text; detail). What to do."
Status check(const HipTable& hip, const char* call, int result, const std::string& detail = "");

/// Reports whether kernels can run: that requires HIP's library and a device.
Availability probe_runtime(const Host& host);

/// The devices that HIP lists (kDLROCM). Memory comes from the device's pool if it has one, else from hipMalloc.
class OpenedDevice;
using HipDevices = StreamOrderedDevices<OpenedDevice>;

/// Returns the architecture of the request's device; called only if the request names no architecture.
using DeviceArch = std::function<Result<std::string>()>;

/// Returns the canonical target, `hip:gfx942`, for "auto", "hip", "hip:gfx942", "gfx942", "rocm:gfx942" and TileLang's
/// forms of these ("hip -mcpu=gfx942").
///
/// Errors: invalid_argument for an invalid kind, architecture or attribute; those of `device_arch`.
Result<Target> resolve_hip_target(std::string_view request, const DeviceArch& device_arch);

/// Parses an architecture of AMD's devices and removes its features: returns "gfx90a" for "gfx90a:sramecc+:xnack-".
///
/// A valid name is "gfx" and three or four digits, the last two hexadecimal, or generic ("gfx11-generic"). Returns
/// nothing for any other text.
std::optional<std::string> parse_arch(std::string_view text);

/// Returns true if code for `generic` ("gfx11-generic") runs on devices of `arch` ("gfx1100").
///
/// Source: LLVM 20, AMDGPUUsage, "Generic processors".
bool is_generic_of(std::string_view generic, std::string_view arch);

/// Returns true if `arch` is generic. Only Clang compiles for generic architectures, to code objects of version 6.
bool is_generic(std::string_view arch);

/// Returns true if the compilers of ROCm 5 support `arch`. Compilers of 6 and later are assumed to support all.
///
/// Source: LLVM 15, AMDGPUUsage, "Processors"; gfx11 has no device library in Debian's 5.2.3.
bool is_known_to_rocm5(std::string_view arch);

/// Returns the number of threads in a wavefront of `arch`: 64 up to gfx9, 32 from gfx10 on.
int wavefront_size(std::string_view arch);

}  // namespace kmux::hip

extern template class kmux::StreamOrderedDevices<kmux::hip::OpenedDevice>;
