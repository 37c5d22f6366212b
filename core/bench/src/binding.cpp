#include "kmux/bench/binding.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <variant>

#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

namespace kmux::bench {
namespace {

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

Error unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& known) {
  return make_error(ErrorCode::kInvalidArgument, "the program has no " + kind + " \"" + name + "\"." +
                                                     did_you_mean(name, known) + " It has: " + join(known, "-") + ".");
}

Error no_number(const std::string& kind, const std::string& name, const std::string& text) {
  return make_error(ErrorCode::kInvalidArgument,
                    "\"" + text + "\" is not " + kind + " (for \"" + name + "\"). Give one in decimal digits.");
}

std::vector<std::string> symbol_names(const Program& program) {
  std::vector<std::string> names;
  std::ranges::transform(program.signature.symbols, std::back_inserter(names), &Symbol::name);
  return names;
}

/// Returns true if the program has the parts of a complex scalar `name`.
bool has_parts(const Program& program, const std::string& name) {
  const auto is_part = [&](const std::string& part) {
    const Param* const param = find_param(program.signature, part);
    return param != nullptr && as_scalar(*param) != nullptr && is_float(as_scalar(*param)->dtype);
  };
  return find_param(program.signature, name) == nullptr && std::ranges::all_of(complex_parts(name), is_part);
}

std::vector<std::string> scalar_names(const Program& program) {
  std::vector<std::string> names;
  for (const Param& param : program.signature.params) {
    if (as_scalar(param) != nullptr) names.push_back(param.name);
  }
  return names;
}

Error set_of_tensor(const Program& program, const std::string& name) {
  const std::string advice = is_output(program.signature, name)
                                 ? "it is an output of the program). --out " + name + "=FILE.npy writes it."
                                 : "it is a tensor). Write --in " + name + "=FILE.npy or --in " + name + "=random:1.";
  return make_error(ErrorCode::kInvalidArgument, "--set cannot give \"" + name + "\" (" + advice);
}

Error too_large(const std::string& name, std::int64_t value) {
  return make_error(ErrorCode::kInvalidArgument,
                    "symbol \"" + name + "\" cannot be " + std::to_string(value) +
                        " (the program declares it as i32). Give a smaller value, or declare it as i64.");
}

Error twice(const std::string& name) {
  return make_error(ErrorCode::kInvalidArgument, "\"" + name + "\" is given twice. Give it once.");
}

Error contradiction(const std::string& name, std::size_t dimension, std::int64_t extent, std::int64_t expected,
                    const Expr& expr) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the file of input \"" + name + "\" has the extent " + std::to_string(extent) + " in dimension " +
                        std::to_string(dimension) + " (" + to_string(expr) + " is " + std::to_string(expected) +
                        " with the value given for " + join(symbols_of(expr)) +
                        "). Give no such value, or another file.");
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse_whole<std::int64_t>(text); }
std::optional<double> parse_number(std::string_view text) { return parse_whole<double>(text); }

namespace {

// Returns where the imaginary part begins: at the last sign that begins no exponent, or at 0.
std::size_t imaginary_begin(std::string_view text) {
  std::size_t sign = text.find_last_of("+-");
  while (sign != std::string_view::npos && sign > 0 && (text[sign - 1] == 'e' || text[sign - 1] == 'E'))
    sign = text.substr(0, sign).find_last_of("+-");
  return sign == std::string_view::npos ? 0 : sign;
}

// Returns `part` without a plus sign, which numbers do not begin with.
std::string unsigned_part(std::string_view part) {
  if (part.starts_with('+') && !part.starts_with("+-")) part.remove_prefix(1);
  return std::string(part);
}

}  // namespace

std::optional<std::pair<std::string, std::string>> parse_complex(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::pair<std::string, std::string> parts = {"0", "0"};
  if (text.ends_with('j') || text.ends_with('i') || text.ends_with('J')) {
    text.remove_suffix(1);
    const std::size_t begin = imaginary_begin(text);
    if (begin != 0) parts.first = unsigned_part(text.substr(0, begin));
    parts.second = unsigned_part(text.substr(begin));
  } else {
    parts.first = unsigned_part(text);
  }
  if (!parse_number(parts.first) || !parse_number(parts.second)) return std::nullopt;
  return parts;
}

std::string tensor_names(const Program& program) {
  std::vector<std::string> names;
  for (const Param& param : program.signature.params) {
    if (as_buffer(param) != nullptr) names.push_back(param.name);
  }
  return join(names, "-");
}

Binding::Binding(const Program& program) : program_(program) {}

Status Binding::set_symbol(const std::string& assignment) {
  KMUX_ASSIGN(const auto pair, split_assignment("--symbol", assignment));
  const std::vector<std::string> known = symbol_names(program_);
  if (std::ranges::find(known, pair.first) == known.end()) return unknown("symbol", pair.first, known);
  return take_symbol(pair.first, pair.second);
}

