#include "nvidia/devices.h"

template class kmux::StreamOrderedDevices<kmux::nvidia::OpenedDevice>;
