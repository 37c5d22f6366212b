#pragma once

#include <string>
#include <string_view>

namespace kmux::regress {

/// Machines of one class give the same ratios: the same processor, and code from the same compiler.
struct MachineClass {
  std::string processor;  // its name, and family and model where the system tells them
  std::string compiler;  // and its version, without the patch level
  std::string build_type;
  bool operator==(const MachineClass&) const = default;

  /// "AMD EPYC family 25 model 17, g++ 12, Release".
  std::string to_string() const;
  /// "amd-epyc-family-25-model-17-g-12-release.json": small letters, digits and '-' alone.
  std::string file_name() const;
};

/// The class of this machine and of this build.
MachineClass this_machine_class();

/// The processor as /proc/cpuinfo tells of it; "unknown" where it does not.
std::string processor_in(std::string_view cpuinfo);

}  // namespace kmux::regress
