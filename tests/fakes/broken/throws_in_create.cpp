#include <stdexcept>

#include "failing_create.h"

KMUX_FAILING_CREATE(throw std::runtime_error("thrown by create"))
