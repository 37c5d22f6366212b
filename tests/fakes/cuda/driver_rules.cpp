#include "driver_rules.h"

#include "rules/groups.h"

namespace kmux::driver_rules {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> made;
    for (const auto& group : {name_rules(), order_rules(), memory_rules(), capture_rules(), node_rules(),
                              spoiling_rules(), refusal_rules(), launch_refusal_rules(), map_refusal_rules()}) {
      made.insert(made.end(), group.begin(), group.end());
    }
    return made;
  }();
  return all;
}

std::string outcome_of(const Driver& driver, const Rule& rule) {
  Scene scene(driver);
  std::string outcome = rule.outcome(scene);
  const Code broken = scene.end();
  if (broken == 0) return outcome;
  if (driver.primary_reset != nullptr) driver.primary_reset(0);
  Driver again = driver;
  again.enter();
  return outcome + "; context broken by " + std::to_string(broken);
}

}  // namespace kmux::driver_rules
