#include "entries.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "parameter.h"

namespace kmux::cutedsl {
namespace {

using Dynamic = std::vector<std::optional<std::int64_t>>;

Dynamic constants_of(const std::vector<Expr>& values) {
  Dynamic constants;
  for (const Expr& value : values) {
    constants.push_back(value.is_constant() ? std::optional(value.constant()) : std::nullopt);
  }
  return constants;
}

// Returns true if CuTe DSL passes `dtype` by value: of one-byte types, only integers and bool.
bool is_passed_by_value(DType dtype) {
  const bool is_float8 = dtype.bits == 8 && cute_type(dtype)->starts_with("Float8");
  return !is_float8;
}

// Returns the alignment at an offset from an aligned address.
std::int64_t alignment_at(std::int64_t alignment, std::int64_t element, const Expr& offset_bytes) {
  if (offset_bytes.is_constant()) return std::gcd(alignment, offset_bytes.constant());
  return std::gcd(alignment, element);
}

TensorParameter tensor_of(const BufferParam& buffer, const Expr& offset_bytes) {
  const Layout layout = layout_of(buffer);
  const std::int64_t element = packed_bytes(buffer.dtype, 1);
  const std::int64_t alignment = std::max(buffer.alignment_bytes, element);
  return {buffer.dtype, constants_of(layout.shape), constants_of(layout.strides),
          alignment_at(alignment, element, offset_bytes)};
}

std::optional<Entry::Extents> constants_of(const std::array<Expr, 3>& extents) {
  if (!std::ranges::all_of(extents, [](const Expr& extent) { return extent.is_constant(); })) return std::nullopt;
  return Entry::Extents{extents[0].constant(), extents[1].constant(), extents[2].constant()};
}

// Returns a setting of `launch` that only kernels take; null if it has none.
const char* setting_of(const PlanLaunch& launch) {
  const auto is_map = [](const PlanArg& arg) { return std::holds_alternative<PlanMapArg>(arg); };
  if (launch.cluster) return "a cluster";
  if (!launch.dynamic_smem_bytes.is_constant(0)) return "dynamic shared memory";
  if (launch.cooperative) return "cooperation";
  if (launch.programmatic_serialization) return "programmatic serialization";
  if (!launch.l2_windows.empty()) return "an L2 window";
  return std::ranges::any_of(launch.args, is_map) ? "a tensor map" : nullptr;
}

// Makes the entries of a plan's launches, and sets the launches' kernel numbers to them.
class EntryMaker {
 public:
  EntryMaker(const Program& program, Plan plan)
      : program_(program), functions_(std::move(plan.kernels)), entries_{std::move(plan)} {}

  Result<Entries> make() {
    replace(entries_.plan.steps);
    KMUX_TRY(status_);
    for (const auto* list : {&entries_.list, &entries_.hosts}) {
      for (const Entry& entry : *list) KMUX_TRY(check(entry));
    }
    number_hosts(entries_.plan.steps);
    name_kernels();
    return std::move(entries_);
  }

 private:
  void replace(std::vector<PlanStep>& steps) {
    for (PlanStep& step : steps) {
      if (auto* launch = std::get_if<PlanLaunch>(&step)) {
        launch->kernel = launch->is_call ? host_of(*launch) : entry_of(*launch);
      }
      if (auto* loop = std::get_if<PlanFor>(&step)) replace(loop->steps);
      if (auto* guard = std::get_if<PlanIf>(&step)) replace(guard->then_steps), replace(guard->else_steps);
    }
  }

  // Kernel numbers precede those of host functions, and the number of kernels is known only at the end.
  void number_hosts(std::vector<PlanStep>& steps) {
    for (PlanStep& step : steps) {
      if (auto* launch = std::get_if<PlanLaunch>(&step); launch != nullptr && launch->is_call) {
        launch->kernel += entries_.list.size();
      }
      if (auto* loop = std::get_if<PlanFor>(&step)) number_hosts(loop->steps);
      if (auto* guard = std::get_if<PlanIf>(&step)) number_hosts(guard->then_steps), number_hosts(guard->else_steps);
    }
  }

  std::size_t host_of(const PlanLaunch& launch) {
    if (status_.ok()) status_ = check_host(launch);
    Entry host{functions_[launch.kernel]};
    for (const PlanArg& arg : launch.args) host.parameters.push_back(parameter_of(arg));
    const auto same = [&](const Entry& other) {
      return other.kernel == host.kernel && other.parameters == host.parameters;
    };
    auto found = std::ranges::find_if(entries_.hosts, same);
    if (found == entries_.hosts.end()) found = entries_.hosts.insert(found, std::move(host));
    return static_cast<std::size_t>(found - entries_.hosts.begin());
  }

