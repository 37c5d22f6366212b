#include "kmux/plugin/emit_checks.h"

#include <algorithm>

#include "kmux/plugin/emit.h"

#include "explain_printer.h"

namespace kmux {

extern const std::string_view tvm_ffi_text;       // kmux/dlpack.h, kmux/plugin/tvm_ffi_abi.h
extern const std::string_view printed_call_text;  // the headers that printed checks use, see core/CMakeLists.txt

namespace {

// Prints the checking function. `ExplainPrinter` prints the function that explains failures.
class CheckPrinter {
 public:
  CheckPrinter(const CheckList& list, const CheckNames& names) : list_(list), names_(names) {}

  std::string print(std::size_t argument_count) {
    out_.open("static int " + names_.prefix +
              "_check(const TVMFFIAny* kmux_args, int32_t kmux_count, kmux_slot* slots, int* kmux_device, kmux_sink "
              "error) {");
    const std::string no_array = argument_count == 0 ? "" : " || kmux_args == nullptr";
    out_.line("if (kmux_count != " + std::to_string(argument_count) + no_array + ") return " + names_.explain(0) + ";");
    out_.line("kmux::CallDevice kmux_place(" + names_.prefix + "_memory);");
    for (std::size_t i = 0; i < list_.checks.size(); ++i) i = print_check(i);
    out_.line("*kmux_device = kmux_place.ordinal();").line("return KMUX_OK;").close();
    return out_.text();
  }

 private:
  // Returns the last printed check: checks that a null tensor skips are printed inside its condition.
  std::size_t print_check(std::size_t index) {
    const Check& check = list_.checks[index];
    if (check.kind != CheckKind::kTensor) return print_plain_check(index), index;
    print_tensor(index);
    if (!check.nullable) return index;
    out_.open("if (" + names_.tensor(check.param) + " != nullptr) {");
    fail_unless("kmux::is_sound(*" + names_.tensor(check.param) + ", " + names_.form(check.param) + ", kmux_place)",
                index);
    out_.line(names_.slot(check.param) + ".ptr = kmux::address_of(*" + names_.tensor(check.param) + ");");
    for (std::size_t i = index + 1; i <= index + check.count; ++i) print_plain_check(i);
    out_.close();
    return index + check.count;
  }

  void fail_unless(const std::string& condition, std::size_t index) {
    out_.line("if (!(" + condition + ")) return " + names_.explain(index + 1) + ";");
  }

  void print_tensor(std::size_t index) {
    const Check& check = list_.checks[index];
    const std::string tensor = names_.tensor(check.param);
    out_.line("const DLTensor* " + tensor + " = nullptr;");
    const std::string read = "kmux::read_tensor(" + names_.arg(check.param) + ", " + tensor + ")";
    if (check.nullable) {
      fail_unless(read, index);
      out_.line(names_.slot(check.param) + ".ptr = nullptr;");
      return;
    }
    fail_unless(read + " && " + tensor + " != nullptr && kmux::is_sound(*" + tensor + ", " + names_.form(check.param) +
                    ", kmux_place)",
                index);
    out_.line(names_.slot(check.param) + ".ptr = kmux::address_of(*" + tensor + ");");
  }

  void print_plain_check(std::size_t index) {
    const Check& check = list_.checks[index];
    const std::string tensor = "*" + names_.tensor(check.param);
    const std::string place = tensor + ", " + std::to_string(check.dim) + ", " + std::to_string(check.packing);
    switch (check.kind) {
      case CheckKind::kExtent:
        return fail_unless("kmux::extent_of(" + place + ") == " + print_cpp(Expr(check.value)), index);
      case CheckKind::kStride:
        return fail_unless("kmux::has_stride(" + place + ", " + print_cpp(Expr(check.value)) + ")", index);
      case CheckKind::kContiguous:
        return fail_unless("kmux::is_dense(" + tensor + ")", index);
      case CheckKind::kScalar:
        return fail_unless("kmux::read_scalar(" + names_.arg(check.param) + ", " + dtype_text(check.dtype) + ", " +
                               names_.slot(check.param) + ".bits)",
                           index);
      case CheckKind::kPointer:
        return fail_unless("kmux::read_pointer(" + names_.arg(check.param) + ", " + names_.slot(check.param) + ".bits)",
                           index);
      case CheckKind::kScalarValue:
        return fail_unless("kmux::read_value(" + names_.slot(check.param) + ".bits, " + dtype_text(check.dtype) + ", " +
                               names_.value(check.index) + ")",
                           index);
      case CheckKind::kSymbol:
        return check.plain ? print_plain_symbol(index) : print_symbol(index);
      default:
        return print_computed(index);
    }
  }

