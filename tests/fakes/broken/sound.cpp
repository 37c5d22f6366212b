#include "sound.h"

KMUX_PLUGIN(kmux::broken::Sound)
