#pragma once

#include "kmux/error.h"
#include "kmux/json.h"

#include "nvidia/arch.h"
#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// The number of devices.
///
/// Errors: those of `open_driver`; what the driver said.
Result<int> device_count();

/// What code for device `ordinal` is compiled for. Makes no context.
///
/// Errors: as `device_count`; invalid_argument if there is no such device.
Result<Arch> device_arch(int ordinal);

/// The object of `DeviceApi::properties`: name, arch, memory_bytes, multiprocessors, l2_bytes,
/// shared_memory_bytes_per_block, compute_capability and driver_version ("13.0"). Makes no context.
///
/// Errors: as `device_arch`.
Result<Json> device_properties(int ordinal);

/// One attribute of a device.
///
/// Errors: what the driver said.
Result<int> device_attribute(const DriverTable& driver, CUdevice device, CUdevice_attribute attribute);

}  // namespace kmux::nvidia
