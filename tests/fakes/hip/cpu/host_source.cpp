#include "cpu/host_source.h"

#include <regex>
#include <set>
#include <string_view>

namespace kmux {

extern const std::string_view hip_on_cpu_text;  // cpu/device_code.h

namespace fake_hip {
namespace {

// __global__, and the macros that stand for it.
std::string kernel_marks(const std::string& source) {
  static const std::regex kDefine(R"(#\s*define\s+(\w+)\s[^\n]*__global__)");
  std::string marks = "__global__";
  for (std::sregex_iterator found(source.begin(), source.end(), kDefine), end; found != end; ++found) {
    marks += "|" + found->str(1);
  }
  return marks;
}

// The kernels that are not templates, in no namespace.
std::set<std::string> kernels_of(const std::string& source) {
  const std::regex kernel(
      R"((template\s*<[^>]*>\s*)?\b(?:)" + kernel_marks(source) +
      R"()\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\()");
  std::set<std::string> names;
  for (std::sregex_iterator found(source.begin(), source.end(), kernel), end; found != end; ++found) {
    if (!found->operator[](1).matched) names.insert(found->str(2));
  }
  return names;
}

// An array of unknown size that is declared `extern __shared__` lies at the library's memory.
std::set<std::string> dynamic_arrays(const std::string& source) {
  static const std::regex kArray(R"(extern\s+__shared__\s[^;]*?(\w+)\s*\[\s*\]\s*;)");
  std::set<std::string> names;
  for (std::sregex_iterator found(source.begin(), source.end(), kArray), end; found != end; ++found) {
    names.insert(found->str(1));
  }
  return names;
}

std::string trampoline(const std::string& symbol, const std::string& kernel) {
  const std::string open = "extern \"C\" __attribute__((visibility(\"default\"))) ";
  return open + "void kmux_kernel_" + symbol + "(void** args) { kmux_call(" + kernel + ", args); }\n" + open +
         "const unsigned* kmux_argument_sizes_" + symbol + "() { return kmux_argument_sizes(" + kernel + "); }\n";
}

}  // namespace

std::string expression_symbol(std::size_t index) { return "expression_" + std::to_string(index); }

std::string host_source(const std::string& source, const std::vector<std::string>& expressions) {
  static const std::regex kExtern(R"(extern(\s+)__shared__)");
  std::string text(hip_on_cpu_text);
  text += "#line 1 \"unit\"\n" + std::regex_replace(source, kExtern, "extern$1") + "\n";
  for (const std::string& name : dynamic_arrays(source)) {
    text += "asm(\".globl " + name + "\\n.set " + name + ", kmux_dynamic_smem\");\n";
  }
  for (const std::string& name : kernels_of(source)) text += trampoline(name, name);
  for (std::size_t i = 0; i < expressions.size(); ++i) text += trampoline(expression_symbol(i), expressions[i]);
  return text;
}

}  // namespace fake_hip
}  // namespace kmux
