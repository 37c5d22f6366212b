#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/json.h"

namespace kmux {

/// The refusal of an artifact without `what` ("symbol of kernel \"f\"") that `backend` puts into each.
Error incomplete_artifact(std::string_view what, std::string_view backend);

/// The content of a part that `backend` puts into each artifact.
///
/// Errors: invalid_argument if there is none.   Lifetime: borrows `artifact`.
Result<const std::string*> required_part(const Artifact& artifact, std::string_view name, std::string_view backend);

/// Where a constant of the program is in compiled code.
struct ConstantSymbol {
  std::string name;  // in the program
  std::string symbol;  // in the code
  std::uint64_t bytes = 0;  // that the code has for it; 0: that shows only when it is loaded
  bool operator==(const ConstantSymbol&) const = default;
};

/// A variable of compiled code, as its table of symbols has it.
struct CodeVariable {
  std::string symbol;  // its name in the table
  std::uint64_t bytes = 0;  // 0: not known
};

/// The variables among `present` that the constants of a program are: of the same symbol, or demangled to that name; those of
/// one file alone, too.
///
/// Errors: compile_failed that names one that is not there, or is there more than once; invalid_argument for another size.
Result<std::vector<ConstantSymbol>> find_constants(const std::vector<Constant>& constants,
                                                   const std::vector<CodeVariable>& present);

/// Puts them into part "constants.json" of an artifact; none are no part.
void set_constants(Artifact& artifact, const std::vector<ConstantSymbol>& constants);

/// What that part has; nothing without one.
///
/// Errors: invalid_argument for a text that `set_constants` does not write.
Result<std::vector<ConstantSymbol>> constants_of(const Artifact& artifact, std::string_view backend);

/// The constant `name` among them.
///
/// Errors: invalid_argument if there is none.   Lifetime: borrows `constants`.
Result<const ConstantSymbol*> symbol_of(const std::vector<ConstantSymbol>& constants, std::string_view name);

/// Refuses a constant whose variable has `bytes` bytes, which are not those of its declaration.
///
/// Errors: invalid_argument with both sizes.
Status check_constant_size(const Constant& constant, std::uint64_t bytes);

/// Reads the artifact's part meta.json, which a backend wrote when it built.
class MetaReader {
 public:
  /// `backend` is the name in messages.
  ///
  /// Errors: invalid_argument for a text that is not JSON.
  static Result<MetaReader> parse(std::string_view text, std::string backend);

  /// Each reads the member `key`; lists and maps are added to what is there.
  ///
  /// Errors: invalid_argument that names the key, if it is absent or of another kind.
  Status read(const std::string& key, std::string& text) const;
  /// A bool.
  Status read(const std::string& key, bool& choice) const;
  /// A list of texts.
  Status read(const std::string& key, std::vector<std::string>& texts) const;
  /// An object of texts.
  Status read(const std::string& key, std::map<std::string, std::string>& texts) const;

 private:
  MetaReader(Json meta, std::string backend) : meta_(std::move(meta)), backend_(std::move(backend)) {}
  Error malformed(const std::string& key) const;

  Json meta_;
  std::string backend_;
};

}  // namespace kmux
