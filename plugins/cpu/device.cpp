#include "device.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <unistd.h>
#include <utility>

#include "kmux/json.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/option_readers.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/support.h"
#include "kmux/plugin/word_list.h"

#include "host_compiler.h"
#include "simt/frontend/installation.h"

namespace kmux::cpu {
namespace {

constexpr std::size_t kFlushStep = 64;
constexpr NumberRange kFlushMib = {1, 65536};

// Returns the model name of /proc/cpuinfo ("AMD EPYC 9B45"), else LLVM's name.
std::string model_name() {
  std::ifstream file(linux_root() / "proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return simt::host_cpu().name;
}

std::size_t cache_bytes() {
  long largest = 8L << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE  // not in POSIX
  largest = std::max({largest, sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE)});
#endif
  return static_cast<std::size_t>(largest);
}

}  // namespace

CpuDevices::CpuDevices(const Host& host) : CpuDevices() {
  if (const auto mib = flush_mib_option(host); mib && *mib) flush_bytes_ = static_cast<std::size_t>(**mib) << 20;
}

Result<std::optional<int>> flush_mib_option(const Host& host) {
  const std::optional<std::string> text = host.option("cpu.flush_mib");
  if (!text) return std::optional<int>();
  KMUX_ASSIGN(const int mib, read_number({"cpu", "flush_mib", *text}, kFlushMib));
  return std::optional<int>(mib);
}

Status check_device(int device) { return check_host_device("cpu", device); }

Result<Json> CpuDevices::properties(int device) {
  KMUX_TRY(check(device));
  KMUX_ASSIGN(const MemoryInfo memory, memory_info(device));
  Json::Array features(simt::host_cpu().features.begin(), simt::host_cpu().features.end());
  return Json(Json::Object{{"name", model_name()},
                           {"arch", simt::host_cpu().name},
                           {"cores", std::int64_t{sysconf(_SC_NPROCESSORS_ONLN)}},
                           {"features", std::move(features)},
                           {"memory_bytes", memory.total_bytes}});
}

Status CpuDevices::l2_flush(int device, void*) {
  KMUX_TRY(check(device));
  const std::lock_guard lock(mutex_);
  flush_buffer_.resize(flush_bytes_ != 0 ? flush_bytes_ : 2 * cache_bytes());
  for (std::size_t i = 0; i < flush_buffer_.size(); i += kFlushStep) {
    volatile unsigned char& byte = flush_buffer_[i];
    byte = static_cast<unsigned char>(byte + 1);
  }
  return Ok{};
}

namespace {

TargetForms forms(std::string_view attributes = "mcpu") {
  return {"cpu", "auto, cpu, c and llvm", attributes, R"("cpu" or "cpu:x86-64-v3")"};
}

Error unknown_cpu(const std::string& name) {
  return make_error(ErrorCode::kInvalidArgument,
                    "processor \"" + name + "\" is not known to LLVM." + did_you_mean(name, simt::known_cpus()) +
                        R"( "cpu" alone is this machine's own, ")" + simt::host_cpu().name + "\".");
}

// Accepts only those of TVM's attributes that add nothing about this machine.
Result<std::string> cpu_of(const Target& target) {
  for (const auto& [key, value] : target.attributes) {
    if ((key == "mtriple" && value == simt::triple_of(target.arch)) || (key == "keys" && value == "cpu")) continue;
    return unknown_attribute(key, value, forms("mcpu, and mtriple=" + simt::triple_of(target.arch)));
  }
  return target.arch.empty() || target.arch == "native" ? simt::host_cpu().name : target.arch;
}

bool contains_all(const std::set<std::string>& features, const std::set<std::string>& wanted) {
  return std::includes(features.begin(), features.end(), wanted.begin(), wanted.end());
}

std::set<std::string> features_of(const std::string& cpu) {
  if (cpu == simt::host_cpu().name) return simt::host_cpu().features;
  const auto processor = simt::find_cpu(cpu);
  return processor ? processor->features : std::set<std::string>{};
}

// A single text instead of a list of a hundred, since each cache lookup reads and writes it.
const std::string& host_features() {
  static const std::string features = join({simt::host_cpu().features.begin(), simt::host_cpu().features.end()});
  return features;
}

constexpr const char* kOwnHeaders = "beside the plugin";

/// The contents of the ID file that stands for a compiler library that is not installed (write_build_id.cmake).
struct LibraryId {
  std::string build_id;
  std::string headers;  // as in the toolchain identity
};

LibraryId id_of(const std::string& library) {
  constexpr std::uint64_t kMaxBytes = 10000;
  const Result<std::string> text = read_file(simt::id_file_of(library), kMaxBytes);
  const std::vector<std::string> lines = text ? split_lines(*text) : std::vector<std::string>();
  return lines.size() < 2 ? LibraryId{"", kOwnHeaders} : LibraryId{lines[0], lines[1]};
}

// Identifies a library by its build ID, independent of its folder. Called for each cache key, so the build ID is read
// once until the file changes.
Json identify_library(const std::string& path, const FileIdentity& now) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, std::pair<FileIdentity, Json>>;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(path); found != known.end() && found->second.first == now)
    return found->second.second;
  const Result<std::string> build_id = now.is_there() ? read_build_id(path) : id_of(path).build_id;
  if (!build_id || build_id->empty()) return identify_file(path);
  const std::string name = path.substr(path.rfind('/') + 1);
  Json identity = Json::Object{{"name", name}, {"build_id", *build_id}};
  known.insert_or_assign(path, std::pair(now, identity));
  return identity;
}

