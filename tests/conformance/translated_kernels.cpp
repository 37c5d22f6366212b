#include "translated_kernels.h"

#include <algorithm>
#include <array>
#include <regex>
#include <vector>

namespace kmux::conformance {
namespace {

constexpr std::string_view kKernel = "KERNEL ", kShared = "SHARED ", kPositions = "POSITIONS";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parts;
}

std::string without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \n") - first + 1));
}

std::string parameter(const DialectForm& form, std::string_view text, std::size_t index) {
  const bool is_shared = text.starts_with(kShared);
  if (is_shared) text.remove_prefix(kShared.size());
  const std::size_t end = text.find_last_of(" *") + 1;
  const bool is_pointer = text.find('*') != std::string_view::npos;
  std::string written = is_shared ? form.shared : is_pointer ? form.pointer : form.value;
  replace_all(written, "$type", without_blanks(text.substr(0, end)));
  replace_all(written, "$name", text.substr(end));
  replace_all(written, "$index", std::to_string(index));
  return written;
}

std::string parameters(const DialectForm& form, std::string_view list) {
  if (list == "void") return "void";
  std::string text;
  std::size_t index = 0;
  for (const std::string& part : split(list)) {
    const bool are_positions = without_blanks(part) == kPositions;
    if (are_positions && form.positions.empty()) continue;
    text += (index == 0 ? "" : ", ") + (are_positions ? form.positions : parameter(form, without_blanks(part), index));
    ++index;
  }
  return text;
}

/// Replaces BLOCK_X and its like by `block` and `thread` of each axis.
void write_positions(std::string& text, const std::string& block, const std::string& thread) {
  for (const auto& [axis, number] : {std::pair("x", "0"), std::pair("y", "1")}) {
    for (const auto& [word, form] : {std::pair("BLOCK_", block), std::pair("THREAD_", thread)}) {
      std::string written = form;
      replace_all(written, "$axis", axis);
      replace_all(written, "$number", number);
      replace_all(text, word + std::string(axis == std::string_view("x") ? "X" : "Y"), written);
    }
  }
}

} // namespace

bool has_shared(std::string_view text) { return text.find(kShared) != std::string_view::npos; }

bool has_positions(std::string_view text) { return text.find(kPositions) != std::string_view::npos; }

std::string shared_as_variable(std::string_view text) {
  static const std::regex parameter(", SHARED ([a-z ]+)\\* (\\w+)\\) \\{");
  std::string written = std::regex_replace(std::string(text), parameter, ") { extern __shared__ $1 $2[];");
  replace_all(written, ", " + std::string(kPositions), "");
  write_positions(written, "blockIdx.$axis", "threadIdx.$axis");
  return written;
}

std::string kernels_in(const DialectForm& form, std::string_view text) {
  std::string written;
  while (true) {
    const std::size_t begin = text.find(kKernel);
    written += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin + kKernel.size());
    const std::size_t open = text.find('(') + 1;
    const std::size_t close = text.find(')');
    written.append(form.kernel).append(" ").append(text.substr(0, open));
    written += parameters(form, text.substr(open, close - open));
    text.remove_prefix(close);
  }
  write_positions(written, form.block, form.thread);
  for (const auto& [from, to] : form.replacements) replace_all(written, from, to);
  return form.first_line + "\n" + written;
}

namespace {

// The names of parameter types in CuTe DSL.
constexpr std::array kTypes =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"bool", "Boolean"},
                                                                  {"signed char", "Int8"},
                                                                  {"char", "Uint8"},
                                                                  {"short", "Int16"},
                                                                  {"int", "Int32"},
                                                                  {"long long", "Int64"},
                                                                  {"unsigned char", "Uint8"},
                                                                  {"unsigned short", "Uint16"},
                                                                  {"unsigned int", "Uint32"},
                                                                  {"unsigned long long", "Uint64"},
                                                                  {"float", "Float32"},
                                                                  {"double", "Float64"}});

std::string cute_type_of(std::string type) {
  replace_all(type, "const ", "");
  const auto found =
      std::ranges::find(kTypes, without_blanks(type), &std::pair<std::string_view, std::string_view>::first);
  return "cutlass." + std::string(found == kTypes.end() ? "" : found->second);
}

std::string python_expression(std::string text) {
  text = std::regex_replace(text, std::regex(R"(\(long long\)(\w+))"), "address($1)");
  return std::regex_replace(text, std::regex(R"(([=(*+] )\*(\w+))"), "$1$2[0]");
}

// Translates statements of C, one per line.
class PythonBody {
 public:
  explicit PythonBody(int depth) : depth_(depth) {}

