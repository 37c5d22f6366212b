#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/export.h"

namespace kmux {

/// A library that a plugin opens or links, and how to install it.
struct NeededLibrary {
  std::string library;  // as the loader finds it ("libcuda.so.1")
  std::string hint;  // how to install it
  bool operator==(const NeededLibrary&) const = default;
};

/// The contents of `<library stem>.plugin.json`, available before the plugin's library is opened.
struct KMUX_API Manifest {
  std::string name;  // of the backend
  std::string version;  // of the plugin
  std::string summary;  // one line
  std::string library;  // file name, beside the manifest
  std::uint32_t abi_min = 0;  // lowest plugin ABI version of a host that can load it
  std::uint32_t abi_max = 0;  // ABI version of its table
  std::string build_id;  // GNU build-id of the library, hex
  std::string sha256;      // of the library, recorded at installation; empty in a build tree
  int priority = 0;  // `auto` prefers the higher
  std::vector<std::string> targets;   // target kinds it accepts ("cpu", "c")
  std::vector<std::string> architectures;  // patterns of architectures accepted as a target without a kind ("sm_*")
  std::string arch_match;  // "supports": its `supports` checks `requires.arch`; empty: one must equal the target's
  std::vector<std::string> target_hosts;   // kinds of "target_host" that it compiles launchers for; may be empty
  std::vector<std::string> dialects;  // dialects of the variants it accepts
  std::vector<std::string> foreign_dialects;  // those of `dialects` written for other kinds of device, best first
  std::vector<std::string> ready_dialects;  // those of `dialects` with compiled sources, which need no toolchain
  std::vector<std::string> aliases;   // other names that users may give ("cython", "tvm_ffi")
  std::vector<std::string> features;  // of kmux/plugin/features.h
  std::vector<std::string> tiers;     // values of its option "tier", quickest to compile first; may be empty
  int compile_ms = 0;  // approximate time for a small program in the first tier; 0: unknown
  std::string parallel;  // "process": a process compiles one program at a time; empty: threads compile in parallel
  std::string background;  // "process": its in-process compiler must not be left running at process exit
  std::string builds;  // "confined": in-process builds need only the files in docs/security.md
  std::vector<std::int32_t> device_types;  // DLPack device types of memory it accepts; the first is its native one
  std::vector<NeededLibrary> needs;  // required to run
  /// Options of the plugin that environment variables set; the first non-empty variable of each list applies.
  std::map<std::string, std::vector<std::string>> environment;
  /// Options ("cpu.threads") left out of cache keys: they change no code, or name a file that the plugin's `toolchain`
  /// identifies.
  std::vector<std::string> unkeyed;
  std::vector<std::string> ignored;  // keys unknown to this kmux, each with a suggested spelling
  bool operator==(const Manifest&) const = default;
};

/// The value of `Manifest::parallel` for a compiler that holds one lock per process.
inline constexpr const char* kParallelProcess = "process";

/// The value of `Manifest::background` for a compiler whose background builds run in a separate process.
inline constexpr const char* kBackgroundProcess = "process";

/// The value of `Manifest::builds` for a compiler restricted to toolchain, headers and temporary files if isolation is
/// on.
inline constexpr const char* kConfinedBuilds = "confined";

/// The value of `Manifest::arch_match` for a backend that compares architectures itself.
inline constexpr const char* kArchMatchSupports = "supports";

/// Reads a manifest. Skips unknown keys unless the list "critical" contains them.
///
/// Errors: invalid_argument that names the file, every invalid key and every unknown critical key.
KMUX_API Result<Manifest> read_manifest(const std::filesystem::path& path);

}  // namespace kmux
