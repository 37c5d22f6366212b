// Programs of a source and a line or two: what `kmux::kernel` takes.
#include <algorithm>
#include <vector>

#include "kmux/plugin/features.h"
#include "kmux/plugin/words.h"
#include "kmux/text.h"

#include "reader.h"

namespace kmux {
namespace {

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

/// What only sources of a dialect have. CUDA's keyword is HIP's, too, and C is what is left.
std::string_view dialect_of_source(std::string_view source) {
  if (has(source, "__global__")) return has(source, "hip/hip_runtime.h") ? "hip" : "cuda";
  if (has(source, "metal_stdlib") || has(source, "[[thread")) return "msl";
  if (has(source, "import cutlass") || has(source, "from cutlass") || has(source, "@cute.")) return "cutedsl";
  return "c";
}

std::string file_name(std::string_view dialect, std::string_view source) {
  const bool is_cpp = dialect == "c" && has(source, "extern \"C\"");
  return "kernel" + std::string(is_cpp ? ".cpp" : usual_ending(dialect));
}

std::string_view without_leading_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\n"), text.size()));
}

/// The lines that are not blank, without the indentation of the first: texts stand indented in sources.
std::vector<std::string> dedented(std::string_view text) {
  std::vector<std::string> lines = split_lines(text);
  std::erase_if(lines, [](const std::string& line) { return without_leading_blanks(line).empty(); });
  const std::size_t indent = lines.empty() ? 0 : lines.front().find_first_not_of(" \t");
  for (std::string& line : lines) line.erase(0, std::min(indent, line.find_first_not_of(" \t")));
  return lines;
}

bool is_whole(std::string_view text) {
  const std::string_view begin = without_leading_blanks(text);
  return begin.starts_with("kernel ") || begin.starts_with("program ");
}

/// The source with the text in a comment behind it, so that the lines of the source stay what they are.
std::string carrying(std::string_view source, const std::vector<std::string>& lines, bool is_python) {
  const std::string mark = is_python ? "#!" : "//!";
  std::string result(source);
  if (!result.empty() && result.back() != '\n') result += '\n';
  result += mark + " kmux\n";
  for (const std::string& line : lines) result.append(mark).append(" ").append(line).append("\n");
  return result;
}

struct Parts {
  const KernelText& kernel;
  std::string_view dialect;
  std::string file;  // the name of the source

  // An error has the lines of the text, not those of the source with it, which nobody wrote.
  Result<Program> program(std::string_view text) const {
    const std::vector<std::string> lines = dedented(text);
    const std::string source = carrying(kernel.source, lines, dialect == "cutedsl");
    std::string content;
    for (const std::string& line : lines) content.append(line).append("\n");
    return read({"signature", content, file, source}, source);
  }
  static Result<Program> read(const ProgramText& text, std::string_view source) {
    return from_text(text, [&](const std::string&) -> Result<std::string> { return std::string(source); });
  }
  std::string text(std::string_view args) const {
    const std::string signature(without_leading_blanks(kernel.signature));
    const std::string name = kernel.name.empty() ? signature.substr(0, signature.find('(')) : kernel.name;
    std::string launch = name;
    if (!kernel.grid.empty() || !kernel.block.empty()) {
      launch += "<<<" + kernel.grid + ", " + kernel.block;
      if (!kernel.dynamic_smem_bytes.empty()) launch += ", " + kernel.dynamic_smem_bytes;
      launch += ">>>";
    }
    return "kernel " + signature + "\n  launch " + launch + "(" + std::string(args) + ")";
  }
};

/// Every parameter, then every symbol.
std::string all_of(const Signature& signature) {
  std::vector<std::string> names;
  names.reserve(signature.params.size() + signature.symbols.size());
  for (const Param& param : signature.params) names.push_back(param.name);
  for (const Symbol& symbol : signature.symbols) names.push_back(symbol.name);
  return join(names);
}

Error no_signature() {
  return make_error(
      ErrorCode::kInvalidArgument,
      "the kernel has no signature (the source carries no program in a comment \"//! kmux\" either). Give one: "
      "\"scale(x: f32[n], out y: f32[n])\".");
}

/// A launch without a grid is one of a single thread, which is hardly ever meant.
Status check_launched(const KernelText& kernel, std::string_view dialect) {
  if (dialect == "c" || (!kernel.grid.empty() && !kernel.block.empty())) return Ok{};
  const std::string_view lacking = !kernel.block.empty()  ? "grid"
                                   : !kernel.grid.empty() ? "block"
                                                          : "grid and no block";
  return make_error(ErrorCode::kInvalidArgument,
                    "the kernel has no " + std::string(lacking) + " (a kernel of dialect \"" + std::string(dialect) +
                        "\" is launched over both). Give them: grid \"ceildiv(n, 256)\" and "
                        "block 256, say.");
}

}  // namespace

Result<Program> kernel_program(const KernelText& kernel) {
  const std::string_view dialect = kernel.dialect.empty() ? dialect_of_source(kernel.source) : kernel.dialect;
  const Dialect* const known = find_dialect(dialect);
  if (known == nullptr || known->is_binary) {
    return make_error(ErrorCode::kInvalidArgument, "\"" + std::string(dialect) +
                                                       "\" is not a dialect that kernels are written in. Use c, cuda, "
                                                       "hip, msl or cutedsl.");
  }
  const Parts parts{kernel, dialect, file_name(dialect, kernel.source)};
  if (is_whole(kernel.signature)) return parts.program(kernel.signature);
  if (without_leading_blanks(kernel.signature).empty()) {
    if (!carries_text(kernel.source)) return no_signature();
    return Parts::read({parts.file, kernel.source, parts.file}, kernel.source);
  }
  KMUX_TRY(check_launched(kernel, dialect));
  if (!kernel.args.empty()) return parts.program(parts.text(kernel.args));
  KMUX_ASSIGN(const Program without_args, parts.program(parts.text("")));
  return parts.program(parts.text(all_of(without_args.signature)));
}

}  // namespace kmux