// Adds the libraries of the compiler and its headers. Headers that came with the libraries are identified as such,
// independent of the package's folder. That holds even if the package contains neither.
void identify_clang(Json& identity) {
  Json::Array libraries;
  std::optional<std::string> headers;
  for (const std::string& library : simt::compiler_libraries()) {
    const FileIdentity now = FileIdentity::of(library);
    libraries.push_back(identify_library(library, now));
    if (!now.is_there() && !headers) headers = id_of(library).headers;
  }
  identity["libraries"] = std::move(libraries);
  if (!headers) headers = simt::own_resource_dir() ? kOwnHeaders : simt::resource_dir_or_default();
  identity["headers"] = *std::move(headers);
}

// Returns the indices of those `folders` that are Clang's own header folder. Clang searches that one in another order,
// whatever the other folders are.
std::string own_folders_in(const std::vector<std::string>& folders) {
  if (folders.empty()) return "";
  const std::filesystem::path own = std::filesystem::path(simt::resource_dir_or_default()) / "include";
  std::string indices;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::error_code error;
    if (std::filesystem::equivalent(folders[i], own, error)) indices += std::to_string(i) + " ";
  }
  return indices;
}

}  // namespace

Result<Target> resolve_cpu_target(std::string_view request) {
  if (request.empty() || request == "auto") return Target{"cpu", simt::host_cpu().name, {}};
  KMUX_ASSIGN(const Target target, parse_target(request));
  if (target.kind != "cpu" && target.kind != "c" && target.kind != "llvm") return unknown_kind(target, forms());
  KMUX_ASSIGN(const std::string cpu, cpu_of(target));
  if (cpu != simt::host_cpu().name && !simt::is_known_cpu(cpu)) return unknown_cpu(cpu);
  return Target{"cpu", cpu, {}};
}

bool satisfies(const Target& target, const std::string& arch) {
  if (target.arch == arch) return true;
  const auto processor = simt::find_cpu(arch);
  return processor && contains_all(features_of(target.arch), processor->features);
}

bool has_feature(const Target& target, const std::string& feature) {
  return features_of(target.arch).contains(feature);
}

Result<std::string> toolchain_identity(const Target& target, const BuildOptions& options) {
  Json identity;
  if (options.engine == Engine::kHost) {
    KMUX_ASSIGN(const std::string compiler, find_host_compiler(options));
    identity["host_compiler"] = identify_compiler(compiler);
  } else {
    identity["compiler"] = simt::compiler_version();
    identify_clang(identity);
    if (const std::string own = own_folders_in(options.include_dirs); !own.empty()) identity["own_folders"] = own;
  }
  identity["triple"] = simt::triple_of(options.march == "native" ? target.arch : options.march);
  const bool own =
      options.march == "native" ? target.arch == simt::host_cpu().name : options.march == simt::host_cpu().name;
  if (own) identity["features"] = host_features();
  return dump(identity);
}

}  // namespace kmux::cpu
