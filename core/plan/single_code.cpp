#include "single_code.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>

#include "fill_bounds.h"

namespace kmux {
namespace {

constexpr std::int64_t kMaxNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinNumber = std::numeric_limits<std::int64_t>::min();

bool is_one_launch(const RunnerCode& code) {
  const bool prepares = !code.lets.empty() || !code.asserts.empty() || !code.workspaces.empty();
  return !prepares && code.steps.size() == 1 && code.steps[0].kind == RunnerStep::Kind::kLaunch;
}

bool is_fixed(const RunnerMap& map) {
  const bool lies_in_slot = map.base.source == PlanAddress::Source::kSlot && !map.base.has_offset;
  return lies_in_slot && map.dim_patches.empty() && map.stride_patches.empty();
}

}  // namespace

std::optional<SingleCode> SingleCode::of(const RunnerCode& code) {
  SingleCode single;
  if (!is_one_launch(code) || !single.take(code, code.launches[code.steps[0].index])) return std::nullopt;
  return single;
}

bool SingleCode::take(const RunnerCode& code, const RunnerLaunch& launch) {
  ready_ = launch.ready;
  const bool fits = code.size.words <= SingleLaunch::kWords && launch.places.size() <= SingleLaunch::kArguments;
  if (!fits || !launch.windows.empty() || !launch.copies.empty() || !std::ranges::all_of(code.maps, is_fixed))
    return false;
  const auto field = [](std::size_t offset) { return offsetof(SingleLaunch, launch) + offset; };
  const std::size_t smem = field(offsetof(kmux_driver_launch, dynamic_smem_bytes));
  const bool numbers = take(code, launch.grid, 0, field(offsetof(kmux_driver_launch, grid))) &&
                       take(code, launch.block, 1, field(offsetof(kmux_driver_launch, block))) &&
                       take(code, launch.cluster, 1, field(offsetof(kmux_driver_launch, cluster))) &&
                       std::ranges::all_of(launch.dynamic_smem, [&](const RunnerPatch& bytes) {
                         return take(code, bytes.value.number, 0, kMaxNumber, smem, true);
                       });
  const auto taken = [&](const auto& each) { return take(code, each); };
  return numbers && std::ranges::all_of(launch.arguments, taken) && std::ranges::all_of(launch.places, taken);
}

bool SingleCode::take(const RunnerCode& code, const std::vector<RunnerPatch>& extents, std::int64_t least,
                      std::size_t offset_bytes) {
  return std::ranges::all_of(extents, [&](const RunnerPatch& extent) {
    return take(code, extent.value.number, least, kMaxExtent, offset_bytes + extent.index * sizeof(unsigned), false);
  });
}

bool SingleCode::take(const RunnerCode& code, const RunnerNumber& number, std::int64_t least, std::int64_t most,
                      std::size_t offset_bytes, bool is_wide) {
  std::optional<LinearNumber> linear = number.linear();
  const RunnerBinding* const binding = linear ? signed_binding(code, linear->index) : nullptr;
  if (binding == nullptr) return false;
  linear->index = static_cast<std::uint32_t>(binding->slot);
  linear->least = std::max(linear->least, least);
  linear->most = std::min(linear->most, most);
  values_.push_back({*linear, binding->unused_bits, static_cast<std::uint32_t>(offset_bytes), is_wide});
  return true;
}

// Returns the binding of a word if it reads a signed number from a slot, else null.
const RunnerBinding* SingleCode::signed_binding(const RunnerCode& code, std::uint32_t word) {
  const auto found = std::ranges::find(code.bindings, std::size_t{word}, &RunnerBinding::word);
  if (found == code.bindings.end() || found->read != RunnerBinding::Read::kSigned) return nullptr;
  return &*found;
}

bool SingleCode::take(const RunnerCode& code, const RunnerArgument& argument) {
  if (argument.kind != RunnerArgument::Kind::kNumber) return false;
  const std::size_t offset = offsetof(SingleLaunch, words) + argument.target * sizeof(std::int64_t);
  return take(code, argument.number.number, kMinNumber, kMaxNumber, offset, true);
}

bool SingleCode::take(const RunnerCode& code, const RunnerPlace& place) {
  using Base = RunnerPlace::Base;
  if (place.base == Base::kMaps) {
    const std::size_t map = place.offset_bytes / sizeof(kmux_tensor_map);
    const std::size_t slot = code.maps[map].base.index;
    maps_.push_back({static_cast<unsigned>(map), static_cast<unsigned>(slot), static_cast<unsigned>(places_.size())});
    places_.push_back({});  // the caller sets it
    return true;
  }
  if (place.base == Base::kAddresses) return false;
  const std::size_t word = place.offset_bytes / sizeof(std::int64_t);
  if (place.base == Base::kSlots || word >= code.values) {
    places_.push_back({place.base == Base::kWords, static_cast<std::uint32_t>(place.offset_bytes)});
    return true;
  }
  const RunnerBinding* const binding = signed_binding(code, static_cast<std::uint32_t>(word));
  if (binding == nullptr || binding->unused_bits != 0) return false;
  places_.push_back({false, static_cast<std::uint32_t>(binding->slot * sizeof(kmux_slot))});  // the slot has the value
  return true;
}

[[gnu::hot]] bool SingleCode::evaluate(const kmux_slot* slots, SingleLaunch& out) const noexcept {
  out.launch = ready_;
  for (const Value& value : values_) {
    std::int64_t number = 0;
    const std::uint64_t bits = slots[value.number.index].bits << value.unused_bits;
    if (!value.number.evaluate(static_cast<std::int64_t>(bits) >> value.unused_bits, number)) return false;
    char* const to = reinterpret_cast<char*>(&out) + value.offset_bytes;
    if (value.is_wide) {
      std::memcpy(to, &number, sizeof number);
    } else {
      std::memcpy(to, &number, sizeof(unsigned));  // all supported machines are little-endian
    }
  }
  out.launch.args = places_.empty() ? nullptr : out.args.data();
  void** next = out.args.data();
  for (const Place& place : places_) {
    const char* const base =
        place.is_word ? reinterpret_cast<const char*>(out.words.data()) : reinterpret_cast<const char*>(slots);
    *next++ = const_cast<char*>(base + place.offset_bytes);
  }
  return true;
}

}  // namespace kmux
