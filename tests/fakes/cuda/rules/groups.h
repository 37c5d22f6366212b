#pragma once

#include <vector>

#include "driver_rules.h"
#include "rules/scene.h"

namespace kmux::driver_rules {

// What streams and events order, what the pool gives, what captures record, and what spoils them.
std::vector<Rule> order_rules();
std::vector<Rule> memory_rules();
std::vector<Rule> capture_rules();
std::vector<Rule> node_rules();
std::vector<Rule> spoiling_rules();

}  // namespace kmux::driver_rules
