#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/stream_ordered_devices.h"

#include "nvidia/launch/context.h"
#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/driver_table.h"
#include "nvidia/target.h"

namespace kmux::nvidia {

/// Returns the number of devices.
///
/// Errors: those of `open_driver`; the driver's error.
Result<int> device_count();

/// Returns the architecture of device `ordinal`. Creates no context.
///
/// Errors: as `device_count`; invalid_argument if there is no such device.
Result<Arch> device_arch(int ordinal);

/// Returns the object of `DeviceApi::properties`: name, arch, memory_bytes, multiprocessors, l2_bytes,
/// shared_memory_bytes_per_block, compute_capability, driver_version ("13.0") and, if the driver has it, pci
/// ("0000:1b:00"). Creates no context.
///
/// Errors: as `device_arch`.
Result<Json> device_properties(int ordinal);

/// Returns one attribute of a device.
///
/// Errors: the driver's error.
Result<int> device_attribute(const DriverTable& driver, CUdevice device, CUdevice_attribute attribute);

/// Reports whether a device is usable: "no_driver" with the loader's or the driver's text, "no_device" if the driver
/// lists no device. Creates no context.
///
/// Threads: any.
Availability probe_driver();

/// Returns the reason why the backend cannot build: "no_toolchain" with the text of `error`.
Availability no_toolchain(const Error& error);

/// Returns the log of `host` for the launch layer.
///
/// Lifetime: borrows `host`.
Log log_to(const Host& host);

/// Returns true if calls and launches are shown to profilers (host option "nvidia.nvtx").
bool shows_ranges(const Host& host);

/// Returns true if each launch blocks until the kernel is done (host option "nvidia.launch_blocking").
bool blocks_launches(const Host& host);

/// The devices that the CUDA driver lists (kDLCUDA). Memory comes from the default pool of the device.
class OpenedDevice;
using Devices = StreamOrderedDevices<OpenedDevice>;

}  // namespace kmux::nvidia

extern template class kmux::StreamOrderedDevices<kmux::nvidia::OpenedDevice>;
