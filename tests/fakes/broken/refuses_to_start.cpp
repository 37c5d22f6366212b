#include "failing_create.h"

KMUX_FAILING_CREATE(return kmux::make_error(kmux::ErrorCode::kUnavailable, "no licence (it has expired). Renew it."))
