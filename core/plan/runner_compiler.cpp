// Compiles a plan to the code that PlanRunner executes.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "kmux/plugin/rounding.h"

#include "fill_bounds.h"
#include "runner_code.h"

namespace kmux {
namespace {

std::string described(const std::string& what, const std::string& value) {
  return std::string(what).append(" = \"").append(value).append("\"");
}

std::string described(const std::array<Expr, 3>& extents) {
  return "(" + to_string(extents[0]) + ", " + to_string(extents[1]) + ", " + to_string(extents[2]) + ")";
}

template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
  std::vector<To> out;
  out.reserve(values.size());
  for (const From& value : values) out.push_back(static_cast<To>(value));
  return out;
}

// Sets the pointers of a map last, since its vectors may move while the maps are collected.
void point(RunnerMap& map) {
  map.ready.name = map.plan.map.name.c_str();
  map.ready.dims = map.dims.data();
  map.ready.strides_bytes = map.strides_bytes.data();
  map.ready.element_strides = map.element_strides.data();
}

class RunnerCompiler {
 public:
  explicit RunnerCompiler(const Plan& plan)
      : plan_(plan), code_(std::make_unique<RunnerCode>()), workspace_addresses_(plan.workspaces.size()) {}

  Result<std::unique_ptr<const RunnerCode>> compile() {
    for (const PlanBinding& binding : plan_.bindings) add_binding(binding);
    for (const Let& let : plan_.lets) KMUX_TRY(add_let(let));
    for (const PlanAssert& check : plan_.asserts) KMUX_TRY(add_assert(check, code_->asserts));
    count_loops(plan_.steps);
    code_->values = next_word_ + loops_;
    code_->size.words = code_->values;
    for (const Workspace& workspace : plan_.workspaces) KMUX_TRY(add_workspace(workspace));
    code_->size.addresses = workspace_addresses_;
    for (const PlanMap& map : plan_.maps) KMUX_TRY(add_map(map));
    code_->size.maps = plan_.maps.size();
    for (RunnerMap& map : code_->maps) point(map);
    KMUX_TRY(add_steps(plan_.steps, code_->steps));
    code_->has_preparations =
        !plan_.lets.empty() || !plan_.asserts.empty() || !plan_.workspaces.empty() || !plan_.maps.empty();
    return std::unique_ptr<const RunnerCode>(std::move(code_));
  }

 private:
  // Names and texts.
  std::size_t new_word(const std::string& name) { return words_[name] = next_word_++; }

