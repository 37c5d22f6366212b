#include "kmux/plugin/plan_part.h"

#include "kmux/dispatch_json.h"
#include "kmux/validate.h"

namespace kmux {

std::string plan_part(const Program& program, std::size_t variant) {
  Program alone{program.name, program.signature, {program.variants[variant]}};
  Variant& kept = alone.variants.front();
  for (File& source : kept.sources) source.content.clear();
  kept.headers.clear();
  return to_json(alone);
}

Result<Plan> read_plan(std::string_view text) {
  const auto empty = [](const std::string&) -> Result<std::string> { return std::string(); };
  KMUX_ASSIGN(const Program program, from_json(text, empty));
  KMUX_TRY(check_valid(program));
  return lower(program, 0);
}

}  // namespace kmux
