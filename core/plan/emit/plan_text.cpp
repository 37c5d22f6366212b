#include "kmux/json.h"
#include "kmux/plugin/emit.h"
#include "kmux/plugin/plan.h"

#include "ir/dispatch_form.h"

namespace kmux {
namespace {

template <class Enum>
std::string word(Enum value) {
  return std::string(kWords<Enum>[static_cast<std::size_t>(value)]);
}

std::string text_of(const Expr& expr) { return to_string(expr); }
std::string text_of(std::int64_t number) { return std::to_string(number); }

// "(8, 4, 1)"
template <class List>
std::string list(const List& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
  return "(" + text + ")";
}

std::string address_text(const Plan& plan, const PlanAddress& address) {
  const bool in_slot = address.source == PlanAddress::Source::kSlot;
  const std::string& name = in_slot ? plan.slots[address.index].name : plan.workspaces[address.index].name;
  if (address.offset_bytes.is_constant(0)) return name;
  return name + " + " + to_string(address.offset_bytes) + " bytes";
}

class PlanPrinter {
 public:
  explicit PlanPrinter(const Plan& plan) : plan_(plan) {}

  std::string print() {
    out_.open("plan " + plan_.name);
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) out_.line("slot " + std::to_string(i) + ": " + slot_text(i));
    for (const PlanBinding& binding : plan_.bindings) {
      out_.line("bind " + binding.name + " = slot " + std::to_string(binding.slot));
    }
    for (const Let& let : plan_.lets) out_.line("let " + let.name + " = " + to_string(let.value));
    for (const PlanAssert& check : plan_.asserts) print_assert(check);
    for (const Workspace& workspace : plan_.workspaces) {
      out_.line("workspace " + workspace.name + ": " + to_string(workspace.bytes) + " bytes, aligned to " +
                std::to_string(workspace.alignment_bytes));
    }
    for (const PlanMap& map : plan_.maps) print_map(map);
    print_steps(plan_.steps);
    return out_.text();
  }

 private:
  std::string slot_text(std::size_t index) const {
    constexpr std::string_view kKinds[] = {"tensor", "scalar", "pointer", "symbol"};
    const SlotInfo& slot = plan_.slots[index];
    const std::string kind(kKinds[static_cast<std::size_t>(slot.kind)]);
    return kind + " " + slot.name + (slot.kind == SlotKind::kPointer ? "" : " " + to_string(slot.dtype));
  }

  void print_map(const PlanMap& map) {
    const TensorMap& geometry = map.map;
    out_.open("tensor_map " + geometry.name + ": " + word(geometry.dtype) + " at " + address_text(plan_, map.base));
    out_.line("dims " + list(geometry.dims) + ", strides_bytes " + list(geometry.strides_bytes));
    if (!geometry.element_strides.empty()) out_.line("element_strides " + list(geometry.element_strides));
    if (const auto* tiled = std::get_if<TiledMap>(&geometry.mode)) {
      out_.line("tiled, box " + list(tiled->box));
    } else {
      const auto& im2col = std::get<Im2colMap>(geometry.mode);
      out_.line("im2col, corners " + list(im2col.lower_corner) + " to " + list(im2col.upper_corner) + ", " +
                std::to_string(im2col.channels_per_pixel) + " channels, " + std::to_string(im2col.pixels_per_column) +
                " pixels");
    }
    out_.line("interleave " + word(geometry.interleave) + ", swizzle " + word(geometry.swizzle) + ", l2_promotion " +
              word(geometry.l2_promotion) + ", oob_fill " + word(geometry.oob_fill));
    out_.dedent();
  }

  void print_steps(const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) std::visit([this](const auto& kind) { print_step(kind); }, step);
  }

  void print_assert(const PlanAssert& check) {
    std::string message = quote_c(check.message);
    for (const PlanAssert::Number& number : check.numbers) {
      message += " " + to_string(number.value) + " " + quote_c(number.text);
    }
    out_.line("assert " + to_string(check.condition) + ": " + message);
  }

  void print_step(const PlanFill& fill) {
    if (fill.bounds) print_assert(*fill.bounds);
    out_.line("fill " + address_text(plan_, fill.target) + ": " + to_string(fill.bytes) + " bytes of " +
              std::to_string(fill.value));
  }

  void print_step(const PlanIf& guard) {
    out_.open("if " + to_string(guard.condition));
    print_steps(guard.then_steps);
    out_.dedent();
    if (guard.else_steps.empty()) return;
    out_.open("else");
    print_steps(guard.else_steps);
    out_.dedent();
  }

  void print_step(const PlanFor& loop) {
    out_.open("for " + loop.variable + " from " + to_string(loop.begin) + " below " + to_string(loop.end));
    print_steps(loop.steps);
    out_.dedent();
  }

  void print_step(const PlanLaunch& launch) {
    std::string args;
    for (const PlanArg& arg : launch.args) args += (args.empty() ? "" : ", ") + to_string(arg, plan_);
    const std::string result = launch.returns == CallResult::kVoid ? "" : " -> " + word(launch.returns);
    out_.open("launch " + plan_.kernels[launch.kernel] + "(" + args + ")" + result);
    print_geometry(launch);
    for (const PlanWindow& window : launch.l2_windows) {
      out_.line("l2_window " + address_text(plan_, window.base) + ": " + to_string(window.bytes) +
                " bytes, hit_ratio " + dump(Json(window.hit_ratio)));
    }
    out_.dedent();
  }

  // Prints nothing for a plain call, which has neither grid nor block.
  void print_geometry(const PlanLaunch& launch) {
    const std::array<Expr, 3> one = {1, 1, 1};
    if (launch.grid != one || launch.block != one)
      out_.line("grid " + list(launch.grid) + ", block " + list(launch.block));
    if (launch.cluster) out_.line("cluster " + list(*launch.cluster));
    if (!launch.dynamic_smem_bytes.is_constant(0)) {
      out_.line("dynamic_smem_bytes " + to_string(launch.dynamic_smem_bytes));
    }
    if (launch.cooperative) out_.line("cooperative");
    if (launch.programmatic_serialization) out_.line("programmatic_serialization");
    if (launch.packed_values) out_.line("packed_values");
  }

  const Plan& plan_;
  CodeWriter out_;
};

// "{rows, int32 n * 2}"
std::string struct_text(const PlanStruct& record, const Plan& plan) {
  std::string members;
  for (const PlanMember& member : record.members) {
    const auto text = [&](const auto& value) { return to_string(PlanArg(value), plan); };
    members.append(members.empty() ? "" : ", ").append(std::visit(text, member.value));
  }
  return "{" + members + "}";
}

}  // namespace

std::string to_string(const PlanArg& argument, const Plan& plan) {
  if (const auto* record = std::get_if<PlanStruct>(&argument)) return struct_text(*record, plan);
  if (const auto* address = std::get_if<PlanAddress>(&argument)) return address_text(plan, *address);
  if (const auto* scalar = std::get_if<PlanScalar>(&argument)) return plan.slots[scalar->slot].name;
  if (const auto* map = std::get_if<PlanMapArg>(&argument)) return plan.maps[map->map].map.name;
  const auto& value = std::get<PlanValue>(argument);
  const bool says_type = value.value.op() == ExprOp::kCast;
  return says_type ? to_string(value.value) : to_string(value.dtype) + " " + to_string(value.value);
}

std::string to_string(const Plan& plan) { return PlanPrinter(plan).print(); }

}  // namespace kmux
