#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace kmux::cli {

/// What a command writes into a file.
enum class OutputKind : std::uint8_t {
  kArtifact,  // compile --output
  kBundle,    // cache export
  kCsv,       // bench --csv
  kHeader,    // export --header
  kLibrary,   // export --output
  kLock,      // tune --lock
  kPage,      // bench --html
  kReport,    // bench --json
  kTensor,    // run --out
  kTrace,     // trace --trace
};

/// With its article: "a page of `kmux bench`".
std::string_view name_of(OutputKind kind);

/// Was the file written by such an option? By its content, never by its name. A file that cannot be read is of no kind.
bool is_of_kind(const std::filesystem::path& file, OutputKind kind);

}  // namespace kmux::cli