  void read(std::string_view text) {
    static const std::regex loop(R"(^for \(long long (\w+) = 0; \w+ < (\w+); \+\+\w+\))");
    for (std::string rest = without_blanks(text); !rest.empty(); rest = without_blanks(rest)) {
      std::smatch match;
      if (std::regex_search(rest, match, loop)) {
        line("for " + match.str(1) + " in range(0, " + match.str(2) + "):");
        rest = read_body(without_blanks(rest.substr(static_cast<std::size_t>(match.length()))));
      } else {
        const std::size_t end = rest.find(';');
        statement(rest.substr(0, end));
        rest = rest.substr(end + 1);
      }
    }
  }
  const std::string& text() const { return text_; }
  void line(const std::string& text) {
    text_.append(static_cast<std::size_t>(depth_) * 4, ' ').append(text).append("\n");
  }

 private:
  // Reads the body of a loop; returns the text after it.
  std::string read_body(const std::string& rest) {
    const bool is_block = rest.starts_with('{');
    const std::size_t end = rest.find(is_block ? '}' : ';');
    ++depth_;
    read(is_block ? rest.substr(1, end - 1) : rest.substr(0, end + 1));
    --depth_;
    return rest.substr(end + 1);
  }

  void statement(const std::string& text) {
    static const std::regex store(R"(^\*(\w+) = ([^;]*)$)");
    std::smatch match;
    const bool stores = std::regex_match(text, match, store);
    line(stores ? "put(" + match.str(1) + python_expression(", " + match.str(2)) + ")" : python_expression(text));
  }

  int depth_;
  std::string text_;
};

// The annotation of a tensor map parameter.
constexpr const char* kCuteMap =
    ": __import__(\"cutlass\").GridConstant[__import__(\"cutlass.experimental.cuda\", fromlist=[\"cuda\"]).TensorMap]";

std::string cute_kernel(std::string_view name, std::string_view list, std::string_view body) {
  std::string parameters;
  std::string arrays;
  for (const std::string& part : split(list == "void" ? "" : list)) {
    if (without_blanks(part) == kPositions) continue;
    const std::size_t end = part.find_last_of(" *");
    const std::string parameter = part.substr(end + 1);
    const std::size_t star = part.find('*');
    if (const std::size_t shared = part.find(kShared); shared != std::string::npos) {
      const std::string type = cute_type_of(part.substr(shared + kShared.size(), star - shared - kShared.size()));
      arrays += parameter + " = array(cute.arch.get_dyn_smem(" + type + "), " + type + "); ";
      continue;
    }
    parameters += (parameters.empty() ? "" : ", ") + parameter;
    if (part.find("__grid_constant__") != std::string::npos) parameters += kCuteMap;
    if (star == std::string::npos) continue;
    arrays += parameter + " = array(" + parameter + ", " + cute_type_of(part.substr(0, star)) + "); ";
  }
  PythonBody lines(1);
  lines.read(body);
  std::string text = without_blanks(lines.text());
  if (text.empty()) text = "pass";
  if (text.starts_with("for ")) arrays += "\n    ";  // a loop starts a separate line
  return "def " + std::string(name) + "(" + parameters + "):\n    " + arrays + text + "\n";
}

} // namespace

std::string cute_kernels(std::string_view text) {
  std::string python;
  for (std::size_t begin = text.find(kKernel); begin != std::string_view::npos; begin = text.find(kKernel)) {
    text.remove_prefix(begin + kKernel.size());
    const std::size_t open = text.find('(');
    const std::size_t close = text.find(')');
    const std::size_t end = text.find("\n}") < text.find("KERNEL ") ? text.find("\n}") : text.find("}\n");
    const std::size_t body = text.find('{') + 1;
    const std::string_view name = text.substr(text.find(' ') + 1, open - text.find(' ') - 1);
    // No import above, so that a body begins in the same line in every dialect.
    python += "@__import__(\"cutlass.cute\").cute.kernel\n";
    python += cute_kernel(name, text.substr(open + 1, close - open - 1), text.substr(body, end - body));
    text.remove_prefix(end);
  }
  write_positions(python, "cute.arch.block_idx()[$number]", "cute.arch.thread_idx()[$number]");
  return python + "\nfrom kmux_c import *\n";
}

std::string_view cute_helpers() {
  return R"(import cutlass
import cutlass.cute as cute


class Bytes:
    """Numbers that are stored become bytes."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __getitem__(self, index):
        return self.tensor[index]

    def __setitem__(self, index, value):
        self.tensor[index] = self.tensor.element_type(value)


def array(place, dtype):
    """A pointer of C to numbers of a type, whatever it is passed as."""
    pointer = place if isinstance(place, cute.Pointer) else place.iterator
    tensor = cute.make_tensor(cute.recast_ptr(pointer, dtype=dtype), cute.make_layout(1 << 30))
    return Bytes(tensor) if dtype.width == 8 else tensor


def address(place):
    return getattr(place, "tensor", place).iterator.toint()


def put(place, value):
    """Bits of the same width are stored as they are."""
    tensor, kind = getattr(place, "tensor", place), type(value)
    if kind not in (int, float) and kind.width == tensor.element_type.width:
        cute.make_tensor(cute.recast_ptr(tensor.iterator, dtype=kind), cute.make_layout(1))[0] = value
    else:
        tensor[0] = tensor.element_type(value)
)";
}

} // namespace kmux::conformance
