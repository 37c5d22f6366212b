#include "failing_create.h"

KMUX_FAILING_CREATE(return std::unique_ptr<kmux::Backend>())
