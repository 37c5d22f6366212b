#include "kmux/plugin/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/tensor_map.h"
#include "kmux/validate.h"

#include "fill_bounds.h"
#include "ir/arg_layout.h"
#include "ir/arithmetic.h"

namespace kmux {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

// Lowers one body to a plan. The program must be valid, so every name is found.
class Lowering {
 public:
  Lowering(const Program& program, const Body& body)
      : signature_(program.signature), body_(body), outer_(&plan_.steps) {
    plan_.name = program.name;
    plan_.slots = slots_of(program.signature);
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) slots_[plan_.slots[i].name] = i;
  }

  Plan lower() {
    for (const Let& let : body_.lets) lower_let(let);
    for (const Assert& check : body_.asserts) lower_assert(check);
    for (const Workspace& workspace : body_.workspaces) {
      workspaces_[workspace.name] = plan_.workspaces.size();
      plan_.workspaces.push_back({workspace.name, fold(workspace.bytes), workspace.alignment_bytes});
    }
    for (const TensorMap& map : body_.tensor_maps) lower_map(map);
    lower_steps(body_.steps);
    bind_names();
    return std::move(plan_);
  }

 private:
  // Substitutes constant lets and folds constants; records the remaining names as used.
  Expr fold(const Expr& expr) {
    Expr folded = simplify(substitute(expr, [this](std::string_view name) -> std::optional<std::int64_t> {
      const auto found = constants_.find(name);
      return found == constants_.end() ? std::nullopt : std::optional(found->second);
    }));
    use(folded);
    return folded;
  }

  void use(const Expr& expr) {
    for (std::string& name : symbols_of(expr)) used_.insert(std::move(name));
  }

  std::vector<Expr> fold(const std::vector<Expr>& exprs) {
    std::vector<Expr> folded;
    folded.reserve(exprs.size());
    for (const Expr& expr : exprs) folded.push_back(fold(expr));
    return folded;
  }

  std::array<Expr, 3> fold_extents(const Extents& extents) {
    std::array<Expr, 3> folded = {1, 1, 1};
    for (std::size_t i = 0; i < extents.size() && i < folded.size(); ++i) folded[i] = fold(extents[i]);
    return folded;
  }

  void lower_let(const Let& let) {
    Expr value = fold(let.value);
    if (value.is_constant()) {
      constants_[let.name] = value.constant();
    } else {
      plan_.lets.push_back({let.name, std::move(value)});
    }
  }

  void lower_assert(const Assert& check) {
    Expr condition = fold(check.condition);
    const bool always_holds = condition.is_constant() && !condition.is_constant(0);
    if (!always_holds)
      plan_.asserts.push_back({.condition = std::move(condition), .message = "assertion failed: " + check.message});
  }

  PlanAddress address(const std::string& name, const Expr& offset_bytes) {
    const auto workspace = workspaces_.find(name);
    if (workspace != workspaces_.end()) {
      return {PlanAddress::Source::kWorkspace, workspace->second, fold(offset_bytes)};
    }
    return {PlanAddress::Source::kSlot, slots_.at(name), fold(offset_bytes)};
  }

  PlanAddress address(const MemoryRef& ref) { return address(ref.name, ref.offset_bytes); }

  void lower_map(const TensorMap& source) {
    PlanMap map{source, address(source.base)};
    map.map.base.offset_bytes = map.base.offset_bytes;
    map.map.dims = fold(source.dims);
    map.map.strides_bytes = fold(source.strides_bytes);
    const auto same = std::find_if(plan_.maps.begin(), plan_.maps.end(), [&](PlanMap other) {
      other.map.name = source.name;
      return other == map;
    });
    maps_[source.name] = static_cast<std::size_t>(same - plan_.maps.begin());
    if (same == plan_.maps.end()) plan_.maps.push_back(std::move(map));
  }

  void lower_steps(const std::vector<Step>& steps) {
    for (const Step& step : steps) std::visit([this](const auto& kind) { lower_step(kind); }, step);
  }

  // Lowers `steps` to a separate list.
  std::vector<PlanStep> lower_inner(const std::vector<Step>& steps) {
    std::vector<PlanStep> inner;
    std::vector<PlanStep>* const before = std::exchange(outer_, &inner);
    lower_steps(steps);
    outer_ = before;
    return inner;
  }

