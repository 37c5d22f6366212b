// Prints the settings that a process takes from its environment, one per line. secure_test.cpp runs a copy of it that
// has another group's rights.
#include <cstdio>
#include <sys/auxv.h>

#include "kmux/plugin/process.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

int main() {
  const kmux::Environment environment = kmux::Environment::from_process();
  kmux::RegistryOptions options;
  options.search_path = {KMUX_TEST_BUILD_DIR "/lib/kmux/plugins"};
  options.use_default_path = false;
  options.environment_path = environment.plugin_path;
  options.plugin_options = environment.plugin_options;
  options.variables = environment.variables;
  const auto registry = kmux::Registry::open(options).value();
  std::printf("secure %lu\n", getauxval(AT_SECURE));
  std::printf("plugins %zu\n", registry->manifests().size());
  for (const auto& folder : registry->search_path()) std::printf("folder %s\n", folder.c_str());
  for (const auto& [name, value] : registry->plugin_options())
    std::printf("option %s=%s\n", name.c_str(), value.c_str());
  if (const auto program = kmux::find_program("kmux-named-by-path")) std::printf("program %s\n", program->c_str());
  const auto path = kmux::run({.argv = {"/usr/bin/printenv", "PATH"}});
  std::printf("path of children %s", path ? path->standard_output.c_str() : path.error().message.c_str());
}
