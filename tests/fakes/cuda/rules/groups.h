#pragma once

#include <vector>

#include "driver_rules.h"
#include "rules/scene.h"

namespace kmux::driver_rules {

// Rules of kernel names, the order of streams and events, the memory pool, captured graphs, invalidation of captures,
// and refused calls.
std::vector<Rule> name_rules();
std::vector<Rule> order_rules();
std::vector<Rule> memory_rules();
std::vector<Rule> capture_rules();
std::vector<Rule> node_rules();
std::vector<Rule> spoiling_rules();
std::vector<Rule> refusal_rules();
std::vector<Rule> launch_refusal_rules();
std::vector<Rule> map_refusal_rules();

}  // namespace kmux::driver_rules