Status Binding::set_scalar(const std::string& assignment) {
  KMUX_ASSIGN(const auto pair, split_assignment("--scalar", assignment));
  const std::vector<std::string> known = scalar_names(program_);
  if (has_parts(program_, pair.first)) return take_complex(pair.first, pair.second);
  if (std::ranges::find(known, pair.first) == known.end()) return unknown("scalar", pair.first, known);
  return take_scalar(pair.first, pair.second);
}

Status Binding::set(const std::string& assignment) {
  KMUX_ASSIGN(const auto pair, split_assignment("--set", assignment));
  std::vector<std::string> known = symbol_names(program_);
  if (std::ranges::find(known, pair.first) != known.end()) return take_symbol(pair.first, pair.second);
  const Param* const param = find_param(program_.signature, pair.first);
  if (param != nullptr && as_scalar(*param) != nullptr) return take_scalar(pair.first, pair.second);
  if (param != nullptr && as_buffer(*param) != nullptr) return set_of_tensor(program_, pair.first);
  if (has_parts(program_, pair.first)) return take_complex(pair.first, pair.second);
  std::ranges::move(scalar_names(program_), std::back_inserter(known));
  return unknown("symbol or scalar", pair.first, known);
}

Status Binding::take(const GivenValues& given) {
  for (const std::string& assignment : given.symbols) KMUX_TRY(set_symbol(assignment));
  for (const std::string& assignment : given.scalars) KMUX_TRY(set_scalar(assignment));
  for (const std::string& assignment : given.set) KMUX_TRY(set(assignment));
  return Ok{};
}

Status Binding::take_symbol(const std::string& name, const std::string& text) {
  const auto value = parse_integer(text);
  if (!value) return no_number("an integer", name, text);
  const DType dtype = std::ranges::find(program_.signature.symbols, name, &Symbol::name)->dtype;
  if (dtype == dtype::kInt32 && *value != static_cast<std::int32_t>(*value)) return too_large(name, *value);
  if (!symbols_.emplace(name, *value).second) return twice(name);
  return Ok{};
}

Status Binding::take_scalar(const std::string& name, const std::string& text) {
  const auto value = parse_number(text);
  if (!value) return no_number("a number", name, text);
  if (const auto exact = parse_integer(text)) integers_.emplace(name, *exact);
  if (!scalars_.emplace(name, *value).second) return twice(name);
  return Ok{};
}

Status Binding::take_complex(const std::string& name, const std::string& text) {
  const auto parts = parse_complex(text);
  if (!parts) {
    return make_error(ErrorCode::kInvalidArgument,
                      "\"" + text + "\" is not a complex number (for \"" + name + "\"). Give one as 1.5, 2j or 1+2j.");
  }
  const auto [real, imaginary] = complex_parts(name);
  KMUX_TRY(take_scalar(real, parts->first));
  return take_scalar(imaginary, parts->second);
}

Status Binding::learn(const std::string& name, const BufferParam& buffer, const Tensor& tensor) {
  const auto shape = tensor.shape();
  for (std::size_t i = 0; i < shape.size() && i < buffer.shape.size(); ++i) {
    const Result<std::int64_t> extent =
        kmux::evaluate(buffer.shape[i], [this](std::string_view symbol) { return given(symbol); });
    if (extent && *extent != shape[i] && !symbols_of(buffer.shape[i]).empty()) {
      return contradiction(name, i, shape[i], *extent, buffer.shape[i]);
    }
    const auto linear = as_linear(buffer.shape[i]);
    if (!linear || (shape[i] - linear->offset) % linear->coefficient != 0) continue;
    learned_.emplace(linear->symbol, (shape[i] - linear->offset) / linear->coefficient);
  }
  return Ok{};
}

std::optional<std::int64_t> Binding::given(std::string_view name) const {
  if (const auto found = symbols_.find(name); found != symbols_.end()) return found->second;
  if (const auto found = integers_.find(name); found != integers_.end()) return found->second;
  return std::nullopt;
}

std::optional<std::int64_t> Binding::integer(std::string_view name) const {
  if (const auto value = given(name)) return value;
  if (const auto found = learned_.find(name); found != learned_.end()) return found->second;
  const auto& examples = program_.metadata;
  if (const auto found = examples.symbols.find(name); found != examples.symbols.end()) return found->second;
  if (const auto found = examples.scalars.find(name); found != examples.scalars.end()) {
    return static_cast<std::int64_t>(found->second);
  }
  return std::nullopt;
}

bool Binding::has_value(std::string_view name) const { return integer(name) || scalars_.contains(name); }

