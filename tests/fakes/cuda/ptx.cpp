#include "ptx.h"

#include <map>
#include <regex>
#include <string_view>

namespace kmux::fake_cuda {
namespace {

// ".param .u64 x" and ".param .align 64 .b8 map[128]": an alignment, the bits of an element, the number of elements.
const std::regex& parameter() {
  static const std::regex instance(R"(\.param\s+(?:\.align\s+(\d+)\s+)?\.[busf](\d+)\s+\w+(?:\[(\d+)\])?)");
  return instance;
}

std::vector<Parameter> read_parameters(const std::string& list) {
  std::vector<Parameter> parameters;
  std::size_t end = 0;
  for (std::sregex_iterator match(list.begin(), list.end(), parameter()), last; match != last; ++match) {
    const std::size_t element = std::stoul((*match)[2]) / 8;
    const std::size_t align = (*match)[1].matched ? std::stoul((*match)[1]) : element;
    const std::size_t size = (*match)[3].matched ? element * std::stoul((*match)[3]) : element;
    const std::size_t offset = (end + align - 1) / align * align;
    parameters.push_back({offset, size});
    end = offset + size;
  }
  return parameters;
}

}  // namespace

std::map<std::string, std::vector<Parameter>> read_ptx(const char* text) {
  static const std::regex entry(R"(\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?)");
  const std::string all(text);
  std::map<std::string, std::vector<Parameter>> kernels;
  for (std::sregex_iterator match(all.begin(), all.end(), entry), last; match != last; ++match) {
    kernels.emplace((*match)[1], read_parameters((*match)[2]));
  }
  return kernels;
}

bool is_ptx(const char* text) { return std::string_view(text).find(".version") != std::string_view::npos; }

PtxTarget read_ptx_target(const char* text) {
  static const std::regex target(R"(\.target\s+sm_(\d+)(a?))");
  std::cmatch match;
  if (!std::regex_search(text, match, target)) return {};
  return {std::stoi(match[1]), match[2].length() > 0};
}

}  // namespace kmux::fake_cuda
