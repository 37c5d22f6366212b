// Accesses of a basic block that may be merged: to members of contiguous records, one per lane.
#include <algorithm>
#include <iterator>

#include "llvm/IR/DataLayout.h"
#include "simt/analysis/lane_values.h"

namespace kmux::simt {

/// An address without its constant part: two addresses of one place are a constant apart.
struct LaneValues::Place {
  const llvm::Value* base = nullptr;
  const llvm::Value* index = nullptr;  // in elements of `bytes`, before the extension
  unsigned extension = 0;
  std::uint64_t bytes = 0;

  bool operator==(const Place&) const = default;
};

namespace {

// Removes a constant addend from the index of `place` if the extension preserves it; returns the constant in elements.
std::int64_t take_constant(LaneValues::Place& place) {
  const auto* const sum = llvm::dyn_cast<llvm::BinaryOperator>(place.index);
  const auto constant = sum == nullptr ? std::nullopt : small_constant(sum->getOperand(1));
  if (!constant) return 0;
  const auto* const disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(sum);
  const bool is_exact =
      sum->getOpcode() == llvm::Instruction::Add &&
      (place.extension == llvm::Instruction::SExt ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap());
  if (!is_exact && (disjoint == nullptr || !disjoint->isDisjoint() || *constant < 0)) return 0;
  place.index = sum->getOperand(0);
  return *constant;
}

// Returns true if only the last index of `address` is not zero, as for an element of a shared array.
bool is_of_element(const llvm::GetElementPtrInst& address) {
  return std::all_of(address.idx_begin(), std::prev(address.idx_end()), [](const llvm::Value* index) {
    const auto* const constant = llvm::dyn_cast<llvm::ConstantInt>(index);
    return constant != nullptr && constant->isZero();
  });
}

// Removes constants from `address` and adds them to `offset`.
LaneValues::Place accessed_place(const llvm::Value* address, std::int64_t& offset, const llvm::DataLayout& layout) {
  llvm::APInt bytes(layout.getIndexTypeSizeInBits(address->getType()), 0);
  LaneValues::Place place{address->stripAndAccumulateConstantOffsets(layout, bytes, true)};
  offset += bytes.getSExtValue();
  const auto* const array = llvm::dyn_cast<llvm::GetElementPtrInst>(place.base);
  if (array == nullptr || !is_of_element(*array)) return place;
  const auto* const wide = llvm::dyn_cast<llvm::CastInst>(*std::prev(array->idx_end()));
  if (wide == nullptr || !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(wide)) return place;
  place = {array->getPointerOperand(), wide->getOperand(0), wide->getOpcode(),
           layout.getTypeAllocSize(array->getResultElementType()).getFixedValue()};
  offset += take_constant(place) * static_cast<std::int64_t>(place.bytes);
  return place;
}

}  // namespace

/// A load or store of a number, with its place.
struct LaneValues::Access {
  llvm::Instruction* instruction;
  Place place;
  std::int64_t offset;
  llvm::Type* type;

  bool is_load() const { return llvm::isa<llvm::LoadInst>(instruction); }
  bool is_of_array_of(const Access& other) const {
    return place == other.place && type == other.type && is_load() == other.is_load();
  }
};

namespace {

std::optional<LaneValues::Access> access_of(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  const llvm::Value* const address = llvm::getLoadStorePointerOperand(&instruction);
  if (address == nullptr || instruction.isAtomic() || instruction.isVolatile()) return std::nullopt;
  llvm::Type* const type = llvm::getLoadStoreType(&instruction);
  const bool has_gaps = layout.getTypeStoreSize(type) != layout.getTypeAllocSize(type);
  if (type->isAggregateType() || type->isIntegerTy(1) || has_gaps) return std::nullopt;
  LaneValues::Access access{&instruction, {}, 0, type};
  access.place = accessed_place(address, access.offset, layout);
  return access;
}

}  // namespace

// Finds the records of `accesses` to one array. Each begins with the first member that is not in the previous one.
void LaneValues::find_records(std::vector<Access> accesses, bool masked, std::vector<Records>& found) const {
  constexpr std::int64_t kMaxMembers = 8;
  constexpr std::size_t kMaxMasked = 4;  // members per accessed one
  const auto bytes = static_cast<std::int64_t>(layout_.getTypeAllocSize(accesses.front().type).getFixedValue());
  const std::int64_t stride = likely_stride(llvm::getLoadStorePointerOperand(accesses.front().instruction)).value_or(0);
  if (stride % bytes != 0 || stride / bytes < 2 || stride / bytes > kMaxMembers) return;
  std::ranges::sort(accesses, {}, &Access::offset);
  for (auto first = accesses.begin(); first != accesses.end();) {
    const auto end = std::ranges::find_if(first, accesses.end(),
                                          [&](const Access& one) { return one.offset >= first->offset + stride; });
    Records records{.stride = stride};
    records.members.resize(static_cast<std::size_t>(stride / bytes));
    bool is_right = true;
    for (const Access& access : std::ranges::subrange(first, end)) {
      auto*& member = records.members[static_cast<std::size_t>((access.offset - first->offset) / bytes)];
      is_right = is_right && member == nullptr && (access.offset - first->offset) % bytes == 0;
      member = access.instruction;
      if (records.at != nullptr && member->comesBefore(records.at) != access.is_load()) continue;
      records.at = member;
      records.offset = first->offset - access.offset;
    }
    const auto reached = static_cast<std::size_t>(end - first);
    is_right =
        is_right && (reached == records.members.size() || (masked && records.members.size() <= kMaxMasked * reached));
    if (is_right) found.push_back(std::move(records));
    first = end;
  }
}

namespace {

using Group = std::vector<LaneValues::Access>;  // to one array

// Returns true if `instruction` ends `group`: merged accesses must not move past one that may change or read their
// memory. `access`: its access, if any.
bool ends_at(const Group& group, const llvm::Instruction& instruction,
             const std::optional<LaneValues::Access>& access) {
  if (access && access->is_of_array_of(group.front())) return false;
  return group.front().is_load() ? instruction.mayWriteToMemory() : instruction.mayReadOrWriteMemory();
}

void add_to(std::vector<Group>& groups, const LaneValues::Access& access) {
  const auto same =
      std::ranges::find_if(groups, [&](const Group& group) { return access.is_of_array_of(group.front()); });
  if (same != groups.end()) return same->push_back(access);
  groups.push_back({access});
}

}  // namespace

std::vector<Records> LaneValues::records_in(llvm::BasicBlock& block, bool masked) const {
  std::vector<Group> open;
  std::vector<Records> found;
  for (llvm::Instruction& instruction : block) {
    const std::optional<Access> access = access_of(instruction, layout_);
    const auto ended =
        std::ranges::partition(open, [&](const Group& group) { return !ends_at(group, instruction, access); });
    for (const Group& group : ended) find_records(group, masked, found);
    open.erase(ended.begin(), open.end());
    if (access) add_to(open, *access);
  }
  for (const Group& group : open) find_records(group, masked, found);
  return found;
}

}  // namespace kmux::simt