  std::optional<std::size_t> word_of(std::string_view name) const {
    const auto found = words_.find(name);
    return found == words_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::string* keep(std::string text) { return &code_->texts.emplace_back(std::move(text)); }

  ValueIndex index() const {
    return [this](std::string_view name) { return word_of(name); };
  }

  Result<RunnerNumber> number(const Expr& expr) const { return RunnerNumber::compile(expr, index()); }

  Result<RunnerChecked> checked(const Expr& expr, const std::string& what) {
    KMUX_ASSIGN(RunnerNumber value, number(expr));
    return RunnerChecked{std::move(value), keep(described(what, to_string(expr)))};
  }

  std::string of(const PlanLaunch& launch) const { return " of \"" + plan_.kernels[launch.kernel] + "\""; }

  // First pass.
  void add_binding(const PlanBinding& binding) {
    RunnerBinding out;
    out.slot = binding.slot;
    out.word = new_word(binding.name);
    const DType type = plan_.slots[binding.slot].kind == SlotKind::kSymbol ? dtype::kInt64 : binding.dtype;
    using Read = RunnerBinding::Read;
    if (type == dtype::kUInt64) {
      out.read = Read::kTooLargeFails;
    } else if (is_bool(type)) {
      out.read = Read::kTruth;
    } else {
      out.read = type.code == kDLInt ? Read::kSigned : Read::kUnsigned;
    }
    out.unused_bits = static_cast<std::uint8_t>(64 - std::min<int>(type.bits, 64));
    out.what = keep("scalar \"" + binding.name + "\"");
    code_->bindings.push_back(out);
  }

  Status add_let(const Let& let) {
    KMUX_ASSIGN(RunnerChecked value, checked(let.value, "let \"" + let.name + "\""));
    code_->lets.push_back({new_word(let.name), std::move(value)});
    return Ok{};
  }

  Status add_assert(const PlanAssert& check, std::vector<RunnerAssert>& asserts) {
    RunnerAssert out;
    KMUX_ASSIGN(out.condition, RunnerCondition::compile(check.condition, index()));
    out.what = keep(described(check.what, to_string(check.condition)));
    out.message = check.message;
    for (const PlanAssert::Number& each : check.numbers) {
      KMUX_ASSIGN(RunnerNumber value, number(each.value));
      out.numbers.push_back({std::move(value), each.text});
    }
    asserts.push_back(std::move(out));
    return Ok{};
  }

  Status add_workspace(const Workspace& workspace) {
    KMUX_ASSIGN(RunnerChecked bytes, checked(workspace.bytes, "size of workspace \"" + workspace.name + "\""));
    RunnerWorkspace out;
    out.address = out.whole = code_->workspaces.size();
    out.bytes = std::move(bytes);
    out.alignment_bytes = workspace.alignment_bytes;
    out.name = workspace.name;
    if (out.is_rounded()) out.whole = workspace_addresses_++;
    code_->workspaces.push_back(std::move(out));
    return Ok{};
  }

  Result<RunnerAddress> address(const PlanAddress& source, const std::string& what) {
    RunnerAddress out{source.source, source.index, !source.offset_bytes.is_constant(0), {}};
    if (out.has_offset) {
      KMUX_ASSIGN(out.offset, checked(source.offset_bytes, what));
    }
    return out;
  }

  Status add_map(const PlanMap& plan) {
    RunnerMap& out = code_->maps.emplace_back();
    out.plan = plan;
    const TensorMap& map = plan.map;
    const std::string name = " of tensor map \"" + map.name + "\"";
    KMUX_ASSIGN(out.base, address(plan.base, "base" + name));
    KMUX_TRY(add_sizes(map.dims, "dim", name, out.dims, out.dim_patches));
    KMUX_TRY(add_sizes(map.strides_bytes, "stride", name, out.strides_bytes, out.stride_patches));
    out.element_strides = map.element_strides.empty() ? std::vector<unsigned>(map.dims.size(), 1)
                                                      : converted<unsigned>(map.element_strides);
    add_mode(map, out);
    add_ready(map, out);
    return Ok{};
  }

  Status add_sizes(const std::vector<Expr>& sizes, const std::string& what, const std::string& of,
                   std::vector<unsigned long long>& ready, std::vector<RunnerPatch>& patches) {
    for (const Expr& size : sizes) {
      const std::size_t index = ready.size();
      KMUX_ASSIGN(RunnerChecked value,
                  checked(size, std::string(what).append(" ").append(std::to_string(index)).append(of)));
      const bool is_ready = value.number.is_constant() && value.number.constant() >= 0;
      ready.push_back(is_ready ? static_cast<unsigned long long>(value.number.constant()) : 0);
      if (!is_ready) patches.push_back({index, std::move(value)});
    }
    return Ok{};
  }

  static void add_mode(const TensorMap& map, RunnerMap& out) {
    if (const auto* tiled = std::get_if<TiledMap>(&map.mode)) {
      out.box = converted<unsigned>(tiled->box);
      return;
    }
    const auto& im2col = std::get<Im2colMap>(map.mode);
    out.is_tiled = false;
    out.lower_corner = converted<int>(im2col.lower_corner);
    out.upper_corner = converted<int>(im2col.upper_corner);
    out.channels_per_pixel = static_cast<unsigned>(im2col.channels_per_pixel);
    out.pixels_per_column = static_cast<unsigned>(im2col.pixels_per_column);
  }

  // Name and arrays are set once the maps no longer move: see `point`.
  void add_ready(const TensorMap& map, RunnerMap& out) const {
    out.ready.index = static_cast<unsigned>(code_->maps.size() - 1);
    out.ready.dtype = static_cast<unsigned>(map.dtype);
    out.ready.rank = static_cast<unsigned>(map.dims.size());
    out.ready.interleave = static_cast<unsigned>(map.interleave);
    out.ready.swizzle = static_cast<unsigned>(map.swizzle);
    out.ready.l2_promotion = static_cast<unsigned>(map.l2_promotion);
    out.ready.oob_fill = static_cast<unsigned>(map.oob_fill);
  }

  // Second pass.
  void count_loops(const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) {
      if (const auto* guard = std::get_if<PlanIf>(&step)) {
        count_loops(guard->then_steps);
        count_loops(guard->else_steps);
      } else if (const auto* loop = std::get_if<PlanFor>(&step)) {
        ++loops_;
        count_loops(loop->steps);
      }
    }
  }

  Status add_steps(const std::vector<PlanStep>& steps, RunnerSteps& out) {
    for (const PlanStep& step : steps) {
      KMUX_ASSIGN(const RunnerStep added, std::visit([this](const auto& kind) { return add_step(kind); }, step));
      out.push_back(added);
    }
    return Ok{};
  }

  Result<RunnerStep> add_step(const PlanIf& guard) {
    RunnerIf& out = code_->ifs.emplace_back();
    const RunnerStep step{RunnerStep::Kind::kIf, code_->ifs.size() - 1};
    KMUX_ASSIGN(out.condition, checked(guard.condition, "condition"));
    KMUX_TRY(add_steps(guard.then_steps, out.then_steps));
    KMUX_TRY(add_steps(guard.else_steps, out.else_steps));
    return step;
  }

