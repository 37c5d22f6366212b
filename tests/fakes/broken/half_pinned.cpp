#include "sound.h"

KMUX_BROKEN_TABLE({
  static kmux_device_api devices = *table.devices;
  devices.host_free = nullptr;
  table.devices = &devices;
})
