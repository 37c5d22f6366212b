#pragma once

#include <cstdlib>
#include <initializer_list>

#include "fake_host.h"

namespace kmux::nvrtc {

/// A host with the options that the manifest takes from the environment.
class ToolkitHost : public FakeHost {
 public:
  ToolkitHost() {
    take("cuda.home", {"KMUX_CUDA_HOME", "CUDA_HOME"});
    take("nvrtc.library", {"KMUX_NVRTC_LIBRARY"});
    take("nvrtc.venv", {"VIRTUAL_ENV"});
  }

 private:
  void take(const char* option, std::initializer_list<const char*> variables) {
    for (const char* variable : variables) {
      const char* value = std::getenv(variable);
      if (value && *value && !options.contains(option)) options[option] = value;
    }
  }
};

}  // namespace kmux::nvrtc