  std::string extent(const Carrier& carrier) const {
    return names_.tensor(carrier.param) + "->shape[" + std::to_string(carrier.dim) + "]";
  }

  // Prints a symbol of which every carrier is an extent equal to the symbol.
  void print_plain_symbol(std::size_t index) {
    const Check& check = list_.checks[index];
    const std::string value = names_.value(check.index);
    const Carrier* const carriers = list_.carriers.data() + check.value;
    out_.line(value + " = " + extent(carriers[0]) + ";");
    std::string condition = value + " >= 0";
    if (check.narrow) condition += " && " + value + " == static_cast<int32_t>(" + value + ")";
    for (std::size_t i = 1; i < check.count; ++i) condition += " && " + extent(carriers[i]) + " == " + value;
    fail_unless(condition, index);
  }

  void print_symbol(std::size_t index) {
    const Check& check = list_.checks[index];
    fail_unless("kmux::read_symbol(" + names_.carriers(check) + ", kmux_args, " +
                    (check.narrow ? "true, " : "false, ") + names_.value(check.index) + ")",
                index);
  }

  void print_computed(std::size_t index) {
    const Check& check = list_.checks[index];
    const Expr& expr = list_.expressions[check.index];
    const std::string tensor = names_.tensor(check.param);
    out_.open(check.nullable ? "if (" + tensor + " != nullptr) {" : "{");
    names_.print_values(out_, list_, expr);
    out_.line("[[maybe_unused]] int kmux_fault = 0;");
    out_.line("const long long kmux_wanted = " + print_cpp(expr) + ";");
    const std::string place = "(*" + tensor + ", " + std::to_string(check.dim) + ", " + std::to_string(check.packing);
    const bool is_stride = check.kind == CheckKind::kComputedStride;
    const std::string holds = is_stride ? "kmux::has_stride" + place + ", kmux_wanted)"
                                        : "kmux_wanted >= 0 && kmux::extent_of" + place + ") == kmux_wanted";
    fail_unless("kmux_fault == 0 && " + holds, index);
    out_.close();
  }

  const CheckList& list_;
  const CheckNames& names_;
  CodeWriter out_;
};

std::uint64_t mask_of(const std::vector<std::int32_t>& types) {
  std::uint64_t mask = 0;
  for (const std::int32_t type : types) {
    if (type >= 0 && type < 64) mask |= std::uint64_t{1} << type;
  }
  return mask;
}

}  // namespace

Result<PrintedChecks> emit_checks(const Signature& signature, const CheckPrinting& printing) {
  KMUX_ASSIGN(const CheckList list, compile_checks(signature));
  const CheckNames names{printing.prefix, signature.params.size()};
  ExplainPrinter explain(signature, list, names, printing);
  CodeWriter memory;
  // A library does not know which devices have the same architecture, so it accepts all of them.
  memory.line("static constexpr kmux::AcceptedMemory " + printing.prefix + "_memory{{static_cast<DLDeviceType>(" +
              std::to_string(printing.device_type) + "), 0}, " + std::to_string(mask_of(printing.other_device_types)) +
              "ULL, ~0ULL};");
  const std::size_t count = signature.params.size() + printing.trailing.size();
  PrintedChecks printed;
  printed.text = memory.text() + explain.print() + CheckPrinter(list, names).print(count);
  printed.slot_count = signature.params.size() + list.value_names.size();
  return printed;
}

const std::string& tvm_ffi_declarations() {
  static const std::string text(tvm_ffi_text);
  return text;
}

const std::string& checks_prelude() {
  static const auto& text = *new const std::string(tvm_ffi_declarations() + std::string(printed_call_text));
  return text;
}

}  // namespace kmux
