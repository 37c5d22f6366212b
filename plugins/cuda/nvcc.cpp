#include "nvcc.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unistd.h>

#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/file_io.h"

#include "nvidia/options.h"

namespace kmux::cuda {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> version_in_json(const fs::path& file) {
  const auto text = read_file(file);
  const auto json = text ? parse_json(*text) : Result<Json>(Json());
  const Json* cuda = json && json->as_object() ? json->find("cuda") : nullptr;
  const Json* version = cuda && cuda->as_object() ? cuda->find("version") : nullptr;
  if (!version || !version->as_string()) return std::nullopt;
  return *version->as_string();
}

// Returns the version from the beginning of cuda.h, for toolkits without version.json (those of PyPI).
std::string version_in_header(const fs::path& file) {
  constexpr std::string_view kDefine = "#define CUDA_VERSION ";
  std::ifstream stream(file, std::ios::binary);
  std::string text(65536, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  const std::size_t begin = text.find(kDefine);
  if (begin == text.npos) return "";
  const std::size_t digits = begin + kDefine.size();
  return text.substr(digits, text.find_first_not_of("0123456789", digits) - digits);
}

}  // namespace

Result<Nvcc> find_nvcc(const Host& host) {
  std::string tried;
  for (const std::string& home : nvidia::toolkit_homes(host)) {
    const std::string program = home + "/bin/nvcc";
    if (::access(program.c_str(), X_OK) == 0) return Nvcc{program, home};
    tried.append(tried.empty() ? "" : ", ").append("\"").append(program).append("\"");
  }
  return make_error(ErrorCode::kUnavailable,
                    "nvcc was not found (tried " + (tried.empty() ? "PATH" : tried) +
                        "). Install the CUDA toolkit and set CUDA_HOME, or use backend nvrtc.");
}

Json identify(const Nvcc& nvcc) {
  constexpr std::array<const char*, 2> kPrograms = {"/bin/ptxas", "/nvvm/bin/cicc"};
  const auto version = version_in_json(nvcc.home + "/version.json");
  Json::Array programs = {identify_file(nvcc.program)};
  for (const char* program : kPrograms) programs.push_back(identify_file(nvcc.home + program));
  return Json::Object{{"version", version ? *version : version_in_header(nvcc.home + "/include/cuda.h")},
                      {"programs", std::move(programs)}};
}

std::optional<nvidia::Release> release_of(const Nvcc& nvcc) {
  const auto version = version_in_json(nvcc.home + "/version.json");
  if (version) return nvidia::parse_release(*version);
  const std::string number = version_in_header(nvcc.home + "/include/cuda.h");  // 13000
  int value = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc()) return std::nullopt;
  return nvidia::Release{value / 1000, value % 1000 / 10};
}

void warn_of_unused_flags(const Host& host) {
  constexpr std::array<std::array<const char*, 2>, 2> kFlags = {
      {{"cuda.nvcc_append_flags", "NVCC_APPEND_FLAGS"}, {"cuda.nvcc_prepend_flags", "NVCC_PREPEND_FLAGS"}}};
  for (const auto& [option, variable] : kFlags) {
    const auto flags = host.option(option);
    if (!flags || flags->empty()) continue;
    host.log(Host::Level::kWarning,
             std::string(variable) + "=\"" + *flags +
                 "\" is not used (a kernel is compiled with its program's flags and its options). Set option "
                 "compile_flags, or KMUX_OPTION_CUDA_COMPILE_FLAGS for all programs.");
  }
}

namespace {

// Splits a make rule into words. A backslash escapes blanks in names and line ends between names; a dollar is doubled.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if ((text[i] == '\\' && next == ' ') || (text[i] == '$' && next == '$')) {
      words.back() += next;
      ++i;
    } else if (text[i] == ' ' || text[i] == '\n' || (text[i] == '\\' && next == '\n')) {
      words.emplace_back();
    } else {
      words.back() += text[i];
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> absolute_prerequisites(std::string_view rule) {
  const std::size_t colon = std::min(rule.find(": "), rule.size());
  std::vector<std::string> paths;
  for (const std::string& word : words_of(rule.substr(colon))) {
    if (word.starts_with('/')) paths.push_back(std::filesystem::path(word).lexically_normal().string());
  }
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

}  // namespace kmux::cuda
