#include "bars/bar.h"

#include <cstdio>
#include <filesystem>

#include "bars/settings.h"

namespace kmux::bench {

bool Limit::holds(double measured) const {
  switch (kind) {
    case Kind::kAtMost:
      return measured <= value;
    case Kind::kAtLeast:
      return measured >= value;
    case Kind::kNone:
      return true;
  }
  return true;
}

std::string Limit::text() const {
  if (kind == Kind::kNone) return "";
  char number[32];
  std::snprintf(number, sizeof number, "%s %g", kind == Kind::kAtMost ? "<=" : ">=", value);
  return number;
}

std::vector<Bar>& registered_bars() {
  static auto& bars = *new std::vector<Bar>;
  return bars;
}

std::vector<Child>& registered_children() {
  static auto& children = *new std::vector<Child>;
  return children;
}

std::vector<std::string> child_command(const std::string& name, const std::vector<std::string>& words) {
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe").string()};
  for (const auto& more : {settings_as_words(), {"--child", name}, words})
    command.insert(command.end(), more.begin(), more.end());
  return command;
}

}  // namespace kmux::bench