  void lower_step(const If& guard) {
    const Expr condition = fold(guard.condition);
    if (condition.is_constant()) {
      lower_steps(condition.constant() != 0 ? guard.then_steps : guard.else_steps);
      return;
    }
    outer_->emplace_back(PlanIf{condition, lower_inner(guard.then_steps), lower_inner(guard.else_steps)});
  }

  void lower_step(const For& loop) {
    const Expr begin = fold(loop.begin);
    const Expr end = fold(loop.end);
    if (begin.is_constant() && end.is_constant() && begin.constant() >= end.constant()) return;
    outer_->emplace_back(PlanFor{loop.variable, begin, end, lower_inner(loop.steps)});
  }

  // The bounds of fills outside guards and loops are checked before the first step. For other fills, only the step
  // itself determines whether it runs and its size.
  void lower_step(const Fill& fill) {
    PlanFill out{address(fill.target), fold(fill.bytes), fill.value, plan_.step_count++};
    out.bounds = fill_bounds(target_of(fill), out.target.offset_bytes, out.bytes);
    if (out.bounds) use_names_of(*out.bounds);
    if (out.bounds && outer_ == &plan_.steps) {
      plan_.asserts.push_back(*std::exchange(out.bounds, std::nullopt));
    }
    outer_->emplace_back(std::move(out));
  }

  FillTarget target_of(const Fill& fill) const {
    const std::string& name = fill.target.name;
    const auto workspace = workspaces_.find(name);
    if (workspace != workspaces_.end()) return {name, "workspace", plan_.workspaces[workspace->second].bytes};
    const BufferParam* const buffer = as_buffer(*find_param(signature_, name));
    return {name, "buffer", buffer == nullptr ? std::nullopt : span_bytes(*buffer)};
  }

  void use_names_of(const PlanAssert& check) {
    use(check.condition);
    for (const PlanAssert::Number& number : check.numbers) use(number.value);
  }

  void lower_step(const Launch& launch) {
    PlanLaunch out;
    out.kernel = kernel_index(launch.kernel);
    out.step = plan_.step_count++;
    out.grid = fold_extents(launch.grid);
    out.block = fold_extents(launch.block);
    if (!launch.cluster.empty()) out.cluster = fold_extents(launch.cluster);
    out.dynamic_smem_bytes = fold(launch.dynamic_smem_bytes);
    out.cooperative = launch.cooperative;
    out.programmatic_serialization = launch.programmatic_serialization;
    out.returns = launch.returns;
    out.packed_values = launch.packed_values;
    out.is_call = launch.grid.empty() && launch.block.empty();
    for (const LaunchArg& arg : launch.args) out.args.push_back(lower_arg(arg));
    for (const L2Window& window : launch.l2_windows) {
      out.l2_windows.push_back({address(window.buffer, 0), fold(window.bytes), window.hit_ratio});
    }
    outer_->emplace_back(std::move(out));
  }

  std::size_t kernel_index(const std::string& name) {
    const auto found = std::find(plan_.kernels.begin(), plan_.kernels.end(), name);
    const auto index = static_cast<std::size_t>(found - plan_.kernels.begin());
    if (found == plan_.kernels.end()) plan_.kernels.push_back(name);
    return index;
  }

  PlanArg lower_arg(const LaunchArg& arg) {
    return std::visit(
        Overloaded{
            [this](const TensorArg& tensor) -> PlanArg { return address(tensor.param, tensor.offset_bytes); },
            [this](const WorkspaceArg& part) -> PlanArg { return address(part.workspace, part.offset_bytes); },
            [this](const TensorMapArg& map) -> PlanArg { return PlanMapArg{maps_.at(map.tensor_map)}; },
            [this](const ScalarArg& scalar) -> PlanArg {
              const std::size_t slot = slots_.at(scalar.param);
              return PlanScalar{slot, plan_.slots[slot].dtype};
            },
            [this](const ExprArg& value) -> PlanArg { return PlanValue{fitted(value), value.dtype}; },
            [this](const StructArg& record) -> PlanArg { return lower_struct(record); },
        },
        arg);
  }

