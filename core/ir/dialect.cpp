#include "kmux/plugin/dialect.h"

#include <algorithm>

namespace kmux {

const std::vector<Dialect>& all_dialects() {
  static const auto& dialects = *new const std::vector<Dialect>{
      {"c", true, false, false, false, "C or C++ host functions with C linkage"},
      {"cubin", false, true, false, false, "CUDA device code for one architecture"},
      {"cuda", false, false, true, false, "CUDA C++"},
      {"cutedsl", false, false, false, false, "Python of CuTe DSL"},
      {"hip", false, false, true, false, "HIP C++"},
      {"hsaco", false, true, false, false, "AMD device code for one architecture"},
      {"metallib", false, true, false, true, "a Metal library"},
      {"msl", false, false, false, true, "Metal Shading Language"},
      {"object", true, true, false, false, "a relocatable host object with functions of C linkage"},
      {"ptx", false, true, false, false, "PTX text"},
  };
  return dialects;
}

const Dialect* find_dialect(std::string_view name) {
  const auto found = std::ranges::find(all_dialects(), name, &Dialect::name);
  return found == all_dialects().end() ? nullptr : &*found;
}

}  // namespace kmux
