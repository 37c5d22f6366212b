#include "explain_printer.h"

#include "emit_value.h"

namespace kmux {
namespace {

const char* text_of(bool value) { return value ? "true" : "false"; }

std::string expr_at(const Signature& signature, const Carrier& carrier) {
  const BufferParam& buffer = *as_buffer(signature.params[carrier.param]);
  const bool is_extent = carrier.source == Carrier::Source::kExtent;
  return to_string(is_extent ? buffer.shape[carrier.dim] : (*buffer.strides)[carrier.dim]);
}

std::string carrier_text(const Carrier& carrier) {
  const char* source = carrier.source == Carrier::Source::kExtent ? "kExtent" : "kStride";
  return std::string("{kmux::Carrier::Source::") + source + ", " + text_of(carrier.nullable) + ", " +
         std::to_string(carrier.packing) + ", " + std::to_string(carrier.param) + ", " + std::to_string(carrier.dim) +
         ", " + print_cpp(Expr(carrier.coefficient)) + ", " + print_cpp(Expr(carrier.offset)) + "}";
}

}  // namespace

std::string dtype_text(DType type) {
  return "DLDataType{" + std::to_string(type.code) + ", " + std::to_string(type.bits) + ", " +
         std::to_string(type.lanes) + "}";
}

void CheckNames::print_values(CodeWriter& out, const CheckList& list, const Expr& expr) const {
  for (const std::string& name : symbols_of(expr)) {
    const auto index = list.value_index(name);
    if (index) out.line("const long long " + name + " = " + value(*index) + ";");
  }
}

std::string ExplainPrinter::print() {
  for (const Check& check : list_.checks) {
    if (check.kind == CheckKind::kTensor) print_form(check);
    if (check.kind == CheckKind::kSymbol) print_symbol(check);
  }
  out_.open("__attribute__((cold, noinline)) static int " + names_.prefix +
            "_explain(int kmux_failed, const TVMFFIAny* kmux_args, int32_t kmux_count, const kmux_slot* slots, "
            "kmux_sink error) {");
  out_.line("static_cast<void>(slots);");
  out_.line("kmux::ErrorText kmux_out(error);");
  out_.line("kmux_out << " + quote_c("kernel \"" + printing_.kernel + "\": ") + ";");
  out_.open("switch (kmux_failed) {");
  print_count();
  for (std::size_t i = 0; i < list_.checks.size(); ++i) print_case(i);
  out_.close().line("return KMUX_INVALID_ARGUMENT;").close();
  return out_.text();
}

void ExplainPrinter::print_form(const Check& check) {
  out_.line("static constexpr kmux::TensorForm " + names_.form(check.param) + "{" + quote_c(param(check).name) + ", " +
            quote_c(describe(*as_buffer(param(check)))) + ", " + std::to_string(check.index) + ", " +
            dtype_text(check.dtype) + ", " + std::to_string(check.packing) + ", " + std::to_string(check.value) + "};");
}

void ExplainPrinter::print_symbol(const Check& check) {
  const std::string name = names_.symbol(check);
  std::string carriers;
  std::string params;
  std::string exprs;
  for (std::size_t i = 0; i < check.count; ++i) {
    const Carrier& carrier = list_.carriers[static_cast<std::size_t>(check.value) + i];
    const char* comma = i == 0 ? "" : ", ";
    carriers += comma + carrier_text(carrier);
    params += comma + quote_c(signature_.params[carrier.param].name);
    exprs += comma + quote_c(expr_at(signature_, carrier));
  }
  out_.line("static constexpr kmux::Carrier " + name + "_carriers[] = {" + carriers + "};");
  out_.line("static constexpr const char* " + name + "_params[] = {" + params + "};");
  out_.line("static constexpr const char* " + name + "_exprs[] = {" + exprs + "};");
  out_.line("static constexpr kmux::SymbolForm " + name + "{" + quote_c(list_.value_names[check.index]) + ", {" + name +
            "_carriers, " + std::to_string(check.count) + "}, " + name + "_params, " + name + "_exprs, " +
            text_of(check.narrow) + "};");
}

void ExplainPrinter::print_count() {
  std::string names;
  for (const Param& param : signature_.params) names += (names.empty() ? "" : ", ") + param.name;
  for (const std::string& name : printing_.trailing) names += (names.empty() ? "" : ", ") + name;
  const std::size_t count = signature_.params.size() + printing_.trailing.size();
  out_.open("case 0:");
  out_.line("kmux::explain_count(kmux_out, " + std::to_string(count) + ", kmux_count, " +
            quote_c(names.empty() ? "none" : names) + ");");
  out_.line("break;").dedent();
}

void ExplainPrinter::print_case(std::size_t index) {
  const Check& check = list_.checks[index];
  const std::string arg = names_.arg(check.param);
  const std::string tensor = "*kmux::tensor_or_null(" + arg + ")";
  const std::string name = quote_c(param(check).name);
  out_.open("case " + std::to_string(index + 1) + ": {");
  switch (check.kind) {
    case CheckKind::kTensor:
      print_tensor(check);
      break;
    case CheckKind::kScalar:
      out_.line("kmux::explain_scalar(kmux_out, " + arg + ", " + name + ", " + dtype_text(check.dtype) + ");");
      break;
    case CheckKind::kScalarValue:
      out_.line("kmux::explain_scalar_value(kmux_out, " + arg + ", " + name + ");");
      break;
    case CheckKind::kPointer:
      out_.line("kmux::explain_pointer(kmux_out, " + arg + ", " + name + ");");
      break;
    case CheckKind::kContiguous:
      out_.line("kmux::explain_contiguous(kmux_out, " + tensor + ", " + names_.form(check.param) + ");");
      break;
    case CheckKind::kSymbol:
      out_.line("kmux::explain_symbol(kmux_out, " + names_.symbol(check) + ", kmux_args);");
      break;
    case CheckKind::kExtent:
    case CheckKind::kStride:
      print_dim(check, tensor);
      break;
    default:
      print_computed(check, tensor);
  }
  out_.line("break;").close();
}

// Replays the earlier tensors to get the device that they chose.
void ExplainPrinter::print_tensor(const Check& check) {
  out_.line("kmux::CallDevice kmux_place(" + names_.prefix + "_memory);");
  out_.open("for (int kmux_i = 0; kmux_i < " + std::to_string(check.param) + "; ++kmux_i) {");
  out_.line("const DLTensor* const kmux_earlier = kmux::tensor_or_null(kmux_args[kmux_i]);");
  out_.line("if (kmux_earlier != nullptr) kmux_place.accepts(kmux_earlier->device);");
  out_.close();
  out_.line("kmux::explain_tensor(kmux_out, " + names_.arg(check.param) + ", " + names_.form(check.param) +
            ", kmux_place, " + std::to_string(printing_.device_type) + ");");
}

void ExplainPrinter::print_dim(const Check& check, const std::string& tensor) {
  const std::string what = check.kind == CheckKind::kExtent ? "extent" : "stride";
  const std::string form = names_.form(check.param);
  out_.line("kmux::begin_" + what + "(kmux_out, " + tensor + ", " + form + ", " + std::to_string(check.dim) + ");");
  say(std::to_string(check.value));
  out_.line("kmux::end_" + what + "(kmux_out" + (check.kind == CheckKind::kExtent ? ", " + form : "") + ");");
}

void ExplainPrinter::print_computed(const Check& check, const std::string& tensor) {
  const Expr& expr = list_.expressions[check.index];
  const bool is_extent = check.kind == CheckKind::kComputedExtent;
  const std::string what = is_extent ? "extent" : "stride";
  const std::string form = names_.form(check.param);
  names_.print_values(out_, list_, expr);
  parts_ = 0;
  out_.line("[[maybe_unused]] int kmux_fault = 0;");
  const std::string wanted = print_part(expr, check);
  out_.line("kmux::begin_" + what + "(kmux_out, " + tensor + ", " + form + ", " + std::to_string(check.dim) + ");");
  out_.line("kmux_out << " + quote_c(to_string(expr) + " = ") + " << static_cast<long long>(" + wanted + ");");
  print_values_said(expr);
  out_.line("kmux::end_" + what + "(kmux_out" + (is_extent ? ", " + form : "") + ");");
}

// " with m = 4, n = 2"
void ExplainPrinter::print_values_said(const Expr& expr) {
  bool first = true;
  for (const std::string& name : symbols_of(expr)) {
    if (!list_.value_index(name)) continue;
    const std::string text = (first ? " with " : ", ") + name + " = ";
    out_.line("kmux_out << " + quote_c(text) + " << " + name + ";");
    first = false;
  }
}

// Prints an expression part by part, so that the error shows the part without a value. Returns text without side
// effects.
std::string ExplainPrinter::print_part(const Expr& expr, const Check& check) {
  if (!can_fail(expr)) return "(" + print_cpp(expr) + ")";
  if (expr.op() == ExprOp::kAnd || expr.op() == ExprOp::kOr || expr.op() == ExprOp::kSelect) {
    return print_lazy(expr, check);
  }
  std::vector<Expr> operands;
  std::vector<std::string> values;
  for (const Expr& operand : expr.operands()) {
    values.push_back(print_part(operand, check));
    operands.push_back(Expr::symbol(values.back()));
  }
  const bool is_cast = expr.op() == ExprOp::kCast;
  const Expr flat = is_cast ? Expr::cast(expr.type(), operands[0]) : Expr::make(expr.op(), operands);
  const std::string name = new_name();
  if (!can_fail(flat)) {
    out_.line("const long long " + name + " = " + print_cpp(flat) + ";");
    return name;
  }
  out_.line("const long long " + name + " = " + print_cpp(flat) + ";");
  out_.open("if (kmux_fault != 0) {");
  const std::string operand = is_cast ? values[0] : "0";
  out_.line("kmux::explain_no_size(kmux_out, " + names_.form(check.param) + ", " + quote_c(to_string(expr)) +
            ", kmux_fault, static_cast<long long>(" + operand + "));");
  out_.line("return KMUX_INVALID_ARGUMENT;").close();
  return name;
}

// Prints an operator that evaluates its operands lazily.
std::string ExplainPrinter::print_lazy(const Expr& expr, const Check& check) {
  const std::string name = new_name();
  const bool is_select = expr.op() == ExprOp::kSelect;
  const std::string condition = print_part(expr.operands()[0], check);
  const auto print_into = [&](const Expr& operand) {
    const std::string value = print_part(operand, check);
    out_.line(name + " = " + value + (is_select ? ";" : " != 0;"));
  };
  out_.line("long long " + name + " = " + (expr.op() == ExprOp::kOr ? "1;" : "0;"));
  out_.open("if (" + condition + (expr.op() == ExprOp::kOr ? " == 0) {" : " != 0) {"));
  print_into(expr.operands()[1]);
  if (is_select) {
    out_.reopen("} else {");
    print_into(expr.operands()[2]);
  }
  out_.close();
  return name;
}

}  // namespace kmux
