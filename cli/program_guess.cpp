#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/word_list.h"
#include "kmux/text.h"
#include "kmux/validate.h"

#include "command.h"
#include "launch_geometry.h"
#include "source_kernels.h"
#include "style.h"

namespace kmux::cli {
namespace {

/// Returns true if an integer of this name is probably a number of elements.
bool is_size_name(const std::string& name) {
  static const std::set<std::string> kNames = {
      "n",    "m",     "k",     "b",     "h",     "w",      "c",        "d",        "nx",    "ny",    "nz",
      "rows", "cols",  "width", "depth", "batch", "height", "columns",  "channels", "size",  "len",   "dim",
      "num",  "count", "dims",  "total", "numel", "length", "elements", "features", "vocab", "tokens"};
  std::string word = name;
  std::ranges::transform(word, word.begin(), [](unsigned char one) { return static_cast<char>(std::tolower(one)); });
  return kNames.contains(word) || word.starts_with("n_") || word.starts_with("num") || word.ends_with("_size") ||
         word.ends_with("_count") || word.ends_with("_len") || word.ends_with("_n");
}

bool is_whole_number(const KernelParameter& parameter) {
  const std::string& dtype = parameter.dtype;
  return parameter.kind == "value" && (dtype.ends_with("int32") || dtype.ends_with("int64"));
}

/// Returns the parameters that determine the sizes of a kernel's tensors: by name, or else the first integer.
std::vector<std::string> sizes_of(const SourceKernel& kernel) {
  std::vector<std::string> sizes;
  for (const KernelParameter& one : all_passed(kernel.parameters)) {
    if (is_whole_number(one) && is_size_name(one.word)) sizes.push_back(one.name);
  }
  const auto first = std::ranges::find_if(kernel.parameters, is_whole_number);
  if (sizes.empty() && first != kernel.parameters.end()) sizes.push_back(first->name);
  return sizes;
}

bool has_tensor(const SourceKernel& kernel) {
  return std::ranges::any_of(all_passed(kernel.parameters),
                             [](const KernelParameter& one) { return one.kind != "value" && !one.dtype.empty(); });
}

/// Returns the names that are symbols in any kernel.
std::set<std::string> symbols_of(const std::vector<SourceKernel>& kernels) {
  std::set<std::string> symbols;
  for (const SourceKernel& kernel : kernels) {
    if (!has_tensor(kernel)) continue;
    const std::vector<std::string> sizes = sizes_of(kernel);
    symbols.insert(sizes.begin(), sizes.end());
    if (sizes.empty()) symbols.insert("n");
  }
  return symbols;
}

/// Returns why no launch can name `function`, which runs on the host; empty if one can.
std::string why_no_host_name(const SourceKernel& function) {
  if (!function.templates.empty() || function.name.find_first_of("<:") != std::string::npos)
    return "is a template or stands in a namespace, and a launch of C++ names neither: add a function that calls it";
  if (function.name.ends_with(')')) {
    return "is one of several of its name, of which a launch of C++ names none: add a function that calls it";
  }
  return "";
}

/// Returns why no launch can name `kernel`, which runs on a device; empty if one can.
std::string why_no_device_name(const SourceKernel& kernel) {
  if (!kernel.templates.empty()) {
    return "is a template (" + kernel.templates + ") that nothing instantiates: add \"template __global__ void " +
           kernel.name + "<...>(...);\" below it, with values for " + kernel.templates;
  }
  if (!is_kernel_name(names_of(kernel)[1])) {
    return "has a name that programs do not accept (of other letters than C has): add a function of another name that "
           "calls it";
  }
  if (!is_kernel_name(kernel.name)) {
    return "is one of several of its name, and a launch cannot name the types of its parameters: add a function of "
           "another name "
           "that calls it";
  }
  return "";
}

/// Returns why no launch can give `parameter` an argument; empty if one can.
std::string why_no_argument(const KernelParameter& parameter) {
  if (parameter.name.empty()) return "has a parameter without a name (" + parameter.type + ")";
  if (parameter.kind == "undeclared")
    return "takes \"" + parameter.name +
           "\" of a type that is not declared: name the folders of its headers with --include";
  const bool is_class_or_vector = parameter.kind == "value" && !is_scalar(parameter);
  if (parameter.kind != "reference" && (!is_class_or_vector || !parameter.members.empty())) return "";
  return "takes \"" + parameter.name + "\" of type \"" + parameter.type + "\" by value, which a launch cannot give" +
         (parameter.problem.empty() ? "" : " (" + parameter.problem + ")") +
         ": write a kernel that takes its members and makes it";
}

/// Returns why a program cannot name the arguments of `kernel`; empty if it can.
std::string why_no_names(const SourceKernel& kernel) {
  std::set<std::string> names;
  for (const KernelParameter& one : all_passed(kernel.parameters)) {
    if (!names.insert(one.name).second)
      return "takes a parameter and a member of a structure that are both called \"" + one.name + "\": rename one";
  }
  return "";
}

/// Returns why no launch can call `kernel`; empty if one can.
std::string why_not(const SourceKernel& kernel, bool is_host) {
  std::string reason = is_host ? why_no_host_name(kernel) : why_no_device_name(kernel);
  for (const KernelParameter& one : kernel.parameters) {
    if (!reason.empty()) break;
    reason = why_no_argument(one);
  }
  return reason.empty() ? why_no_names(kernel) : reason;
}

bool is_program_name(const std::string& name) { return is_identifier(name) && !is_reserved_name(name); }

/// Returns a name that programs accept for one of C++: "x" for "__x", "_x" for "$x", "new_" for "new", "env_" for "env".
std::string program_name(std::string name) {
  constexpr std::size_t kMaxName = 200;
  std::ranges::replace_if(name, [](unsigned char one) { return std::isalnum(one) == 0; }, '_');
  if (name.starts_with("__")) name.erase(0, name.find_first_not_of('_'));
  name.resize(std::min(name.size(), kMaxName));
  const bool has_prefix_of_ours = name.starts_with("kmux_") || name.starts_with("KMUX_");
  if (name.empty() || has_prefix_of_ours || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
    name.insert(0, "p_");
  return is_program_name(name) ? name : name + "_";
}

/// The program guessed for some kernels.
class ProgramGuess {
 public:
  ProgramGuess(std::string name, bool is_host, const std::vector<SourceKernel>& kernels)
      : name_(std::move(name)), is_host_(is_host), taken_(symbols_of(kernels)) {
    for (const SourceKernel& kernel : kernels) add(kernel);
  }

  /// Returns the lines of the text form, without comment marks; `notes` become comments at the beginning.
  std::vector<std::string> lines(const std::vector<std::string>& headers, const std::vector<std::string>& notes) const;

 private:
  void add(const SourceKernel& kernel);
  std::string add_argument(const SourceKernel& kernel, const KernelParameter& parameter,
                           const std::vector<std::string>& sizes);
  std::string add_parameter(const SourceKernel& kernel, const KernelParameter& parameter,
                            const std::vector<std::string>& sizes);
  std::string shape(const std::vector<std::string>& sizes);

  struct Known {
    std::string name;
    std::string type;  // element type and extents, to distinguish parameters of the same name
    std::string text;  // "float32[n]"
    bool is_inout;
  };
  std::vector<Known>::iterator find_or_rename(Known& wanted, const SourceKernel& kernel);

  std::string name_;
  bool is_host_;  // C functions, which have no grid
  std::set<std::string> taken_;  // names of symbols, not available for parameters
  std::vector<Known> parameters_ = {};
  std::vector<std::string> symbols_ = {};
  std::size_t rank_ = 0;  // the largest of a tensor
  std::set<std::string> narrow_ = {};  // symbols that a kernel takes as int32
  std::vector<std::string> scalars_ = {};
  std::vector<std::string> launches_ = {};  // complete lines
};

std::string ProgramGuess::shape(const std::vector<std::string>& sizes) {
  rank_ = std::max(rank_, sizes.size());
  std::vector<std::string> extents;
  for (const std::string& size : sizes) {
    const bool is_first = std::ranges::find(symbols_, size) == symbols_.end();
    if (is_first) symbols_.push_back(size);
    extents.push_back(size + (is_first && narrow_.contains(size) ? ": i32" : ""));
  }
  return "[" + join(extents) + "]";
}

/// Returns the parameter with `wanted`'s name and type, or the end. Prefixes `wanted`'s name with that of `kernel`
/// while a symbol or a parameter of another type has it.
std::vector<ProgramGuess::Known>::iterator ProgramGuess::find_or_rename(Known& wanted, const SourceKernel& kernel) {
  auto found = std::ranges::find(parameters_, wanted.name, &Known::name);
  while (taken_.contains(wanted.name) || (found != parameters_.end() && found->type != wanted.type)) {
    wanted.name = program_name(names_of(kernel).back()) + "_" + wanted.name;
    found = std::ranges::find(parameters_, wanted.name, &Known::name);
  }
  return found;
}

/// Returns the argument for `parameter`. Kernels share a parameter of equal name and type. One of another type, or with
/// the name of another kernel's size, gets the kernel's name as a prefix.
std::string ProgramGuess::add_parameter(const SourceKernel& kernel, const KernelParameter& parameter,
                                        const std::vector<std::string>& sizes) {
  const bool is_size = std::ranges::find(sizes, parameter.name) != sizes.end();
  if (is_size) return parameter.name + (parameter.dtype == "int32" ? "" : ": " + parameter.dtype);
  const bool is_value = parameter.kind == "value";
  Known known{parameter.name, parameter.dtype + (is_value ? "" : "[" + join(sizes) + "]"), parameter.dtype, false};
  auto found = find_or_rename(known, kernel);
  if (found == parameters_.end()) {
    if (is_value) scalars_.push_back(known.name);
    if (!is_value) known.text = parameter.dtype.empty() ? "pointer" : parameter.dtype + shape(sizes);
    found = parameters_.insert(found, known);
  }
  found->is_inout |= parameter.kind == "pointer" && !parameter.dtype.empty();
  return found->name;
}

/// Like `add_parameter`, also for a structure, which becomes its members: "{dim_rows, dim_cols}".
std::string ProgramGuess::add_argument(const SourceKernel& kernel, const KernelParameter& parameter,
                                       const std::vector<std::string>& sizes) {
  if (parameter.members.empty()) return add_parameter(kernel, parameter, sizes);
  std::vector<std::string> members;
  members.reserve(parameter.members.size());
  for (const KernelParameter& one : parameter.members) members.push_back(add_argument(kernel, one, sizes));
  const std::string align = " align " + std::to_string(parameter.alignment_bytes);
  return "{" + join(members) + "}" + (parameter.alignment_bytes == 0 ? "" : align);
}

void ProgramGuess::add(const SourceKernel& kernel) {
  std::vector<std::string> sizes = sizes_of(kernel);
  const bool has_shapes = has_tensor(kernel);
  for (const KernelParameter& one : all_passed(kernel.parameters)) {
    if (has_shapes && one.dtype == "int32" && std::ranges::find(sizes, one.name) != sizes.end())
      narrow_.insert(one.name);
  }
  if (has_shapes && sizes.empty()) sizes = {"n"};
  std::vector<std::string> arguments;
  arguments.reserve(kernel.parameters.size());
  for (const KernelParameter& one : kernel.parameters) {
    arguments.push_back(add_argument(kernel, one, has_shapes ? sizes : std::vector<std::string>()));
  }
  const auto [geometry, guess] = geometry_of(kernel, sizes);
  const std::string given = "(" + join(arguments) + ")";
  if (is_host_) {
    launches_.push_back("  launch " + in_quotes(kernel.name) + given + (kernel.returns_int ? " returns int32" : ""));
  } else {
    launches_.push_back("  launch " + in_quotes(kernel.name) + "<<<" + geometry + ">>>" + given +
                        "  # guess: " + guess);
  }
}

std::vector<std::string> ProgramGuess::lines(const std::vector<std::string>& headers,
                                             const std::vector<std::string>& notes) const {
  // By the rank of tensors. Up to rank 3 not below 256, the threads of a block: a thread may have no guard.
  constexpr std::array<const char*, 4> kExamples = {"1048576", "1024", "256", "64"};
  std::vector<std::string> lines = notes;
  for (std::string& note : lines) note.insert(0, "# ");
  const std::string shapes = symbols_.empty() ? "" : "  # guess: shapes, and what is inout";
  std::vector<std::string> parameters;
  parameters.reserve(parameters_.size());
  for (const Known& one : parameters_)
    parameters.push_back((one.is_inout ? "inout " : "") + one.name + ": " + one.text);
  lines.push_back("kernel " + name_ + "(" + join(parameters) + ")" + shapes);
  std::vector<std::string> examples;
  examples.reserve(symbols_.size() + scalars_.size());
  for (const std::string& one : symbols_) {
    examples.push_back(one + " = " + kExamples[std::clamp<std::size_t>(rank_, 1, kExamples.size()) - 1]);
  }
  for (const std::string& one : scalars_) examples.push_back(one + " = 1");
  if (!examples.empty()) lines.push_back("  example " + join(examples) + "  # guess");
  if (!headers.empty()) lines.push_back("  headers " + join(headers));
  lines.insert(lines.end(), launches_.begin(), launches_.end());
  return lines;
}

/// Programs accept names that begin with two underscores only as names in a namespace.
void qualify_names(std::vector<SourceKernel>& kernels) {
  for (SourceKernel& kernel : kernels) {
    if (!is_kernel_name(kernel.name) && is_kernel_name("::" + kernel.name)) kernel.name.insert(0, "::");
  }
}

/// Renames parameters, and members of structures, whose names programs do not accept. `taken` has all names.
void rename_invalid(std::vector<KernelParameter>& parameters, std::set<std::string>& taken) {
  for (KernelParameter& one : parameters) {
    rename_invalid(one.members, taken);
    if (!one.members.empty() || is_program_name(one.name)) continue;
    one.name = program_name(one.name);
    while (!taken.insert(one.name).second) one.name += "_";
  }
}

void rename_invalid(SourceKernel& kernel) {
  std::set<std::string> taken;
  for (const KernelParameter& one : all_passed(kernel.parameters)) taken.insert(one.name);
  rename_invalid(kernel.parameters, taken);
}

/// Returns a valid program name.
std::string identifier(std::string text) {
  std::ranges::replace_if(text, [](unsigned char one) { return std::isalnum(one) == 0; }, '_');
  return is_identifier(text) ? text : "kernel_" + text;
}

/// Removes the kernels that no launch can call, and returns the reasons.
std::vector<std::string> drop_others(std::vector<SourceKernel>& kernels, bool is_host) {
  std::vector<std::string> reasons;
  std::erase_if(kernels, [&](const SourceKernel& kernel) {
    const std::string reason = why_not(kernel, is_host);
    if (!reason.empty()) reasons.push_back("\"" + kernel.name + "\" " + reason);
    return !reason.empty();
  });
  return reasons;
}

/// Returns the source preceded by the text, in canonical form, which also validates the guessed program. The text takes
/// the source's line ending and stands after its byte-order mark.
Result<std::string> with_text(const NewSource& source, const std::vector<std::string>& lines) {
  const std::string_view own = source.content, first = own.substr(0, own.find('\n'));
  const std::string ending = first.ends_with('\r') ? "\r\n" : "\n";
  std::string content(own.substr(0, byte_order_mark_size(own)));
  content += "//! kmux" + ending;
  for (const std::string& line : lines) content.append("//! ").append(line).append(ending);
  content += without_byte_order_mark(own);
  return format_text(*text_in_file(source.path, content));
}

}  // namespace

Result<BegunSource> begin_program(const std::string& path, const std::vector<std::string>& include_dirs,
                                  const std::vector<std::string>& names) {
  KMUX_ASSIGN(const NewSource source, read_source(path));
  const bool is_host = source.dialect == "c";
  KMUX_ASSIGN(std::vector<SourceKernel> kernels, source_kernels(source, include_dirs));
  if (kernels.empty()) {
    const std::string what = is_host ? "function that returns void or int and is not static" : "__global__ function";
    return make_error(ErrorCode::kInvalidArgument, in_quotes(path) + " defines no " + what +
                                                       " (kmux new begins with one). Write one, or name another file.");
  }
  if (!is_host) qualify_names(kernels);
  if (!names.empty()) KMUX_TRY(keep_named(kernels, names, path));
  BegunSource begun{.left_out = drop_others(kernels, is_host)};
  if (kernels.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "no kernel of \"" + path + "\" can be launched as it is (" +
                                                       joined(begun.left_out, "; ") + "). docs/text-form.md has how.");
  }
  for (SourceKernel& kernel : kernels) rename_invalid(kernel);
  std::vector<std::string> notes = {"begun by `kmux new`: correct what says guess"};
  for (const std::string& one : begun.left_out) notes.push_back("left out: " + one);
  std::vector<std::string> included;
  for (const std::string& header : headers_beside(source)) included.push_back(in_quotes(header));
  const std::string stem = std::filesystem::path(source.path).stem().string();
  const ProgramGuess guess(identifier(kernels.size() == 1 ? names_of(kernels[0]).back() : stem), is_host, kernels);
  KMUX_ASSIGN(begun.content, with_text(source, guess.lines(included, notes)));
  const std::size_t mark = byte_order_mark_size(source.content);
  begun.text = begun.content.substr(mark, begun.content.size() - source.content.size());
  return begun;
}

}  // namespace kmux::cli
