#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux::cli {

/// A parameter as the source has it.
struct KernelParameter {
  std::string name;
  std::string type;   // as it is written
  std::string dtype;  // of the value, or of what is pointed to; empty: none of kmux's
  std::string kind;   // "value", "pointer", "pointer to const", "reference" or "undeclared"
  std::string word = {};  // its name without that of the structure which it is a member of
  std::vector<KernelParameter> members = {};  // of a structure that a launch can put together
  std::int64_t alignment_bytes = 0;  // that the structure is declared with; 0: that of its members
  std::string problem = {};  // why no launch can put it together; empty: one can, or it is none
};

/// Returns the numbers and addresses that callers pass for `parameters`: themselves, or the members of structures.
std::vector<KernelParameter> all_passed(const std::vector<KernelParameter>& parameters);

/// Returns true for a number, also one of a class, as __half; false for vectors and other classes.
bool is_scalar(const KernelParameter& parameter);

/// A function that a launch can name.
struct SourceKernel {
  std::string name;
  std::string templates;  // the names of its template parameters; empty: it is not a template
  bool returns_int = false;
  std::string body;  // the source from its name on, without blanks
  std::string types = {};  // of its parameters, as a launch of an overload names them
  std::vector<KernelParameter> parameters = {};
};

/// A source that has no program yet.
struct NewSource {
  std::string path;
  std::string content;
  std::string dialect;
};

/// Reads the source that `kmux new` begins a program for.
///
/// Errors: invalid_argument for a file of another kind, and for one that carries a program; those of reading a file.
Result<NewSource> read_source(const std::string& path);

/// The headers beside the source that it includes, and those that they include, by their paths from there.
std::vector<File> headers_beside(const NewSource& source);

/// The functions of the source that a launch can name, as the Clang of backend cpu reads them (docs/design/0042). Of several of one
/// name each has the types of its parameters in its name: "scale(float *, int)".
///
/// Errors: those of a build, with Clang's text.
Result<std::vector<SourceKernel>> source_kernels(const NewSource& source, const std::vector<File>& headers,
                                                 const std::vector<std::string>& folders);

/// What people call the kernel: all of its name, without namespaces or template arguments, and last without both.
std::vector<std::string> names_of(const SourceKernel& kernel);

/// Keeps those of `kernels` that `names` name.
///
/// Errors: invalid_argument for a name that no kernel has.
Status keep_named(std::vector<SourceKernel>& kernels, const std::vector<std::string>& names, const std::string& path);

}  // namespace kmux::cli