  ArgLayout layout(const LaunchArg& arg) const {
    return layout_of(arg, [this](const std::string& name) { return plan_.slots[slots_.at(name)].dtype; });
  }

  PlanStruct lower_struct(const StructArg& record) {
    const ArgLayout whole = layout(record);
    PlanStruct out{{}, static_cast<std::size_t>(whole.bytes), static_cast<std::size_t>(whole.alignment_bytes)};
    add_members(record, 0, out);
    return out;
  }

  void add_members(const StructArg& record, std::int64_t begin, PlanStruct& out) {
    ArgLayout whole;
    for (const LaunchArg& member : record.members) {
      const std::int64_t offset = begin + append_member(whole, layout(member));
      if (const auto* inner = std::get_if<StructArg>(&member)) {
        add_members(*inner, offset, out);
      } else {
        out.members.push_back({leaf(lower_arg(member)), static_cast<std::size_t>(offset)});
      }
    }
  }

  static decltype(PlanMember::value) leaf(PlanArg arg) {
    if (auto* const address = std::get_if<PlanAddress>(&arg)) return std::move(*address);
    if (auto* const value = std::get_if<PlanValue>(&arg)) return std::move(*value);
    if (const auto* const map = std::get_if<PlanMapArg>(&arg)) return *map;
    return std::get<PlanScalar>(arg);
  }

  // Casts a value to the type of the argument unless it already has that type; the cast fails if the value does not
  // fit.
  Expr fitted(const ExprArg& arg) {
    const Expr value = fold(arg.value);
    const auto slot = value.is_symbol() ? slots_.find(value.name()) : slots_.end();
    const bool has_type = slot != slots_.end() && plan_.slots[slot->second].dtype == arg.dtype;
    return has_type ? value : simplify(Expr::cast(arg.dtype, value));
  }

  void bind_names() {
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
      const SlotInfo& slot = plan_.slots[i];
      const bool is_value = slot.kind == SlotKind::kSymbol || slot.kind == SlotKind::kScalar;
      if (is_value && used_.contains(slot.name)) plan_.bindings.push_back({slot.name, i, slot.dtype});
    }
  }

  const Signature& signature_;
  const Body& body_;
  Plan plan_;
  std::vector<PlanStep>* outer_;
  std::map<std::string, std::size_t, std::less<>> slots_;
  std::map<std::string, std::size_t, std::less<>> workspaces_;
  std::map<std::string, std::size_t, std::less<>> maps_;
  std::map<std::string, std::int64_t, std::less<>> constants_;
  std::set<std::string> used_;
};

}  // namespace

bool operator==(const PlanIf& a, const PlanIf& b) {
  return a.condition == b.condition && a.then_steps == b.then_steps && a.else_steps == b.else_steps;
}

std::optional<DType> type_of(const PlanMember& member) {
  if (const auto* scalar = std::get_if<PlanScalar>(&member.value)) return scalar->dtype;
  if (const auto* value = std::get_if<PlanValue>(&member.value)) return value->dtype;
  return std::nullopt;
}

bool is_tensor_map(const PlanMember& member) { return std::holds_alternative<PlanMapArg>(member.value); }

std::size_t bytes_of(const PlanMember& member) {
  if (is_tensor_map(member)) return sizeof(kmux_tensor_map);
  const std::optional<DType> type = type_of(member);
  return type ? static_cast<std::size_t>(packed_bytes(*type, 1)) : sizeof(void*);
}

bool has_gaps(const PlanStruct& record) {
  std::size_t bytes = 0;
  for (const PlanMember& member : record.members) bytes += bytes_of(member);
  return bytes != record.bytes;
}

bool operator==(const PlanFor& a, const PlanFor& b) {
  return a.variable == b.variable && a.begin == b.begin && a.end == b.end && a.steps == b.steps;
}

void for_each_launch(const std::vector<PlanStep>& steps, const std::function<void(const PlanLaunch&)>& visit) {
  for (const PlanStep& step : steps) {
    if (const auto* launch = std::get_if<PlanLaunch>(&step)) visit(*launch);
    if (const auto* loop = std::get_if<PlanFor>(&step)) for_each_launch(loop->steps, visit);
    if (const auto* guard = std::get_if<PlanIf>(&step)) {
      for_each_launch(guard->then_steps, visit);
      for_each_launch(guard->else_steps, visit);
    }
  }
}

