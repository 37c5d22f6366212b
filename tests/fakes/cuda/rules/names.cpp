#include "groups.h"

namespace kmux::driver_rules {
namespace {

// A global kernel, a kernel local to its file, as static ones, and a function that is not a kernel.
constexpr const char* kKernels = R"(.version 7.0
.target sm_70
.address_size 64
.visible .func helper()
{
  ret;
}
.visible .entry _Z5shownv()
{
  ret;
}
.entry _Z6hiddenv()
{
  ret;
}
)";

std::string finds_symbols(Scene& scene) {
  Handle library = nullptr;
  const Code loaded = scene.cu.library_load(&library, kKernels, nullptr, nullptr, 0, nullptr, nullptr, 0);
  const auto find = [&](const char* name) {
    Handle kernel = nullptr;
    return scene.cu.library_kernel(&kernel, library, name);
  };
  const std::string outcome = told({{"load", loaded},
                                    {"shown", find("_Z5shownv")},
                                    {"hidden", find("_Z6hiddenv")},
                                    {"plain", find("shown")},
                                    {"written", find("shown()")},
                                    {"function", find("helper")}});
  scene.cu.library_unload(library);
  return outcome;
}

}  // namespace

std::vector<Rule> name_rules() {
  return {
      {"names/symbols",
       "A kernel is found by its symbol alone, one that is static too; what is no kernel is not found.", finds_symbols,
       "load 0, shown 0, hidden 0, plain 500, written 500, function 500"},
  };
}

}  // namespace kmux::driver_rules
