#include "kmux/plugin/exported_call.h"

namespace kmux {
namespace {

constexpr std::string_view kHelpers = R"(
// What a library exports for those who know nothing of kmux. The launch layer below makes it real.
static int kmux_call_alone(const kmux_slot* slots, void* stream);

template <class T>
[[maybe_unused]] static inline kmux_slot kmux_slot_of(T value) {
  kmux_slot slot = {};
  __builtin_memcpy(&slot, &value, sizeof value);
  return slot;
}

)";

std::string type_of(const SlotInfo& slot) {
  if (slot.kind == SlotKind::kTensor || slot.kind == SlotKind::kPointer) return "void*";
  return slot.kind == SlotKind::kScalar ? c_type(slot.dtype) : "long long";
}

}  // namespace

void emit_exported_call(CodeWriter& out, const Plan& plan, std::string_view stream_type) {
  std::string parameters;
  std::string values;
  for (const SlotInfo& slot : plan.slots) {
    parameters.append(type_of(slot)).append(" ").append(slot.name).append(", ");
    values.append(values.empty() ? "" : ", ").append("kmux_slot_of(").append(slot.name).append(")");
  }
  out.lines(kHelpers);
  out.open(R"(extern "C" __attribute__((visibility("default"))) int call()" + parameters + std::string(stream_type) +
           " kmux_stream) {");
  if (!values.empty()) out.line("const kmux_slot kmux_slots[] = {" + values + "};");
  out.line("return kmux_call_alone(" + std::string(values.empty() ? "nullptr" : "kmux_slots") + ", kmux_stream);");
  out.close();
}

}  // namespace kmux
