#include "places.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <unistd.h>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/word_list.h"

#include "nvidia/options.h"
#include "nvrtc_library.h"

namespace kmux::nvrtc {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kNames = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

// The folders of PyPI's packages for CUDA 13 and 12, below site-packages/nvidia.
constexpr std::array<const char*, 2> kPackages = {"cu13", "cuda_nvrtc"};
constexpr std::array<const char*, 4> kHeaderPackages = {"cu13", "cuda_runtime", "cuda_cccl", "cuda_nvcc"};

bool is_readable(const std::string& file) { return access(file.c_str(), R_OK) == 0; }

std::string in(const fs::path& folder, const std::string& name) { return (folder / name).string(); }

void add_packages(std::vector<std::string>& folders, const fs::path& site_packages) {
  for (const char* package : kPackages) folders.push_back(in(site_packages / "nvidia" / package, "lib"));
}

std::optional<std::string> library_in(const std::string& folder) {
  for (const char* name : kNames) {
    if (is_readable(in(folder, name))) return in(folder, name);
  }
  return std::nullopt;
}

// Returns the file that the loader finds for one of the names.
Result<std::string> loader_library() {
  KMUX_ASSIGN(const DynamicLibrary library, DynamicLibrary::open({kNames.begin(), kNames.end()}));
  KMUX_ASSIGN(void* const symbol, library.symbol("nvrtcVersion"));
  Dl_info info{};
  if (dladdr(symbol, &info) == 0 || !info.dli_fname) return library.name();
  return std::string(info.dli_fname);
}

Error not_found(const std::vector<std::string>& folders) {
  return make_error(ErrorCode::kUnavailable, "NVRTC is not there (no " + std::string(kNames[0]) + " or " + kNames[1] +
                                                 " in " + join(folders) +
                                                 ", nor on the loader's path). Install the CUDA toolkit or " +
                                                 std::string(kPipInstall) + ", or set KMUX_NVRTC_LIBRARY to the file.");
}

// Returns true if the name begins as only those of the toolkit's headers do.
bool is_of_toolkit(std::string_view header) {
  constexpr std::array<std::string_view, 7> kBeginnings = {"crt/", "cuda",   "cooperative_groups", "cub/", "mma.h",
                                                           "nv/",  "thrust/"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return header.starts_with(beginning); });
}

bool has_headers(const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [](const std::string& folder) { return is_readable(in(folder, "cuda_fp16.h")); });
}

// Returns the header folders of PyPI's packages beside the library's: toolkit 12 has one package for each part.
std::vector<std::string> package_headers(const fs::path& library) {
  const fs::path packages = library.parent_path().parent_path().parent_path();
  std::vector<std::string> folders;
  for (const char* package : kHeaderPackages) {
    for (std::string& folder : nvidia::toolkit_includes(in(packages, package))) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace

std::vector<std::string> library_folders(const Host& host) {
  std::vector<std::string> folders;
  for (const std::string& home : nvidia::toolkit_homes(host)) {
    folders.push_back(home + "/lib64");
    folders.push_back(home + "/lib");
  }
  const std::string venv = host.option("nvrtc.venv").value_or("");
  for (const std::string& site : python_packages(venv, reinterpret_cast<const void*>(&library_folders))) {
    add_packages(folders, site);
  }
  return folders;
}

Result<std::string> find_library(const Host& host) {
  if (const auto named = host.option("nvrtc.library"); named && !named->empty()) {
    if (is_readable(*named)) return absolute_path(*named).string();
    return make_error(ErrorCode::kUnavailable, "NVRTC is not there (\"" + *named +
                                                   "\" cannot be read). Correct option nvrtc.library, which "
                                                   "KMUX_NVRTC_LIBRARY sets, or remove it.");
  }
  return find_library_in(library_folders(host));
}

Result<std::string> find_library_in(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (auto found = library_in(folder)) return *std::move(found);
  }
  auto found = loader_library();
  if (!found) return not_found(folders);
  return found;
}

namespace {

// Returns the releases in the names of builtins libraries beside `library`, without duplicates. A link without a number
// has none.
std::vector<nvidia::Release> releases_beside(const fs::path& library) {
  constexpr std::string_view kBeginning = "libnvrtc-builtins.so.";
  std::vector<nvidia::Release> releases;
  for (const fs::path& entry : entries_in(library.parent_path())) {
    const std::string name = entry.filename().string();
    const auto release = name.starts_with(kBeginning)
                             ? nvidia::parse_release(std::string_view(name).substr(kBeginning.size()))
                             : std::nullopt;
    if (release && std::ranges::find(releases, *release) == releases.end()) releases.push_back(*release);
  }
  return releases;
}

}  // namespace

std::optional<nvidia::Release> release_of(const std::string& library) {
  std::error_code error;
  const fs::path real = fs::canonical(library, error);
  const auto releases = releases_beside(error ? fs::path(library) : real);
  if (releases.size() == 1) return releases.front();
  const auto opened = NvrtcLibrary::open(library);
  if (!opened) return std::nullopt;
  return nvidia::Release{(*opened)->major(), (*opened)->minor()};
}

std::vector<std::string> header_folders(const std::string& library, const Host& host) {
  std::error_code error;
  const fs::path path = fs::canonical(library, error);
  const fs::path& file = error ? fs::path(library) : path;
  // Headers of the same version come first. The toolkit's lib64 is a link to targets/x86_64-linux/lib.
  const std::string own_home = file.parent_path().parent_path().string();
  std::vector<std::vector<std::string>> choices = {nvidia::toolkit_includes(own_home), package_headers(file)};
  for (const std::string& home : nvidia::toolkit_homes(host)) choices.push_back(nvidia::toolkit_includes(home));
  const auto found = std::ranges::find_if(choices, has_headers);
  return found == choices.end() ? std::vector<std::string>() : *found;
}

std::optional<std::string> toolkit_header_advice(std::string_view message) {
  constexpr std::string_view kMissing =
      " open source file \"";  // after "cannot" or "could not". Source: messages of NVRTC 12 and 13
  const std::size_t at = message.find(kMissing);
  if (at == message.npos || !is_of_toolkit(message.substr(at + kMissing.size()))) return std::nullopt;
  return "The toolkit's headers are incomplete. Install the CUDA toolkit or " + std::string(kPipInstall) + ".";
}

}  // namespace kmux::nvrtc
