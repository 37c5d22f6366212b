#pragma once

#include <functional>

#include "kmux/error.h"

namespace kmux::regress {

/// Executes an operation that many times in sequence.
using Burst = std::function<Status(int times)>;

/// The watched work, and reference work of the same kind without kmux: a slower machine slows both.
struct Duel {
  Burst work;
  Burst reference;
};

}  // namespace kmux::regress
