#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kmux/plugin/plan_runner.h"

#include "runner_code.h"

namespace kmux {

/// A plan with one launch, compiled for evaluation in the fewest instructions. It reports no errors, which the full
/// code does, and supports no rare cases.
///
/// Threads: immutable, so any.
class SingleCode {
 public:
  /// Returns nothing if the plan has another step, a preparation other than tensor maps of constant shape, an L2 window
  /// or a structure, a computed extent or argument that is not a linear number, or more words or arguments than
  /// SingleLaunch holds.
  static std::optional<SingleCode> of(const RunnerCode& code);

  const std::vector<SingleMap>& maps() const { return maps_; }

  /// Returns false if a number has no value or is out of range.
  bool evaluate(const kmux_slot* slots, SingleLaunch& out) const noexcept;

 private:
  // A number computed from a slot and its destination: a field of the launch, or a word.
  struct Value {
    LinearNumber number;  // `index` is the slot
    std::uint8_t unused_bits;
    std::uint32_t offset_bytes;  // in a SingleLaunch
    bool is_wide;  // 8 bytes, else 4
  };
  struct Place {
    bool is_word;  // else a slot
    std::uint32_t offset_bytes;
  };
  static const RunnerBinding* signed_binding(const RunnerCode& code, std::uint32_t word);
  bool take(const RunnerCode& code, const RunnerArgument& argument);
  bool take(const RunnerCode& code, const RunnerPlace& place);
  bool take(const RunnerCode& code, const std::vector<RunnerPatch>& extents, std::int64_t least,
            std::size_t offset_bytes);
  bool take(const RunnerCode& code, const RunnerNumber& number, std::int64_t least, std::int64_t most,
            std::size_t offset_bytes, bool is_wide);
  bool take(const RunnerCode& code, const RunnerLaunch& launch);

  kmux_driver_launch ready_ = {};
  std::vector<Value> values_;
  std::vector<Place> places_;
  std::vector<SingleMap> maps_;
};

}  // namespace kmux
