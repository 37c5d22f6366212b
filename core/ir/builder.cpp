#include "kmux/builder.h"

#include <algorithm>

#include "kmux/guarded.h"
#include "kmux/validate.h"

namespace kmux {

namespace {

// Returns true if one of `items` has the name `name`.
template <class Item>
bool has_name(const std::vector<Item>& items, const std::string& name) {
  return std::ranges::find(items, name, &Item::name) != items.end();
}

// Sorts declared symbols into slot order; unused ones come last and are reported by `validate`.
void sort_symbols(Signature& signature) {
  const std::vector<std::string> order = symbol_order(signature);
  const auto rank = [&](const Symbol& symbol) { return std::ranges::find(order, symbol.name) - order.begin(); };
  std::ranges::sort(signature.symbols, {}, rank);
}

}  // namespace

Launch& LaunchBuilder::launch() { return std::get<Launch>((*steps_)[index_]); }

LaunchBuilder& LaunchBuilder::grid(Extents extents) {
  launch().grid = std::move(extents);
  return *this;
}

LaunchBuilder& LaunchBuilder::block(Extents extents) {
  launch().block = std::move(extents);
  return *this;
}

LaunchBuilder& LaunchBuilder::cluster(Extents extents) {
  launch().cluster = std::move(extents);
  return *this;
}

LaunchBuilder& LaunchBuilder::dynamic_smem_bytes(Expr bytes) {
  launch().dynamic_smem_bytes = std::move(bytes);
  return *this;
}

LaunchBuilder& LaunchBuilder::packed_values() {
  launch().packed_values = true;
  return *this;
}

LaunchBuilder& LaunchBuilder::cooperative() {
  launch().cooperative = true;
  return *this;
}

LaunchBuilder& LaunchBuilder::programmatic_serialization() {
  launch().programmatic_serialization = true;
  return *this;
}

LaunchBuilder& LaunchBuilder::l2_window(std::string buffer, Expr bytes, double hit_ratio) {
  launch().l2_windows.push_back({std::move(buffer), std::move(bytes), hit_ratio});
  return *this;
}

LaunchBuilder& LaunchBuilder::returns_int32() {
  launch().returns = CallResult::kInt32;
  return *this;
}

LaunchBuilder& LaunchBuilder::args(std::initializer_list<std::string> names) {
  for (const std::string& name : names) arg(program_->resolve(name));
  return *this;
}

LaunchBuilder& LaunchBuilder::arg(LaunchArg arg) {
  launch().args.push_back(std::move(arg));
  return *this;
}

LaunchBuilder& LaunchBuilder::arg(Expr value, DType dtype) { return arg(ExprArg{std::move(value), dtype}); }

LaunchBuilder& LaunchBuilder::struct_arg(std::initializer_list<std::string> names, std::int64_t alignment_bytes) {
  StructArg record{{}, alignment_bytes};
  for (const std::string& name : names) record.members.push_back(program_->resolve(name));
  return arg(std::move(record));
}

BodyBuilder& BodyBuilder::add(Step step) {
  steps_->push_back(std::move(step));
  return *this;
}

LaunchBuilder BodyBuilder::launch(std::string kernel) {
  steps_->emplace_back(Launch{.kernel = std::move(kernel)});
  return {program_, steps_, steps_->size() - 1};
}

BodyBuilder& BodyBuilder::fill(std::string target, Expr bytes, std::uint8_t value) {
  steps_->emplace_back(Fill{{std::move(target)}, std::move(bytes), value});
  return *this;
}

ProgramBuilder::ProgramBuilder(std::string name) { program_.name = std::move(name); }

Expr ProgramBuilder::symbol(std::string name, DType dtype) {
  program_.signature.symbols.push_back({name, dtype});
  return Expr::symbol(std::move(name));
}

ProgramBuilder& ProgramBuilder::input(std::string name, DType dtype, std::vector<Expr> shape) {
  return buffer(std::move(name), {.dtype = dtype, .shape = std::move(shape)});
}

ProgramBuilder& ProgramBuilder::output(std::string name, DType dtype, std::vector<Expr> shape) {
  program_.signature.outputs.push_back(name);
  return input(std::move(name), dtype, std::move(shape));
}

ProgramBuilder& ProgramBuilder::buffer(std::string name, BufferParam buffer) {
  program_.signature.params.push_back({std::move(name), std::move(buffer)});
  return *this;
}

Expr ProgramBuilder::scalar(std::string name, DType dtype) {
  program_.signature.params.push_back({name, ScalarParam{dtype}});
  return Expr::symbol(std::move(name));
}

ProgramBuilder& ProgramBuilder::pointer(std::string name) {
  program_.signature.params.push_back({std::move(name), PointerParam{}});
  return *this;
}

ProgramBuilder& ProgramBuilder::constant(Constant constant) {
  program_.constants.push_back(std::move(constant));
  return *this;
}

ProgramBuilder& ProgramBuilder::variant(std::string dialect) {
  program_.variants.push_back({.dialect = std::move(dialect)});
  return *this;
}

ProgramBuilder& ProgramBuilder::requires_arch(std::string arch) {
  current().requirements.arch.push_back(std::move(arch));
  return *this;
}

ProgramBuilder& ProgramBuilder::source(std::string path, std::string content) {
  current().sources.push_back({std::move(path), std::move(content)});
  return *this;
}

ProgramBuilder& ProgramBuilder::header(std::string path, std::string content) {
  current().headers.push_back({std::move(path), std::move(content)});
  return *this;
}

ProgramBuilder& ProgramBuilder::settings(Settings settings) {
  current().settings = std::move(settings);
  return *this;
}

ProgramBuilder& ProgramBuilder::define(const std::string& name, std::int64_t value) {
  current().settings.defines.push_back(name + "=" + std::to_string(value));
  return *this;
}

Expr ProgramBuilder::let(std::string name, Expr value) {
  current().body.lets.push_back({name, std::move(value)});
  return Expr::symbol(std::move(name));
}

ProgramBuilder& ProgramBuilder::check(Expr condition, std::string message) {
  current().body.asserts.push_back({std::move(condition), std::move(message)});
  return *this;
}

ProgramBuilder& ProgramBuilder::workspace(std::string name, Expr bytes, std::int64_t alignment_bytes) {
  current().body.workspaces.push_back({std::move(name), std::move(bytes), alignment_bytes});
  return *this;
}

ProgramBuilder& ProgramBuilder::tensor_map(TensorMap map) {
  current().body.tensor_maps.push_back(std::move(map));
  return *this;
}

BodyBuilder ProgramBuilder::body() { return {this, &current().body.steps}; }

ProgramBuilder& ProgramBuilder::metadata(Metadata metadata) {
  program_.metadata = std::move(metadata);
  return *this;
}

Result<Program> ProgramBuilder::build() const {
  return guarded([&]() -> Result<Program> {
    Program program = program_;
    sort_symbols(program.signature);
    KMUX_TRY(check_valid(program));
    return program;
  });
}

// An unknown name becomes a tensor argument, which `validate` reports.
LaunchArg ProgramBuilder::resolve(const std::string& name) const {
  const Signature& signature = program_.signature;
  if (const Param* param = find_param(signature, name)) {
    if (as_scalar(*param) != nullptr) return ScalarArg{name};
    return TensorArg{name};
  }
  const auto symbol = std::ranges::find(signature.symbols, name, &Symbol::name);
  if (symbol != signature.symbols.end()) return ExprArg{Expr::symbol(name), symbol->dtype};
  const Body& body = program_.variants.back().body;
  if (has_name(body.workspaces, name)) return WorkspaceArg{name};
  if (has_name(body.tensor_maps, name)) return TensorMapArg{name};
  if (has_name(body.lets, name)) return ExprArg{Expr::symbol(name), dtype::kInt64};
  return TensorArg{name};
}

// Returns the newest variant. If none exists, adds one without a dialect, which `validate` reports.
Variant& ProgramBuilder::current() {
  if (program_.variants.empty()) program_.variants.emplace_back();
  return program_.variants.back();
}

}  // namespace kmux
