#include "kmux/signature.h"

#include <algorithm>
#include <set>

namespace kmux {

namespace {

// Collects names in the order of first appearance, except those of parameters.
class SymbolList {
 public:
  explicit SymbolList(const Signature& signature) : signature_(signature) {}

  void add_from(const std::vector<Expr>& exprs) {
    for (const Expr& expr : exprs) {
      visit(expr, [this](const Expr& node) {
        if (node.is_symbol()) add(node.name());
      });
    }
  }
  std::vector<std::string> take() && { return std::move(names_); }

 private:
  void add(const std::string& name) {
    if (seen_.insert(name).second && find_param(signature_, name) == nullptr) names_.push_back(name);
  }
  const Signature& signature_;
  std::set<std::string> seen_;
  std::vector<std::string> names_;
};

SlotInfo slot_of(const Param& param) {
  if (const BufferParam* buffer = as_buffer(param)) return {SlotKind::kTensor, param.name, buffer->dtype};
  if (const ScalarParam* scalar = as_scalar(param)) return {SlotKind::kScalar, param.name, scalar->dtype};
  return {SlotKind::kPointer, param.name, dtype::kUInt64};
}

}  // namespace

std::vector<std::string> symbol_order(const Signature& signature) {
  SymbolList list(signature);
  for (const Param& param : signature.params) {
    if (const BufferParam* buffer = as_buffer(param)) list.add_from(buffer->shape);
  }
  for (const Param& param : signature.params) {
    const BufferParam* buffer = as_buffer(param);
    if (buffer != nullptr && buffer->strides) list.add_from(*buffer->strides);
  }
  return std::move(list).take();
}

std::vector<SlotInfo> slots_of(const Signature& signature) {
  std::vector<SlotInfo> slots;
  slots.reserve(signature.params.size() + signature.symbols.size());
  for (const Param& param : signature.params) slots.push_back(slot_of(param));
  for (const Symbol& symbol : signature.symbols) slots.push_back({SlotKind::kSymbol, symbol.name, symbol.dtype});
  return slots;
}

const Param* find_param(const Signature& signature, std::string_view name) {
  const auto found = std::ranges::find(signature.params, name, &Param::name);
  return found == signature.params.end() ? nullptr : &*found;
}

std::string describe(const BufferParam& buffer) {
  std::string text = to_string(buffer.dtype) + "[";
  for (std::size_t dim = 0; dim < buffer.shape.size(); ++dim) {
    text += (dim == 0 ? "" : ", ") + to_string(buffer.shape[dim]);
  }
  return text + "]";
}

bool is_output(const Signature& signature, std::string_view name) {
  return std::ranges::find(signature.outputs, name) != signature.outputs.end();
}

}  // namespace kmux
