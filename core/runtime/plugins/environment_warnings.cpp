#include "environment_warnings.h"

#include <algorithm>
#include <set>

#include "kmux/plugin/words.h"

#include "system/environment_variables.h"

namespace kmux {
namespace {

using Kind = EnvironmentVariable::Kind;
using Names = std::set<std::string, std::less<>>;

constexpr std::string_view kPrefix = "KMUX_";
constexpr std::string_view kOptionPrefix = "KMUX_OPTION_";

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

Names names_of_plugins(const std::vector<Manifest>& plugins) {
  Names names;
  for (const Manifest& plugin : plugins) {
    for (const auto& [option, variables] : plugin.environment) names.insert(variables.begin(), variables.end());
  }
  return names;
}

/// What may stand before the point of an option: plugins, and what several of them share ("nvidia.nvtx").
Names owners_of_options(const std::vector<Manifest>& plugins) {
  Names owners = {"kmux"};
  for (const Manifest& plugin : plugins) {
    owners.insert(plugin.name);
    for (const auto& [option, variables] : plugin.environment) owners.insert(option.substr(0, option.find('.')));
  }
  return owners;
}

/// The row of kmux's own variables that `name` is in, or null.
const EnvironmentVariable* own_variable(std::string_view name) {
  const auto is_it = [name](const EnvironmentVariable& variable) {
    return variable.kind == Kind::kPrefix ? name.starts_with(variable.name) : name == variable.name;
  };
  const auto variables = environment_variables();
  const auto found = std::ranges::find_if(variables, is_it);
  return found == variables.end() ? nullptr : &*found;
}

std::string unknown_name(const std::string& name, const Names& of_plugins) {
  std::vector<std::string> known(of_plugins.begin(), of_plugins.end());
  for (const EnvironmentVariable& variable : environment_variables()) {
    if (variable.kind != Kind::kPrefix) known.emplace_back(variable.name);
  }
  return name + " is set, but neither kmux nor a plugin that is here reads it." + did_you_mean(name, known) +
         " docs/environment.md lists the variables.";
}

std::string leads_nowhere(const std::string& name, const std::filesystem::path& path) {
  return name + " names " + in_quotes(path.string()) + ", which is not there. Correct the path, or unset the variable.";
}

class Review {
 public:
  Review(const Environment& environment, const std::vector<Manifest>& plugins)
      : environment_(environment), of_plugins_(names_of_plugins(plugins)), owners_(owners_of_options(plugins)) {}

  std::vector<std::string> run() && {
    for (const auto& [name, value] : environment_.variables) {
      if (name.starts_with(kPrefix) && !value.empty()) check(name, value);
    }
    check_folders("KMUX_CACHE_RO", environment_.cache_read_only);
    check_folders("KMUX_PLUGIN_PATH", environment_.plugin_path);
    for (const auto& [option, value] : environment_.plugin_options) check_owner(option);
    return std::move(warnings_);
  }

 private:
  void check(const std::string& name, const std::string& value) {
    if (name.starts_with(kOptionPrefix)) return check_option(name);
    if (of_plugins_.contains(name)) return check_path(name, value);
    const EnvironmentVariable* const own = own_variable(name);
    if (own == nullptr) return warn(unknown_name(name, of_plugins_));
    if (own->kind == Kind::kSwitch && !is_switch(value))
      warn(name + " is " + in_quotes(value) + ", which counts as \"off\" (on: 1, true, yes, on). Write 0 or 1.");
  }

  /// Whose option it is, check_owner looks at.
  void check_option(const std::string& name) {
    if (name.find('_', kOptionPrefix.size()) == std::string::npos)
      warn(name + " names no option of a plugin. Such a variable is KMUX_OPTION_<PLUGIN>_<NAME>.");
  }

  /// What a plugin's variable means is the plugin's business, but a path from the root is a path.
  void check_path(const std::string& name, const std::string& value) {
    if (value.starts_with('/') && !is_there(value)) warn(leads_nowhere(name, value));
  }

  void check_folders(const std::string& name, const std::vector<std::filesystem::path>& folders) {
    for (const std::filesystem::path& folder : folders) {
      if (!is_there(folder)) warn(leads_nowhere(name, folder));
    }
  }

  void check_owner(const std::string& option) {
    const std::string owner = option.substr(0, option.find('.'));
    if (owners_.contains(owner)) return;
    warn("option \"" + option + "\" is set in the environment, but there is no plugin \"" + owner + "\"." +
         did_you_mean(owner, {owners_.begin(), owners_.end()}) + " Such a variable is KMUX_OPTION_<PLUGIN>_<NAME>.");
  }

  void warn(std::string text) { warnings_.push_back(std::move(text)); }

  const Environment& environment_;
  const Names of_plugins_;
  const Names owners_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> environment_warnings(const Environment& environment, const std::vector<Manifest>& plugins) {
  return Review(environment, plugins).run();
}

}  // namespace kmux