Error Binding::no_value(const std::string& buffer, const std::string& name) {
  return make_error(ErrorCode::kInvalidArgument, "the shape of \"" + buffer + "\" needs \"" + name +
                                                     "\", which has no value. Give --set " + name + "=N.");
}

Result<std::vector<std::int64_t>> Binding::shape_of(const Param& param) const {
  std::vector<std::int64_t> shape;
  for (const Expr& extent : as_buffer(param)->shape) {
    for (const std::string& name : symbols_of(extent)) {
      if (!integer(name)) return no_value(param.name, name);
    }
    KMUX_ASSIGN(const std::int64_t value,
                kmux::evaluate(extent, [this](std::string_view name) { return integer(name); }));
    shape.push_back(value);
  }
  return shape;
}

std::optional<std::int64_t> Binding::evaluate(const Expr& expr, std::span<const Let> lets) const {
  const auto value_of = [&](std::string_view name) -> std::optional<std::int64_t> {
    for (std::size_t i = 0; i < lets.size(); ++i) {
      if (lets[i].name == name) return evaluate(lets[i].value, lets.first(i));  // a let can use earlier ones
    }
    return integer(name);
  };
  const Result<std::int64_t> value = kmux::evaluate(expr, value_of);
  if (!value) return std::nullopt;
  return *value;
}

namespace {

void add_launches(const std::vector<Step>& steps, std::vector<const Launch*>& launches) {
  for (const Step& step : steps) {
    if (const auto* const launch = std::get_if<Launch>(&step)) launches.push_back(launch);
    if (const auto* const loop = std::get_if<For>(&step)) add_launches(loop->steps, launches);
    if (const auto* const choice = std::get_if<If>(&step)) {
      add_launches(choice->then_steps, launches);
      add_launches(choice->else_steps, launches);
    }
  }
}

std::optional<Occupancy> occupancy_of(const KernelAttributes& kernel, const Launch& launch, const Body& body,
                                      const Binding& binding) {
  std::int64_t threads = 1;
  for (const Expr& extent : launch.block) {
    const auto value = binding.evaluate(extent, body.lets);
    if (!value) return std::nullopt;
    threads *= std::clamp<std::int64_t>(*value, 0, kernel.max_threads + std::int64_t{1});
  }
  const auto bytes = binding.evaluate(launch.dynamic_smem_bytes, body.lets);
  const Result<Occupancy> occupancy = kernel.occupancy(threads, bytes.value_or(-1));
  return occupancy ? std::optional(*occupancy) : std::nullopt;
}

}  // namespace

std::optional<Occupancy> occupancy_of(const KernelAttributes& kernel, const Variant& variant, const Binding& binding) {
  std::vector<const Launch*> launches;
  add_launches(variant.body.steps, launches);
  std::optional<Occupancy> least;
  for (const Launch* const launch : launches) {
    if (launch->kernel != kernel.kernel) continue;
    const auto one = occupancy_of(kernel, *launch, variant.body, binding);
    if (one && (!least || one->part < least->part)) least = one;
  }
  return least;
}

Result<Arg> Binding::scalar(const std::string& name, DType dtype) const {
  if (const auto found = integers_.find(name); found != integers_.end() && !is_float(dtype)) return Arg(found->second);
  if (const auto found = scalars_.find(name); found != scalars_.end()) return Arg(found->second);
  if (const auto found = learned_.find(name); found != learned_.end()) return Arg(found->second);
  const auto example = program_.metadata.scalars.find(name);
  if (example == program_.metadata.scalars.end()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "scalar \"" + name + "\" has no value. Give --set " + name + "=VALUE.");
  }
  if (is_float(dtype)) return Arg(example->second);
  return Arg(static_cast<std::int64_t>(example->second));
}

std::map<std::string, double> Binding::examples() const {
  std::map<std::string, double> examples;
  for (const Param& param : program_.signature.params) {
    const auto example = program_.metadata.scalars.find(param.name);
    const bool is_known = scalars_.contains(param.name) || learned_.contains(param.name);
    if (example != program_.metadata.scalars.end() && !is_known) examples.insert(*example);
  }
  for (const Symbol& symbol : program_.signature.symbols) {
    const auto example = program_.metadata.symbols.find(symbol.name);
    if (example == program_.metadata.symbols.end() || given(symbol.name) || learned_.contains(symbol.name)) continue;
    examples.emplace(symbol.name, static_cast<double>(example->second));
  }
  return examples;
}

Result<std::pair<std::string, std::string>> split_assignment(std::string_view option, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return make_error(ErrorCode::kInvalidArgument, std::string(option) + " \"" + std::string(text) +
                                                       "\" is not an assignment. Write " + std::string(option) +
                                                       " NAME=VALUE.");
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

}  // namespace kmux::bench