  // Rejects launch settings of a host function: its own launches have these.
  Status check_host(const PlanLaunch& launch) const {
    const char* const what = setting_of(launch);
    if (what == nullptr) return Ok{};
    return make_error(ErrorCode::kInvalidArgument,
                      "\"" + functions_[launch.kernel] + "\" is launched with " + what +
                          " and without grid and block (so it is a host function, @cute.jit, whose own launches say "
                          "that). Give grid and block for a kernel, or remove it.");
  }

  std::size_t entry_of(const PlanLaunch& launch) {
    Entry entry{functions_[launch.kernel]};
    for (const PlanArg& arg : launch.args) entry.parameters.push_back(parameter_of(arg));
    entry.block = constants_of(launch.block);
    if (launch.cluster) entry.cluster = constants_of(*launch.cluster);
    const std::int64_t smem = launch.dynamic_smem_bytes.is_constant() ? launch.dynamic_smem_bytes.constant() : 0;
    const auto same = [&](const Entry& other) {
      return other.kernel == entry.kernel && other.parameters == entry.parameters && other.block == entry.block &&
             other.cluster == entry.cluster;
    };
    auto found = std::ranges::find_if(entries_.list, same);
    if (found == entries_.list.end()) found = entries_.list.insert(found, std::move(entry));
    found->dynamic_smem_bytes = std::max(found->dynamic_smem_bytes, smem);
    return static_cast<std::size_t>(found - entries_.list.begin());
  }

  Parameter parameter_of(const PlanArg& arg) {
    if (const auto* scalar = std::get_if<PlanScalar>(&arg)) return ValueParameter{scalar->dtype};
    if (const auto* value = std::get_if<PlanValue>(&arg)) return ValueParameter{value->dtype};
    if (const auto* map = std::get_if<PlanMapArg>(&arg)) return MapParameter{map->map};
    return address_of(std::get<PlanAddress>(arg));
  }

  Parameter address_of(const PlanAddress& address) {
    if (address.source == PlanAddress::Source::kWorkspace) {
      const std::int64_t alignment = entries_.plan.workspaces[address.index].alignment_bytes;
      return PointerParameter{alignment_at(alignment, 1, address.offset_bytes)};
    }
    const Param* const param = find_param(program_.signature, entries_.plan.slots[address.index].name);
    const BufferParam* const buffer = param == nullptr ? nullptr : as_buffer(*param);
    if (buffer == nullptr) return PointerParameter{};
    bind(layout_of(*buffer));
    return tensor_of(*buffer, address.offset_bytes);
  }

  // Adds bindings for a layout's symbols that no other expression of the plan uses.
  void bind(const Layout& layout) {
    for (const auto* values : {&layout.shape, &layout.strides}) {
      for (const Expr& value : *values) {
        for (const std::string& name : symbols_of(value)) bind(name);
      }
    }
  }
  void bind(const std::string& name) {
    std::vector<PlanBinding>& bindings = entries_.plan.bindings;
    if (std::ranges::find(bindings, name, &PlanBinding::name) != bindings.end()) return;
    const auto& slots = entries_.plan.slots;
    const auto slot = std::ranges::find(slots, name, &SlotInfo::name);
    if (slot != slots.end()) bindings.push_back({name, static_cast<std::size_t>(slot - slots.begin()), slot->dtype});
  }

  static Status check(const Entry& entry) {
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      const auto* tensor = std::get_if<TensorParameter>(&entry.parameters[i]);
      const auto* value = std::get_if<ValueParameter>(&entry.parameters[i]);
      if (tensor == nullptr && value == nullptr) continue;
      const DType dtype = tensor != nullptr ? tensor->dtype : value->dtype;
      if (cute_type(dtype) && (tensor != nullptr || is_passed_by_value(dtype))) continue;
      return make_error(ErrorCode::kUnsupported, "argument " + std::to_string(i) + " of \"" + entry.kernel +
                                                     "\" is of " + to_string(dtype) +
                                                     " (CuTe DSL has no such type here). Use another element type.");
    }
    return Ok{};
  }

  // Names kernels: "scale", or "scale (2)" for the second entry of a function.
  void name_kernels() {
    for (std::size_t i = 0; i < entries_.list.size(); ++i) {
      const std::string& kernel = entries_.list[i].kernel;
      const auto before = entries_.list.begin() + static_cast<std::ptrdiff_t>(i);
      const auto count = std::ranges::count(entries_.list.begin(), before, kernel, &Entry::kernel);
      entries_.plan.kernels.push_back(count == 0 ? kernel : kernel + " (" + std::to_string(count + 1) + ")");
    }
  }

  const Program& program_;
  const std::vector<std::string> functions_;
  Status status_ = Ok{};
  Entries entries_;
};

}  // namespace

Result<Entries> make_entries(const Program& program, std::size_t variant) {
  KMUX_ASSIGN(Plan plan, lower(program, variant));
  return EntryMaker(program, std::move(plan)).make();
}

}  // namespace kmux::cutedsl
