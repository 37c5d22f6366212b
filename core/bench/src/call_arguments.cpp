#include "kmux/bench/call_arguments.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "kmux/bench/comparison.h"
#include "kmux/npy.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"

#include "made_up_values.h"

namespace kmux::bench {
namespace {

constexpr std::string_view kRest = "*";
constexpr std::string_view kNull = "null";

Error cannot_take(const Program& program, const std::string& name) {
  std::vector<std::string> known;
  for (const Param& param : program.signature.params) {
    if (as_buffer(param) != nullptr && !is_output(program.signature, param.name)) known.push_back(param.name);
  }
  const bool output = is_output(program.signature, name);
  return make_error(ErrorCode::kInvalidArgument,
                    "--in cannot give \"" + name + "\" (" + (output ? "it is an output" : "no such tensor") + ")." +
                        did_you_mean(name, known) + " Inputs: " + join(known, "none") + ".");
}

bool may_be_null(const Param& param) {
  const BufferParam* const buffer = as_buffer(param);
  return buffer != nullptr ? buffer->nullable : is_pointer(param);
}

Error wrong_null(const Param& param) {
  const std::string name = "\"" + param.name + "\"";
  return make_error(ErrorCode::kInvalidArgument,
                    may_be_null(param)
                        ? "--in gives " + name +
                              " more than null (it is a bare address, of memory that kmux does not make). "
                              "Write --in " +
                              param.name + "=null, or call the program from C++ or Python."
                        : "--in cannot give null for " + name + " (it is not nullable). Give a file or numbers.");
}

Error null_for_all() {
  return make_error(ErrorCode::kInvalidArgument,
                    "--in cannot give null for \"*\" (few parameters may be null). Name each that is to be.");
}

/// Returns true if the caller must give the tensor of `param`.
bool has_to_be_given(const Program& program, const Param& param) {
  const BufferParam* const buffer = as_buffer(param);
  return buffer != nullptr && !buffer->nullable && !is_output(program.signature, param.name);
}

Error negative_extent(const std::string& tensor, const Expr& extent, std::int64_t value) {
  return make_error(ErrorCode::kInvalidArgument, "tensor \"" + tensor + "\" would have the negative extent " +
                                                     std::to_string(value) + " (" + to_string(extent) +
                                                     "). Give values that make it 0 or more.");
}

Error not_given(const std::string& name) {
  return make_error(ErrorCode::kInvalidArgument, "input \"" + name + "\" is not given. Add --in " + name +
                                                     "=FILE.npy or --in " + name + "=random:1.");
}

void fill_host(const Tensor& tensor, const Tensor& contents) {
  const auto bytes = static_cast<std::size_t>(tensor.byte_count());
  if (bytes == 0) return;
  if (contents) {
    std::memcpy(tensor.data(), contents.data(), bytes);
  } else {
    std::memset(tensor.data(), 0, bytes);
  }
}

Status fill_device(const Tensor& tensor, const Tensor& contents) {
  const Device& device = tensor.device();
  DeviceApi& api = device.plugin()->backend().devices();
  const auto bytes = static_cast<std::size_t>(tensor.byte_count());
  if (!contents) return api.memset(device.ordinal(), nullptr, tensor.data(), 0, bytes);
  return api.copy(device.ordinal(), nullptr, tensor.data(), contents.data(), bytes, KMUX_COPY_HOST_TO_DEVICE);
}

/// Checks that parameter `name` may be given, and from `source`.
Status check_source(const Program& program, const std::string& name, const std::string& source) {
  const Param* param = find_param(program.signature, name);
  const bool is_address = param != nullptr && is_pointer(*param);
  const bool input = param != nullptr && as_buffer(*param) != nullptr && !is_output(program.signature, name);
  if (!input && !is_address && name != kRest) return cannot_take(program, name);
  if (source == kNull ? param == nullptr || !may_be_null(*param) : is_address) {
    return param == nullptr ? null_for_all() : wrong_null(*param);
  }
  return Ok{};
}

Result<Tensor> contiguous(const Tensor& tensor) { return tensor.is_contiguous() ? tensor : tensor.clone(); }

}  // namespace

Result<Inputs> Inputs::parse(const Program& program, const std::vector<std::string>& assignments) {
  Inputs inputs(program);
  for (const auto& assignment : assignments) {
    KMUX_ASSIGN(const auto pair, split_assignment("--in", assignment));
    KMUX_TRY(check_source(program, pair.first, pair.second));
    if (pair.second.starts_with(kRandom)) KMUX_TRY(seed_of(pair.second));
    if (!inputs.sources_.emplace(pair.first, pair.second).second) {
      return make_error(ErrorCode::kInvalidArgument, "input \"" + pair.first + "\" is given twice. Give it once.");
    }
  }
  return inputs;
}

void Inputs::make_up() {
  const auto is_file = [](const auto& source) { return !is_generator(source.second) && source.second != kNull; };
  if (std::ranges::any_of(sources_, is_file)) return;
  int seed = 0;
  for (const Param& param : program_->signature.params) {
    if (!has_to_be_given(*program_, param)) continue;
    const std::string source = std::string(kRandom) + std::to_string(++seed);
    if (gives(param.name)) continue;
    sources_.emplace(param.name, source);
    made_up_.push_back(param.name + "=" + source);
  }
}

Status Inputs::load(Binding& binding) {
  for (const auto& [name, source] : sources_) {
    if (is_generator(source) || name == kRest || source == kNull) continue;
    const BufferParam& buffer = *as_buffer(*find_param(program_->signature, name));
    KMUX_ASSIGN(Tensor tensor, load_npy(source, buffer.dtype));
    KMUX_TRY(binding.learn(name, buffer, tensor));
    files_.emplace(name, std::move(tensor));
  }
  return Ok{};
}

const std::string* Inputs::source_of(const std::string& name) const {
  auto found = sources_.find(name);
  if (found == sources_.end()) found = sources_.find(kRest);
  return found == sources_.end() ? nullptr : &found->second;
}

bool Inputs::gives_null(const std::string& name) const {
  const auto found = sources_.find(name);
  return found != sources_.end() && found->second == kNull;
}

std::span<const Expr> Inputs::made_extents(const Param& param) const {
  const BufferParam* const buffer = as_buffer(param);
  if (buffer == nullptr || files_.contains(param.name) || !gives(param.name) || gives_null(param.name)) return {};
  return buffer->shape;
}

std::vector<std::string> Inputs::names_without(const Binding& binding) const {
  std::vector<std::string> names;
  const auto need = [&](const std::string& name) {
    if (!binding.has_value(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Param& param : program_->signature.params) {
    if (as_scalar(param) != nullptr) need(param.name);
    for (const Expr& extent : made_extents(param)) std::ranges::for_each(symbols_of(extent), need);
  }
  return names;
}

Status Inputs::check_extents(const Binding& binding) const {
  for (const Param& param : program_->signature.params) {
    for (const Expr& extent : made_extents(param)) {
      const auto value = binding.evaluate(extent);
      if (value && *value < 0) return negative_extent(param.name, extent, *value);
    }
  }
  return Ok{};
}

Status Inputs::check(const Binding& binding) const {
  for (const Param& param : program_->signature.params) {
    if (has_to_be_given(*program_, param) && !gives(param.name)) return not_given(param.name);
  }
  const std::vector<std::string> names = names_without(binding);
  if (names.empty()) return check_extents(binding);
  std::string quoted;
  std::string options;
  for (const std::string& name : names) {
    const bool is_last = &name == &names.back();
    quoted += (quoted.empty() ? "\"" : is_last ? " and \"" : ", \"") + name + "\"";
    options += " --set " + name + "=VALUE";
  }
  return make_error(ErrorCode::kInvalidArgument, "program \"" + program_->name + "\" needs " +
                                                     (names.size() == 1 ? "a value" : "values") + " for " + quoted +
                                                     " (no option, no file and no example of the program gives " +
                                                     (names.size() == 1 ? "it" : "them") + "). Give" + options + ".");
}

Result<Tensor> Inputs::tensor(const Param& param, const Binding& binding) const {
  if (const auto file = files_.find(param.name); file != files_.end()) return file->second;
  const std::string* source = source_of(param.name);
  if (gives_null(param.name) || (source == nullptr && as_buffer(param)->nullable)) return Tensor();
  if (source == nullptr) return not_given(param.name);
  if (!is_generator(*source)) return load_npy(*source, as_buffer(param)->dtype);
  KMUX_ASSIGN(auto shape, binding.shape_of(param));
  KMUX_ASSIGN(Tensor tensor, Tensor::empty(std::move(shape), as_buffer(param)->dtype));
  KMUX_TRY(fill(tensor, *source));
  return tensor;
}

namespace {

Error another_value(const Constant& constant, const std::string& found, const std::string& advice) {
  return make_error(ErrorCode::kInvalidArgument, "--constant gives \"" + constant.name + "\" " + found +
                                                     " (the program declares it as " + describe(constant) + "). " +
                                                     advice);
}

/// Returns the numbers of "1,2.5,3", or nothing if the text is not a list of numbers.
std::vector<std::string_view> number_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    if (!parse_number(words.back())) return {};
    begin = end + 1;
  }
  return words;
}

/// Sets element `index` to the number `word` if the type can represent it. Numbers with a fraction are rounded.
Status set_number(const Constant& constant, const Tensor& numbers, std::int64_t index, std::string_view word) {
  constexpr double kExact = 0x1p53;  // integers up to it are exact doubles
  const double value = *parse_number(word);
  const bool is_real = is_float(numbers.dtype());
  if (is_real || (parse_integer(word) && std::abs(value) <= kExact)) {
    set_element(numbers, index, value);
    if (is_real || element(numbers, index) == value) return Ok{};
  }
  return another_value(constant, "the number " + std::string(word),
                       "Give a number of that type, or --constant " + constant.name + "=FILE.npy.");
}

Result<Tensor> of_numbers(const Constant& constant, const std::vector<std::string_view>& words) {
  KMUX_TRY(check_has_bytes(constant.dtype));
  KMUX_ASSIGN(Tensor tensor, Tensor::zeros(constant.shape, constant.dtype));
  const Tensor numbers = numbers_of(tensor);
  const auto count = static_cast<std::int64_t>(words.size());
  if (count != numbers.element_count()) {
    return another_value(constant, std::to_string(count) + (count == 1 ? " number" : " numbers"),
                         "Give " + std::to_string(numbers.element_count()) + ", in row-major order.");
  }
  for (std::int64_t i = 0; i < count; ++i) {
    KMUX_TRY(set_number(constant, numbers, i, words[static_cast<std::size_t>(i)]));
  }
  return tensor;
}

Result<Tensor> value_of(const Constant& constant, const std::string& source) {
  if (const auto words = number_words(source); !words.empty()) return of_numbers(constant, words);
  if (is_generator(source)) {
    KMUX_ASSIGN(Tensor tensor, Tensor::empty(constant.shape, constant.dtype));
    KMUX_TRY(fill(tensor, source));
    return tensor;
  }
  KMUX_ASSIGN(const Tensor tensor, load_npy(source, constant.dtype));
  if (!is_compatible(constant.dtype, tensor.dtype()) || !std::ranges::equal(tensor.shape(), constant.shape)) {
    return another_value(constant, describe(*tensor.dl()), "Give a file of that type and shape.");
  }
  return contiguous(tensor);
}

Error no_constant(const Program& program, const std::string& name) {
  std::vector<std::string> known;
  std::ranges::transform(program.constants, std::back_inserter(known), &Constant::name);
  return make_error(ErrorCode::kInvalidArgument, "the program has no constant \"" + name + "\"." +
                                                     did_you_mean(name, known) + " It has: " + join(known, "none") +
                                                     ".");
}

}  // namespace

Status ConstantValues::add(const std::string& assignment) {
  KMUX_ASSIGN(auto pair, split_assignment("--constant", assignment));
  const auto constant = std::ranges::find(program_->constants, pair.first, &Constant::name);
  if (constant == program_->constants.end()) return no_constant(*program_, pair.first);
  if (gives(pair.first)) {
    return make_error(ErrorCode::kInvalidArgument, "constant \"" + pair.first + "\" is given twice. Give it once.");
  }
  KMUX_ASSIGN(Tensor value, value_of(*constant, pair.second));
  values_.emplace_back(std::move(pair.first), std::move(value));
  return Ok{};
}

bool ConstantValues::gives(const std::string& name) const {
  return std::ranges::find(values_, name, &std::pair<std::string, Tensor>::first) != values_.end();
}

Result<ConstantValues> ConstantValues::parse(const Program& program, const std::vector<std::string>& assignments) {
  ConstantValues values(program);
  for (const std::string& assignment : assignments) KMUX_TRY(values.add(assignment));
  return values;
}

Status ConstantValues::make_up() {
  for (const Constant& constant : program_->constants) {
    if (constant.initialised || gives(constant.name)) continue;
    made_up_.push_back(constant.name + "=" + std::string(kRandom) + std::to_string(made_up_.size() + 1));
    KMUX_TRY(add(made_up_.back()));
  }
  return Ok{};
}

Status ConstantValues::set(const Kernel& kernel) const {
  for (const auto& [name, value] : values_) KMUX_TRY(kernel.set_constant(name, value));
  return Ok{};
}

Result<CallArguments> CallArguments::make(const Program& program, const Inputs& inputs, const Binding& binding,
                                          const Device& device, const ConstantValues& constants) {
  CallArguments call(device, constants);
  for (const Param& param : program.signature.params) KMUX_TRY(call.add(program, param, inputs, binding));
  KMUX_TRY(call.refill());
  return call;
}

Status CallArguments::add(const Program& program, const Param& param, const Inputs& inputs, const Binding& binding) {
  tensors_.emplace_back();
  first_contents_.emplace_back();
  if (as_buffer(param) != nullptr) return add_buffer(program, param, inputs, binding);
  if (const ScalarParam* scalar = as_scalar(param)) {
    KMUX_ASSIGN(const Arg value, binding.scalar(param.name, scalar->dtype));
    args_.push_back(value);
    return Ok{};
  }
  if (inputs.gives_null(param.name)) {
    args_.push_back(Arg::pointer(nullptr));
    return Ok{};
  }
  return make_error(ErrorCode::kUnsupported, "parameter \"" + param.name +
                                                 "\" is a raw pointer (there is none to give). Give --in " +
                                                 param.name + "=null, or measure the program from C++.");
}

Status CallArguments::add_buffer(const Program& program, const Param& param, const Inputs& inputs,
                                 const Binding& binding) {
  if (is_output(program.signature, param.name)) {
    KMUX_ASSIGN(auto shape, binding.shape_of(param));
    KMUX_ASSIGN(tensors_.back(), Tensor::empty(std::move(shape), as_buffer(param)->dtype, device_));
  } else {
    KMUX_ASSIGN(const Tensor given, inputs.tensor(param, binding));
    if (given) {
      KMUX_ASSIGN(first_contents_.back(), contiguous(given));
      KMUX_ASSIGN(tensors_.back(), Tensor::empty({given.shape().begin(), given.shape().end()}, given.dtype(), device_));
    }
  }
  args_.emplace_back(tensors_.back().dl());  // a view: timed calls must not record the memory they use
  return Ok{};
}

Status CallArguments::refill() {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i]) continue;
    if (device_.is_host()) {
      fill_host(tensors_[i], first_contents_[i]);
    } else {
      KMUX_TRY(fill_device(tensors_[i], first_contents_[i]));
    }
  }
  return device_.synchronize();
}

Result<std::vector<Tensor>> CallArguments::on_host() const {
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors_) {
    copies.emplace_back();
    if (!tensor) continue;
    if (tensor.device().is_host()) {
      KMUX_ASSIGN(copies.back(), tensor.clone());
    } else {
      KMUX_ASSIGN(copies.back(), tensor.to(Device{}));
    }
  }
  return copies;
}

}  // namespace kmux::bench
