#pragma once

#include <string>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// What has drifted more than is worth telling of, the host's clock or a device's, and what that means; empty if nothing has.
std::string drift_text(const Contest& contest);

}  // namespace kmux::bench