  Result<RunnerStep> add_step(const PlanFor& loop) {
    RunnerFor& out = code_->fors.emplace_back();
    const RunnerStep step{RunnerStep::Kind::kFor, code_->fors.size() - 1};
    const std::string name = " of loop \"" + loop.variable + "\"";
    KMUX_ASSIGN(out.begin, checked(loop.begin, "begin" + name));
    KMUX_ASSIGN(out.end, checked(loop.end, "end" + name));
    const std::optional<std::size_t> hidden = word_of(loop.variable);
    out.word = new_word(loop.variable);
    KMUX_TRY(add_steps(loop.steps, out.steps));
    words_.erase(loop.variable);
    if (hidden) words_[loop.variable] = *hidden;
    return step;
  }

  Result<RunnerStep> add_step(const PlanFill& fill) {
    RunnerFill out;
    KMUX_ASSIGN(out.target, address(fill.target, "target of fill"));
    KMUX_ASSIGN(out.bytes, checked(fill.bytes, "size of fill"));
    out.value = fill.value;
    out.step = static_cast<unsigned>(fill.step);
    if (fill.bounds) KMUX_TRY(add_assert(*fill.bounds, out.bounds));
    code_->fills.push_back(std::move(out));
    return RunnerStep{RunnerStep::Kind::kFill, code_->fills.size() - 1};
  }

  Result<RunnerStep> add_step(const PlanLaunch& launch) {
    RunnerLaunch& out = code_->launches.emplace_back();
    const RunnerStep step{RunnerStep::Kind::kLaunch, code_->launches.size() - 1};
    out.ready.kernel = static_cast<unsigned>(launch.kernel);
    out.ready.step = static_cast<unsigned>(launch.step);
    out.ready.flags = (launch.cooperative ? unsigned{kmux_cooperative} : 0) |
                      (launch.programmatic_serialization ? unsigned{kmux_programmatic_serialization} : 0);
    out.ready.window_count = static_cast<unsigned>(launch.l2_windows.size());
    KMUX_TRY(add_extents(launch.grid, 0, "grid" + of(launch), out.ready.grid, out.grid));
    KMUX_TRY(add_extents(launch.block, 1, "block" + of(launch), out.ready.block, out.block));
    if (launch.cluster) {
      KMUX_TRY(add_extents(*launch.cluster, 1, "cluster" + of(launch), out.ready.cluster, out.cluster));
    }
    KMUX_TRY(add_dynamic_smem(launch, out));
    KMUX_TRY(add_arguments(launch, out));
    KMUX_TRY(add_windows(launch, out));
    return step;
  }

  Status add_extents(const std::array<Expr, 3>& extents, std::int64_t low, const std::string& what, unsigned* ready,
                     std::vector<RunnerPatch>& patches) {
    const std::string* const text = keep(described(what, described(extents)));
    for (std::size_t i = 0; i < extents.size(); ++i) {
      KMUX_ASSIGN(RunnerNumber extent, number(extents[i]));
      if (extent.is_constant() && extent.constant() >= low && extent.constant() <= kMaxExtent) {
        ready[i] = static_cast<unsigned>(extent.constant());
      } else {
        patches.push_back({i, {std::move(extent), text}});
      }
    }
    return Ok{};
  }

  Status add_dynamic_smem(const PlanLaunch& launch, RunnerLaunch& out) {
    KMUX_ASSIGN(RunnerChecked bytes, checked(launch.dynamic_smem_bytes, "dynamic shared memory" + of(launch)));
    if (bytes.number.is_constant() && bytes.number.constant() >= 0) {
      out.ready.dynamic_smem_bytes = static_cast<unsigned long long>(bytes.number.constant());
    } else {
      out.dynamic_smem.push_back({0, std::move(bytes)});
    }
    return Ok{};
  }

  Status add_arguments(const PlanLaunch& launch, RunnerLaunch& out) {
    next_word_argument_ = code_->values;
    next_address_argument_ = workspace_addresses_;
    for (const PlanArg& arg : launch.args) {
      const std::string what = "argument " + std::to_string(out.places.size()) + of(launch);
      KMUX_TRY(std::visit([&](const auto& kind) { return add_argument(kind, what, out); }, arg));
    }
    code_->size.words = std::max(code_->size.words, next_word_argument_);
    code_->size.addresses = std::max(code_->size.addresses, next_address_argument_);
    code_->size.places = std::max(code_->size.places, out.places.size());
    return Ok{};
  }

