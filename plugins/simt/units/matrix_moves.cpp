// Moves of matrices of 8 by 8 elements of 16 bits: ldmatrix, stmatrix, movmatrix.
#include <array>
#include <cstring>
#include <string>

#include "simt/check/fiber_block.h"
#include "simt/units/matrix_fragments.h"
#include "simt/units/unit_calls.h"
#include "simt/units/whole_warp.h"

namespace kmux::simt {
namespace {

constexpr unsigned kSide = 8;
constexpr std::uint64_t kRowBytes = 16;

using SmallMatrix = std::array<std::array<std::uint16_t, kSide>, kSide>;

/// The operands of a lane: matrices have a register of two elements in each lane, and a row at an address of another.
struct MoveOperands {
  unsigned matrices;
  bool is_transposed;
  char* row;
  std::uint16_t* registers;
};

// Returns the address of a lane's row, or of other memory if a check has found an error there.
char* row_of(const Thread& lane, unsigned kind) {
  char* const row = operands_of<MoveOperands>(lane).row;
  FiberLaunch& launch = FiberLaunch::current();
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(row) % kRowBytes == 0;
  if (is_aligned && launch.memory().has(row) && launch.memory().has(row + kRowBytes - 1)) {
    MemoryCheck* const check = launch.check();
    return check == nullptr ? row : check->check(lane, {row, row, kRowBytes, kRowBytes, kind, 0, lane.site});
  }
  throw KernelFailure(std::string("a row of a matrix ") +
                      (is_aligned ? "is not in the shared memory of the block" : "is not aligned to 16 bytes") + " (" +
                      ((kind & access_kind::kWrite) != 0 ? "stmatrix" : "ldmatrix") + ", " + place_of(lane) +
                      "). Correct its address.");
}

// Checks that all lanes have come with the same instruction, and returns its number of matrices.
unsigned checked_matrices(std::span<Thread* const> lanes, std::string_view instruction) {
  check_whole_warp(lanes, instruction);
  const MoveOperands& first = operands_of<MoveOperands>(*lanes.front());
  for (const Thread* const lane : lanes) {
    const MoveOperands& own = operands_of<MoveOperands>(*lane);
    if (own.matrices == first.matrices && own.is_transposed == first.is_transposed) continue;
    throw_diverged(*lane, instruction);
  }
  return first.matrices;
}

// Calls `move(element of the matrix, element of the register)` for the register of a lane.
template <class Move>
void each_of_lane(SmallMatrix& matrix, const Thread& lane, unsigned number, const Move& move) {
  const MoveOperands& operands = operands_of<MoveOperands>(lane);
  for (unsigned i = 0; i < 2; ++i) {
    const auto [row, column] = place_in_sums(lane.lane(), i);
    move(operands.is_transposed ? matrix[column][row] : matrix[row][column], operands.registers[2 * number + i]);
  }
}

void load_together(std::span<Thread* const> lanes) {
  const unsigned matrices = checked_matrices(lanes, "ldmatrix");
  for (unsigned number = 0; number < matrices; ++number) {
    SmallMatrix matrix;
    for (unsigned row = 0; row < kSide; ++row)
      std::memcpy(matrix[row].data(), row_of(*lanes[kSide * number + row], access_kind::kRead), kRowBytes);
    for (const Thread* const lane : lanes)
      each_of_lane(matrix, *lane, number, [](std::uint16_t in_matrix, std::uint16_t& own) { own = in_matrix; });
  }
}

void store_together(std::span<Thread* const> lanes) {
  const unsigned matrices = checked_matrices(lanes, "stmatrix");
  for (unsigned number = 0; number < matrices; ++number) {
    SmallMatrix matrix;
    for (const Thread* const lane : lanes)
      each_of_lane(matrix, *lane, number, [](std::uint16_t& in_matrix, std::uint16_t own) { in_matrix = own; });
    for (unsigned row = 0; row < kSide; ++row)
      std::memcpy(row_of(*lanes[kSide * number + row], access_kind::kWrite), matrix[row].data(), kRowBytes);
  }
}

void transpose_together(std::span<Thread* const> lanes) {
  check_whole_warp(lanes, "movmatrix");
  SmallMatrix matrix;
  for (Thread* const lane : lanes) {
    each_of_lane(matrix, *lane, 0, [](std::uint16_t& in_matrix, std::uint16_t own) { in_matrix = own; });
    operands_of<MoveOperands>(*lane).is_transposed = true;
  }
  for (const Thread* const lane : lanes)
    each_of_lane(matrix, *lane, 0, [](std::uint16_t in_matrix, std::uint16_t& own) { own = in_matrix; });
}

void load_matrices(unsigned matrices, unsigned is_transposed, char* row, std::uint16_t* registers) {
  MoveOperands operands{matrices, is_transposed != 0, row, registers};
  call_whole_warp(load_together, &operands, __builtin_return_address(0));
}

void store_matrices(unsigned matrices, unsigned is_transposed, char* row, std::uint16_t* registers) {
  MoveOperands operands{matrices, is_transposed != 0, row, registers};
  call_whole_warp(store_together, &operands, __builtin_return_address(0));
}

void transpose_matrix(std::uint16_t* registers) {
  MoveOperands operands{1, false, nullptr, registers};
  call_whole_warp(transpose_together, &operands, __builtin_return_address(0));
}

}  // namespace

std::span<const UnitCall> matrix_move_calls() {
  static const UnitCall calls[] = {unit_call_of("kmux.unit.ldmatrix", load_matrices),
                                   unit_call_of("kmux.unit.stmatrix", store_matrices),
                                   unit_call_of("kmux.unit.movmatrix", transpose_matrix)};
  return calls;
}

}  // namespace kmux::simt
