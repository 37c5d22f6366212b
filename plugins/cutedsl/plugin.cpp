#include "backend.h"

KMUX_PLUGIN(kmux::cutedsl::CuteDslBackend)