  static void place(RunnerLaunch& out, RunnerPlace::Base base, std::size_t index, std::size_t size) {
    out.places.push_back({base, index * size});
  }

  // Reserves a word for a computed argument.
  std::size_t place_computed(RunnerLaunch& out) {
    place(out, RunnerPlace::Base::kWords, next_word_argument_, sizeof(std::int64_t));
    return next_word_argument_++;
  }

  Status add_argument(const PlanAddress& source, const std::string& what, RunnerLaunch& out) {
    KMUX_ASSIGN(RunnerAddress where, address(source, what));
    if (where.has_offset) {
      place(out, RunnerPlace::Base::kAddresses, next_address_argument_, sizeof(void*));
      out.arguments.push_back({RunnerArgument::Kind::kAddress, next_address_argument_++, 0, {}, std::move(where)});
    } else if (where.source == PlanAddress::Source::kSlot) {
      place(out, RunnerPlace::Base::kSlots, where.index, sizeof(kmux_slot));
    } else {
      place(out, RunnerPlace::Base::kAddresses, where.index, sizeof(void*));
    }
    return Ok{};
  }

  // The low bytes of a slot are the scalar; only a bool may have bits other than those of its value.
  Status add_argument(const PlanScalar& scalar, const std::string&, RunnerLaunch& out) {
    if (is_bool(scalar.dtype)) {
      const std::size_t word = place_computed(out);
      out.arguments.push_back({RunnerArgument::Kind::kTruth, word, scalar.slot, {}, {}});
    } else {
      place(out, RunnerPlace::Base::kSlots, scalar.slot, sizeof(kmux_slot));
    }
    return Ok{};
  }

  Status add_argument(const PlanMapArg& map, const std::string&, RunnerLaunch& out) {
    place(out, RunnerPlace::Base::kMaps, map.map, sizeof(kmux_tensor_map));
    return Ok{};
  }

  // The low bytes of a word are the value in any narrower type that it fits.
  Status add_argument(const PlanValue& value, const std::string& what, RunnerLaunch& out) {
    const std::optional<std::size_t> word = value.value.is_symbol() ? word_of(value.value.name()) : std::nullopt;
    if (word) {
      place(out, RunnerPlace::Base::kWords, *word, sizeof(std::int64_t));
      return Ok{};
    }
    KMUX_ASSIGN(RunnerChecked number, checked(value.value, what));
    const std::size_t computed = place_computed(out);
    out.arguments.push_back({RunnerArgument::Kind::kNumber, computed, 0, std::move(number), {}});
    return Ok{};
  }

  // Reserves words for the structure, and adds each member as if it were an argument, to be copied there.
  Status add_argument(const PlanStruct& record, const std::string& what, RunnerLaunch& out) {
    constexpr std::size_t kWord = sizeof(std::int64_t);
    const std::size_t step = std::max(std::min(record.alignment_bytes, kFrameAlignment) / kWord, std::size_t{1});
    const std::size_t first = rounded_up(next_word_argument_, step);
    const std::size_t count = rounded_up(record.bytes, kWord) / kWord;
    next_word_argument_ = first + count;
    place(out, RunnerPlace::Base::kWords, first, kWord);
    if (has_gaps(record)) out.zeros.push_back({first, count});
    for (const PlanMember& member : record.members) {
      RunnerLaunch alone;
      KMUX_TRY(std::visit([&](const auto& value) { return add_argument(value, what, alone); }, member.value));
      std::ranges::move(alone.arguments, std::back_inserter(out.arguments));
      out.copies.push_back({alone.places.front(), first * kWord + member.offset_bytes, bytes_of(member)});
    }
    return Ok{};
  }

  Status add_windows(const PlanLaunch& launch, RunnerLaunch& out) {
    const std::string name = " of L2 window" + of(launch);
    for (const PlanWindow& window : launch.l2_windows) {
      KMUX_ASSIGN(RunnerAddress base, address(window.base, "base" + name));
      KMUX_ASSIGN(RunnerChecked bytes, checked(window.bytes, "size" + name));
      out.windows.push_back({std::move(base), std::move(bytes), window.hit_ratio});
    }
    code_->size.windows = std::max(code_->size.windows, out.windows.size());
    return Ok{};
  }

  const Plan& plan_;
  std::unique_ptr<RunnerCode> code_;
  std::map<std::string, std::size_t, std::less<>> words_;
  std::size_t workspace_addresses_;  // one per workspace, then the allocated address of each one that is rounded up
  std::size_t next_word_ = 0;
  std::size_t loops_ = 0;
  std::size_t next_word_argument_ = 0;
  std::size_t next_address_argument_ = 0;
};

}  // namespace

Result<std::unique_ptr<const RunnerCode>> compile_runner(const Plan& plan) { return RunnerCompiler(plan).compile(); }

}  // namespace kmux
