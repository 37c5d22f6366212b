#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kmux/plugin/plan_runner.h"

#include "runner_code.h"

namespace kmux {

/// A plan that is one launch, in the form in which it is made in the fewest instructions: no errors, which are the full
/// code's to tell, and no case that it seldom has.
///
/// Threads: immutable, so any.
class SingleCode {
 public:
  /// Nothing if the plan has another step, a preparation other than tensor maps of constant shape, an extent or argument that
  /// is not a linear number, or too much of anything.
  static std::optional<SingleCode> of(const RunnerCode& code);

  const std::vector<SingleMap>& maps() const { return maps_; }

  /// False if something has no value or is out of range.
  bool evaluate(const kmux_slot* slots, SingleLaunch& out) const noexcept;

 private:
  // A number of a slot and where it goes: into the launch, or a word.
  struct Value {
    LinearNumber number;  // its index is that of the slot
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
