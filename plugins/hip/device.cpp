#include "device.h"

template class kmux::StreamOrderedDevices<kmux::hip::OpenedDevice>;