Result<Plan> lower(const Program& program, std::size_t variant) {
  if (variant >= program.variants.size()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "program \"" + program.name + "\" has no variant " + std::to_string(variant) + " (it has " +
                          std::to_string(program.variants.size()) + "). Choose one of them.");
  }
  KMUX_TRY(check_valid(program));
  return Lowering(program, program.variants[variant].body).lower();
}

std::string plan_part(const Program& program, std::size_t variant) {
  Program alone{program.name, program.signature, {program.variants[variant]}};
  Variant& kept = alone.variants.front();
  for (File& source : kept.sources) source.content.clear();
  kept.headers.clear();
  return to_json(alone);
}

Result<Plan> read_plan(std::string_view text) {
  const auto empty = [](const std::string&) -> Result<std::string> { return std::string(); };
  KMUX_ASSIGN(const Program program, from_json(text, empty));
  KMUX_TRY(check_valid(program));
  return lower(program, 0);
}

namespace {

bool fits_a_graph(const PlanLaunch& launch) {
  return launch.l2_windows.empty() && !launch.programmatic_serialization && !launch.cooperative;
}

bool has_work(const std::vector<PlanStep>& steps);

// Returns true if a loop contains a launch or fill. Each has one graph node, so it must run at most once a call.
bool repeats_work(const std::vector<PlanStep>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const PlanStep& step) {
    if (const auto* loop = std::get_if<PlanFor>(&step)) return has_work(loop->steps);
    const auto* guard = std::get_if<PlanIf>(&step);
    return guard != nullptr && (repeats_work(guard->then_steps) || repeats_work(guard->else_steps));
  });
}

bool has_work(const std::vector<PlanStep>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const PlanStep& step) {
    if (const auto* loop = std::get_if<PlanFor>(&step)) return has_work(loop->steps);
    if (const auto* guard = std::get_if<PlanIf>(&step))
      return has_work(guard->then_steps) || has_work(guard->else_steps);
    return true;
  });
}

}  // namespace

bool calls_host_function(const Plan& plan, const PlanLaunch& launch) {
  return launch.is_call && launch.kernel >= plan.kernels.size();
}

bool can_replay(const Plan& plan) {
  bool fits = true;
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    fits = fits && fits_a_graph(launch) && !calls_host_function(plan, launch);
  });
  const auto always = [](const PlanStep& step) { return std::holds_alternative<PlanLaunch>(step); };
  return fits && !repeats_work(plan.steps) && std::count_if(plan.steps.begin(), plan.steps.end(), always) >= 2;
}

namespace {

void bind_symbols(const Expr& expr, Plan& plan) {
  for (const std::string& name : symbols_of(expr)) {
    if (std::ranges::find(plan.bindings, name, &PlanBinding::name) != plan.bindings.end()) continue;
    const auto slot = std::ranges::find(plan.slots, name, &SlotInfo::name);
    if (slot == plan.slots.end()) continue;  // a let
    plan.bindings.push_back({name, static_cast<std::size_t>(slot - plan.slots.begin()), slot->dtype});
  }
}

}  // namespace

std::vector<PlanMemory> bind_memory(const Signature& signature, Plan& plan) {
  std::vector<PlanMemory> memory;
  for (std::size_t slot = 0; slot < signature.params.size(); ++slot) {
    const Param& param = signature.params[slot];
    const BufferParam* const buffer = as_buffer(param);
    if (buffer == nullptr && !is_pointer(param)) continue;
    memory.push_back(
        {param.name, {PlanAddress::Source::kSlot, slot, 0}, buffer == nullptr ? std::nullopt : span_bytes(*buffer)});
    if (memory.back().bytes) bind_symbols(*memory.back().bytes, plan);
  }
  for (std::size_t i = 0; i < plan.workspaces.size(); ++i) {
    memory.push_back({plan.workspaces[i].name, {PlanAddress::Source::kWorkspace, i, 0}, plan.workspaces[i].bytes});
  }
  return memory;
}

}  // namespace kmux
