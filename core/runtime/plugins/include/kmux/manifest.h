#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/export.h"

namespace kmux {

/// A library that a plugin opens or links, and what to install when it is missing.
struct NeededLibrary {
  std::string library;  // as the loader finds it ("libcuda.so.1")
  std::string hint;  // how to install it
  bool operator==(const NeededLibrary&) const = default;
};

/// `<library stem>.plugin.json`: what is known of a plugin before its library is opened.
struct KMUX_API Manifest {
  std::string name;  // of the backend
  std::string version;  // of the plugin
  std::string summary;  // one line
  std::string library;  // file name, beside the manifest
  std::uint32_t abi_min = 0;  // the version of the plugin ABI that a host must have at least
  std::uint32_t abi_max = 0;  // the version of its table
  std::string build_id;  // GNU build-id of the library, hex
  std::string sha256;      // of the library, recorded at installation; empty in a build tree
  int priority = 0;  // `auto` prefers the higher
  std::vector<std::string> targets;   // kinds it answers to ("cpu", "c")
  std::vector<std::string> architectures;  // those that are a target without a kind, with a star at the end ("sm_*")
  std::string arch_match;  // "supports": that says what `requires.arch` runs on a target; empty: one is the target's
  std::vector<std::string> target_hosts;   // kinds of option "target_host", for which it compiles launchers; or none
  std::vector<std::string> dialects;  // variants it takes
  std::vector<std::string> foreign_dialects;  // of these, the ones written for other kinds of device, best first
  std::vector<std::string> ready_dialects;  // of these, the ones whose sources are code: no toolchain is asked for
  std::vector<std::string> aliases;   // other names that users may give ("cython", "tvm_ffi")
  std::vector<std::string> features;  // of kmux/plugin/features.h
  std::vector<std::string> tiers;     // values of its option "tier", the quickest to compile first; or none
  int compile_ms = 0;  // what a small program takes in the first tier, roughly; 0: unknown
  std::string parallel;             // "process": one process compiles one thing at a time; empty: threads do
  std::string background;  // "process": its compiler, in this process, cannot be left alone when the process ends
  std::string builds;  // "confined": what it compiles in process needs no files but those of docs/security.md
  std::vector<std::int32_t> device_types;  // DLPack device types of the memory it takes; the first is its own
  std::vector<NeededLibrary> needs;  // to run
  /// Options of the plugin that environment variables set: the first of the list that is not empty.
  std::map<std::string, std::vector<std::string>> environment;
  /// Options ("cpu.threads") that are in no key: they change no code, or name what the plugin's `toolchain` identifies.
  std::vector<std::string> unkeyed;
  std::vector<std::string> ignored;  // keys that this kmux does not know, each with what it may be meant to be
  bool operator==(const Manifest&) const = default;
};

/// The word of `Manifest::parallel` for a compiler that holds one lock per process.
inline constexpr const char* kParallelProcess = "process";

/// The word of `Manifest::background` for a compiler whose builds in the background go to a process of their own.
inline constexpr const char* kBackgroundProcess = "process";

/// The word of `Manifest::builds` for a compiler that is held to toolchain, headers and temporary files where isolation is asked for.
inline constexpr const char* kConfinedBuilds = "confined";

/// The word of `Manifest::arch_match` for a backend that compares architectures by itself.
inline constexpr const char* kArchMatchSupports = "supports";

/// Reads a manifest. A key that is not known is skipped, unless the list "critical" has it.
///
/// Errors: invalid_argument that names the file and every wrong key, and every critical one that is not known.
KMUX_API Result<Manifest> read_manifest(const std::filesystem::path& path);

}  // namespace kmux
