#pragma once

#include <string>
#include <string_view>

namespace kmux::regress {

/// A class of machines with the same ratios: the same processor, and code from the same compiler.
struct MachineClass {
  std::string processor;  // its name; family and model if the system reports them
  std::string compiler;  // and its version, without the patch level
  std::string build_type;
  bool operator==(const MachineClass&) const = default;

  /// Example: "AMD EPYC family 25 model 17, g++ 12, Release".
  std::string to_string() const;
  /// Example: "amd-epyc-family-25-model-17-g-12-release.json": only small letters, digits and '-'.
  std::string file_name() const;
};

/// Returns the class of this machine and of this build.
MachineClass this_machine_class();

/// Returns the processor from the text of /proc/cpuinfo; "unknown" if it is not listed.
std::string processor_in(std::string_view cpuinfo);

}  // namespace kmux::regress
