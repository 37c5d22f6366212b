#include "cpu/grid_unit.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string_view>

#include "kmux/plugin/file_io.h"

#include "cpu/world.h"

namespace kmux {

extern const std::string_view hip_on_cpu_text;  // cpu/device_code.h

namespace fake_hip {
namespace {

// Returns __global__ and the macros that expand to it.
std::string kernel_marks(const std::string& source) {
  static const std::regex kDefine(R"(#\s*define\s+(\w+)\s[^\n]*__global__)");
  std::string marks = "__global__";
  for (std::sregex_iterator found(source.begin(), source.end(), kDefine), end; found != end; ++found) {
    marks += "|" + found->str(1);
  }
  return marks;
}

bool contains(const HipUnit& unit, const std::regex& what) {
  return std::regex_search(unit.text, what) ||
         std::ranges::any_of(unit.headers, [&](const File& header) { return std::regex_search(header.content, what); });
}

// Returns the checks that blocks.h enables for the unit.
std::vector<std::string> tasks_of(const HipUnit& unit) {
  static const std::regex kDynamic(R"(extern\s+__shared__|HIP_DYNAMIC_SHARED)"), kBlock("__syncthreads"),
      kWarp("__shfl|__ballot|__any|__all");
  std::vector<std::string> tasks;
  if (contains(unit, kDynamic)) tasks.emplace_back("KMUX_HAS_DYNAMIC");
  if (contains(unit, kBlock) && contains(unit, kWarp)) tasks.emplace_back("KMUX_HAS_MEETINGS");
  return tasks;
}

std::vector<std::string> with_prefix(const HipUnit& unit, std::string_view prefix) {
  std::vector<std::string> values;
  for (const std::string& option : unit.options) {
    if (option.starts_with(prefix)) values.push_back(option.substr(prefix.size()));
  }
  return values;
}

// Returns the names in the include lines of `text`.
std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex kInclude(R"((?:^|\n)[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"])");
  std::vector<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), kInclude), end; found != end; ++found) {
    names.push_back(found->str(1));
  }
  return names;
}

std::string in_folders(const HipUnit& unit, const std::string& name) {
  for (const std::string& folder : with_prefix(unit, "-I")) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (std::filesystem::exists(path)) return path.string();
  }
  return "";
}

bool is_given(const HipUnit& unit, const std::string& name) {
  return std::ranges::any_of(
      unit.headers, [&](const File& header) { return header.path == name || header.path.ends_with("/" + name); });
}

// Returns headers from the include folders, which take precedence over the backend's headers of the same names.
std::vector<File> headers_of_folders(const HipUnit& unit) {
  std::vector<File> headers;
  for (const std::string& name : includes_of(unit.text)) {
    const std::string path = is_given(unit, name) ? "" : in_folders(unit, name);
    if (path.empty() || !(name.starts_with("hip/") || name.starts_with("cuda"))) continue;
    if (auto content = read_file(path)) headers.push_back({name, *std::move(content)});
  }
  return headers;
}

std::string kernel_text(const std::string& name, const std::string& kernel) {
  return "KMUX_GRID_KERNEL(fake_kernel_" + name + ", kmux_kernel<" + kernel + ">::run(launch->arguments))\n";
}

}  // namespace

std::string expression_name(std::size_t index) { return "expression_" + std::to_string(index); }

std::string variable_name(std::size_t index) { return "variable_" + std::to_string(index); }

std::vector<std::string> kernels_of(const HipUnit& unit) {
  const std::string& source = unit.text;
  const std::regex kernel(
      R"((template\s*<[^>]*>\s*)?\b(?:)" + kernel_marks(source) +
      R"()\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\()");
  std::vector<std::string> names;
  for (std::sregex_iterator found(source.begin(), source.end(), kernel), end; found != end; ++found) {
    const bool is_new = std::ranges::find(names, found->str(2)) == names.end();
    if (!found->operator[](1).matched && is_new) names.push_back(found->str(2));
  }
  for (std::size_t i = 0; i < unit.expressions.size(); ++i) names.push_back(expression_name(i));
  return names;
}

fakes::GridSource grid_source(const HipUnit& unit, const std::string& arch) {
  fakes::GridSource source{"#include \"kmux_blocks.h\"\n#include \"kmux_fake_hip.h\"\n#line 1 \"unit\"\n" + unit.text +
                           "\n"};
  source.headers = {{"kmux_fake_hip.h", std::string(hip_on_cpu_text)}};
  for (const auto& headers : {unit.headers, headers_of_folders(unit)}) {
    source.headers.insert(source.headers.end(), headers.begin(), headers.end());
  }
  const std::vector<std::string> kernels = kernels_of(unit);
  std::string sizes;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::size_t first = kernels.size() - unit.expressions.size();
    const std::string& kernel = i < first ? kernels[i] : unit.expressions[i - first];
    source.text += kernel_text(kernels[i], kernel);
    source.kernels.push_back("fake_kernel_" + kernels[i]);
    sizes += " kmux_kernel<" + kernel + ">::tell_sizes(launch, " + std::to_string(i) + ");";
  }
  source.text +=
      "extern \"C\" __global__ void fake_argument_sizes([[maybe_unused]] kmux_launch* launch) {" + sizes + " }\n";
  source.kernels.emplace_back("fake_argument_sizes");
  for (std::size_t i = 0; i < unit.variables.size(); ++i) {
    const std::string& variable = unit.variables[i];
    source.text += "KMUX_GRID_KERNEL(fake_" + variable_name(i) + ", kmux_tell_place(launch, &" + variable +
                   ", sizeof(" + variable + ")))\n";
    source.kernels.push_back("fake_" + variable_name(i));
  }
  source.defines = with_prefix(unit, "-D");
  for (std::string& task : tasks_of(unit)) source.defines.push_back(std::move(task));
  source.defines.push_back("KMUX_WAVEFRONT=" + std::to_string(wavefront_of(arch)));
  source.include_dirs = with_prefix(unit, "-I");
  for (std::string& standard : with_prefix(unit, "-std=")) source.standard = std::move(standard);
  return source;
}

std::string missing_header(const HipUnit& unit) {
  std::vector<std::string> names = includes_of(unit.text);
  for (const File& header : unit.headers) std::ranges::move(includes_of(header.content), std::back_inserter(names));
  const auto is_missing = [&](const std::string& name) {
    return !is_given(unit, name) && in_folders(unit, name).empty();
  };
  const auto found = std::ranges::find_if(names, is_missing);
  return found == names.end() ? "" : *found;
}

}  // namespace fake_hip
}  // namespace kmux
