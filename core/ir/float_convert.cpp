#include "float_convert.h"

#include "ir/printed/float_bits.h"

namespace kmux {

bool has_float_conversion(DType type) { return has_float_format(to_dldatatype(type)); }

double bits_to_float(DType type, std::uint64_t bits) { return float_of_bits(to_dldatatype(type), bits); }

std::uint64_t float_to_bits(DType type, double value) { return bits_of_float(to_dldatatype(type), value); }

}  // namespace kmux
