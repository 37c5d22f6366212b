#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
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

/// The processor `name` with the features its name promises; nothing if LLVM does not know it.
std::optional<Processor> find_cpu(std::string_view name);

/// The names that `find_cpu` knows.
std::vector<std::string> known_cpus();

/// LLVM's triple of this process ("x86_64-pc-linux-gnu").
const std::string& host_triple();

/// The number of this machine in an ELF header (62 is x86-64).
unsigned short host_elf_machine();

/// Registers LLVM's native target. Every entry to LLVM calls it first.
///
/// Threads: any; does its work once.
void initialize_llvm();

}  // namespace kmux::cpu
