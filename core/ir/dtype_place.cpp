#include "dtype_place.h"

#include <vector>

#include "ir/printed/dlpack_facts.h"
#include "json_reader.h"

namespace kmux {
namespace {

bool is_number(DType type) {
  return (is_integer(type) || is_float(type) || is_bool(type)) && !to_string(type).starts_with("dtype_");
}

bool has_whole_bytes(DType type) { return type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64; }

}  // namespace

bool is_allowed(DType type, DTypePlace place) {
  switch (place) {
    case DTypePlace::kBuffer:
      return is_number(type);
    case DTypePlace::kScalar:
      return is_number(type) && type.lanes == 1 && has_whole_bytes(type);
    case DTypePlace::kSymbol:
      return type == dtype::kInt32 || type == dtype::kInt64;
    case DTypePlace::kExpr:
      return type.lanes == 1 && ((is_integer(type) && has_whole_bytes(type)) || type == dtype::kBool);
  }
  return false;
}

std::string_view allowed_dtypes(DTypePlace place) {
  switch (place) {
    case DTypePlace::kBuffer:
      return "an integer, a floating-point type or bool";
    case DTypePlace::kScalar:
      return "bool, or an integer or floating-point type of 8 to 64 bits";
    case DTypePlace::kSymbol:
      return "int32 or int64";
    case DTypePlace::kExpr:
      return "int8 ... int64, uint8 ... uint64 or bool";
  }
  return "";
}

std::string dtype_suggestion(std::string_view word, DTypePlace place) {
  std::vector<std::string> known;
  for (const DTypeName& name : kDTypeNames) {
    if (is_allowed(DType{name.code, name.bits, 1}, place)) known.emplace_back(name.text);
  }
  return suggestion(word, known);
}

}  // namespace kmux
