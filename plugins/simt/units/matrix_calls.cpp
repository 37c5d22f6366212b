#include "simt/units/unit_calls.h"

namespace kmux::simt {

std::span<const UnitCall> matrix_calls() { return {}; }

}  // namespace kmux::simt
