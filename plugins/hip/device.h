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

/// What code for device `ordinal` is compiled for: "gfx90a".
///
/// Errors: invalid_argument if there is no such device; unsupported if it says no architecture; HIP's error.
Result<std::string> device_arch(const HipTable& hip, int ordinal);

/// The object of `DeviceApi::properties`: name, arch, memory_bytes, multiprocessors, l2_bytes,
/// shared_memory_bytes_per_block, wavefront_size and runtime_version. What the device does not say is left out.
///
/// Errors: as `device_arch`.
Result<Json> device_properties(const HipTable& hip, int ordinal);

/// Where HIP is looked for: the library that option "hip.library" names; else in the folders of PyTorch's wheel for ROCm and
/// of AMD's, in the virtual environment of option "hip.venv" and among the packages that this plugin is one of; in "lib" of
/// options "hip.rocm_path" and "hip.hip_path".
HipPlaces places_of(const Host& host);

/// HIP's functions.
///
/// Errors: unavailable with what was tried and what to install.
Result<const HipTable*> opened_hip(const Host& host);

/// ok, or the error of a call: "CALL failed with NUMBER NAME (text; detail). What to do."
Status check(const HipTable& hip, const char* call, int result, const std::string& detail = "");

/// Can kernels run here? A library that is there and a device.
Availability probe_runtime(const Host& host);

/// The devices that HIP lists (kDLROCM). Memory comes from the device's pool where it has one, else from hipMalloc.
class OpenedDevice;
using HipDevices = StreamOrderedDevices<OpenedDevice>;

/// The architecture of the device that a request is for; asked only where the request names none.
using DeviceArch = std::function<Result<std::string>()>;

/// The canonical target, `hip:gfx942`, for "auto", "hip", "hip:gfx942", "gfx942", "rocm:gfx942" and TileLang's forms of
/// these ("hip -mcpu=gfx942").
///
/// Errors: invalid_argument for another kind, architecture or attribute; those of `device_arch`.
Result<Target> resolve_hip_target(std::string_view request, const DeviceArch& device_arch);

/// An architecture of AMD's devices without its features: "gfx90a" of "gfx90a:sramecc+:xnack-".
///
/// Nothing if `text` is none: "gfx", digits, and at most one letter a to f among the last two places; or one of the generic
/// ones ("gfx11-generic").
std::optional<std::string> parse_arch(std::string_view text);

/// Does code for `generic` ("gfx11-generic") run on devices of `arch` ("gfx1100")?
///
/// Source: LLVM 20, AMDGPUUsage, "Generic processors".
bool is_generic_of(std::string_view generic, std::string_view arch);

/// Is `arch` a generic one? Only Clang is asked for its code, which is of version 6.
bool is_generic(std::string_view arch);

/// Do the compilers of ROCm 5 know `arch`? Those of 6 and later are taken to know all.
///
/// Source: LLVM 15, AMDGPUUsage, "Processors"; gfx11 has no device library in Debian's 5.2.3.
bool is_known_to_rocm5(std::string_view arch);

/// Threads that run together on `arch`: 64 up to gfx9, 32 from gfx10 on.
int wavefront_size(std::string_view arch);

}  // namespace kmux::hip

extern template class kmux::StreamOrderedDevices<kmux::hip::OpenedDevice>;
