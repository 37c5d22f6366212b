#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kmux::nvidia {

/// An architecture of NVIDIA's devices: sm_90a is {90, 'a'}. Suffix 'a' is code for that architecture alone, 'f' code
/// for its family (the same number of tens), none code for it and newer ones.
struct Arch {
  int number = 0;
  char suffix = '\0';
  bool operator==(const Arch&) const = default;
};

/// "sm_90a".
std::string to_string(Arch arch);

/// Reads "sm_NN", "sm_NNa" or "sm_NNf" with a number of two or three digits; nothing for anything else.
std::optional<Arch> parse_arch(std::string_view text);

/// What code for a device of this compute capability is compiled for: with suffix 'a' from 9.0 on.
Arch arch_of_capability(int major, int minor);

/// Does compiling for `target` keep a promise made for `wanted`? sm_90a: for it alone. sm_100f: for its family. sm_80:
/// for it and all newer ones.
bool satisfies(Arch target, Arch wanted);

/// Does a binary for `code` run on the device that `target` is compiled for? Of code without suffix the number of tens
/// must be the same, and the rest not greater.
bool runs_on(Arch code, Arch target);

}  // namespace kmux::nvidia
