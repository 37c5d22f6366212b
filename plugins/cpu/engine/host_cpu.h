#pragma once

#include <set>
#include <string>
#include <vector>

namespace kmux::cpu {

/// A processor as LLVM names it, and the instruction-set features that code for it may use.
struct Processor {
  std::string name;
  std::set<std::string> features;
};

/// The processor of this process. Its features are those the machine has, not those its name promises: a virtual
/// machine may hide some.
///
/// Threads: any; asked once.
const Processor& host_cpu();

/// The features that a machine can be asked for; LLVM has more, which are tuning hints.
std::vector<std::string> checkable_features();

/// The names that `find_cpu` knows.
std::vector<std::string> known_cpus();

/// LLVM's triple of this process ("x86_64-pc-linux-gnu").
const std::string& host_triple();

/// The number of this machine in an ELF header (62 is x86-64).
unsigned short host_elf_machine();

}  // namespace kmux::cpu
