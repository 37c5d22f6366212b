#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux::cpu {

/// The names of the variables that code of the object file `object` may write, sorted: those of its sections of data, and
/// those of a thread. None for bytes that are not a relocatable ELF file of 64 bits.
///
/// What compilers put there besides (tables of functions, references of exceptions) is left out.
std::vector<std::string> variables_of_object(std::string_view object);

}  // namespace kmux::cpu
