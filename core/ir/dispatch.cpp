#include "kmux/dispatch.h"

namespace kmux {

// Not defaulted in the class: there Step is still incomplete.
bool operator==(const If& a, const If& b) {
  return a.condition == b.condition && a.then_steps == b.then_steps && a.else_steps == b.else_steps;
}

bool operator==(const For& a, const For& b) {
  return a.variable == b.variable && a.begin == b.begin && a.end == b.end && a.steps == b.steps;
}

}  // namespace kmux
