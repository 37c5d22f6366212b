#include "nvidia/ptx.h"

#include <algorithm>

#include "nvidia/cubin.h"
#include "nvidia/launch_check.h"

namespace kmux::nvidia {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// `ptx` without comments, which may hold anything.
std::string without_comments(std::string_view ptx) {
  std::string text;
  for (std::size_t i = 0; i < ptx.size();) {
    const std::string_view rest = ptx.substr(i);
    if (rest.starts_with("//")) {
      i += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      i += end == rest.npos ? rest.size() : end + 2;
      text += ' ';
    } else {
      text += ptx[i++];
    }
  }
  return text;
}

// The words that follow `directive` wherever it stands, up to a blank or one of "(,".
std::vector<std::string> words_after(std::string_view text, std::string_view directive) {
  std::vector<std::string> words;
  for (std::size_t at = text.find(directive); at != text.npos; at = text.find(directive, at + 1)) {
    std::string_view rest = text.substr(at + directive.size());
    const std::size_t begin = rest.find_first_not_of(kBlanks);
    if (begin == 0 || begin == rest.npos) continue;  // part of a longer word
    rest.remove_prefix(begin);
    words.emplace_back(rest.substr(0, rest.find_first_of(" \t\r\n(,")));
  }
  return words;
}

}  // namespace

std::vector<std::string> ptx_kernels(std::string_view ptx) {
  std::vector<std::string> kernels = words_after(without_comments(ptx), ".entry");
  std::ranges::sort(kernels);
  return kernels;
}

Result<Arch> ptx_arch(std::string_view ptx) {
  for (const std::string& word : words_after(without_comments(ptx), ".target")) {
    if (const auto arch = parse_arch(word)) return *arch;
  }
  return make_error(ErrorCode::kInvalidArgument,
                    "the source is not PTX (it has no .target with an architecture). Make it with nvcc -ptx.");
}

namespace {

Error for_another(const File& source, Arch code, Arch target) {
  return make_error(ErrorCode::kInvalidArgument, "source \"" + source.path + "\" is for " + to_string(code) +
                                                     " (the target is " + to_string(target) +
                                                     "). Give code for the target, or its source.");
}

}  // namespace

Result<std::vector<std::string>> check_ready_code(const Variant& variant, Arch target, const Plan& plan) {
  const File& source = variant.sources.front();
  if (variant.dialect == "ptx") {
    KMUX_ASSIGN(const Arch arch, ptx_arch(source.content));
    if (!satisfies(target, arch)) return for_another(source, arch, target);
    return find_kernels(plan.kernels, ptx_kernels(source.content));
  }
  KMUX_ASSIGN(const Arch arch, cubin_arch(source.content));
  if (!runs_on(arch, target)) return for_another(source, arch, target);
  KMUX_ASSIGN(std::vector<std::string> symbols, find_kernels(plan.kernels, std::string_view(source.content)));
  KMUX_TRY(check_launches(plan, symbols, source.content));
  return symbols;
}

}  // namespace kmux::nvidia
