#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/emit.h"
#include "kmux/plugin/emit_checks.h"

namespace kmux {

/// The names in printed checks.
struct CheckNames {
  std::string prefix;
  std::size_t param_count = 0;

  std::string arg(std::size_t param) const { return "kmux_args[" + std::to_string(param) + "]"; }
  std::string tensor(std::size_t param) const { return "kmux_tensor_" + std::to_string(param); }
  std::string slot(std::size_t index) const { return "slots[" + std::to_string(index) + "]"; }
  std::string value(std::size_t index) const { return slot(param_count + index) + ".i64"; }
  std::string form(std::size_t param) const { return prefix + "_form_" + std::to_string(param); }
  std::string symbol(const Check& check) const { return prefix + "_symbol_" + std::to_string(check.index); }
  /// Returns the call of the function that explains a failure: number 0 is a wrong count, others are checks from 1.
  std::string explain(std::size_t number) const {
    return prefix + "_explain(" + std::to_string(number) + ", kmux_args, kmux_count, slots, error)";
  }
  std::string carriers(const Check& check) const { return symbol(check) + ".carriers"; }
  /// Prints a variable for each name of `expr`.
  void print_values(CodeWriter& out, const CheckList& list, const Expr& expr) const;
};

/// Returns `type` as the text of a DLDataType.
std::string dtype_text(DType type);

/// Prints the tables of a signature, and the function that explains why a check failed.
class ExplainPrinter {
 public:
  ExplainPrinter(const Signature& signature, const CheckList& list, const CheckNames& names,
                 const CheckPrinting& printing)
      : signature_(signature), list_(list), names_(names), printing_(printing) {}
  std::string print();

 private:
  void print_form(const Check& check);
  void print_symbol(const Check& check);
  void print_count();
  void print_case(std::size_t index);
  void print_tensor(const Check& check);
  void print_dim(const Check& check, const std::string& tensor);
  void print_computed(const Check& check, const std::string& tensor);
  void print_values_said(const Expr& expr);
  std::string print_part(const Expr& expr, const Check& check);
  std::string print_lazy(const Expr& expr, const Check& check);
  std::string new_name() { return "kmux_part_" + std::to_string(parts_++); }
  void say(std::string_view text) { out_.line("kmux_out << " + quote_c(text) + ";"); }

  const Param& param(const Check& check) const { return signature_.params[check.param]; }

  const Signature& signature_;
  const CheckList& list_;
  const CheckNames& names_;
  const CheckPrinting& printing_;
  CodeWriter out_;
  int parts_ = 0;
};

}  // namespace kmux
