#pragma once

#include <functional>

#include "kmux/error.h"

namespace kmux::regress {

/// Does a thing that many times, one after the other.
using Burst = std::function<Status(int times)>;

/// What is watched, and a piece of work of the same kind that is none of kmux: what slows the machine slows both.
struct Duel {
  Burst work;
  Burst reference;
};

}  // namespace kmux::regress
