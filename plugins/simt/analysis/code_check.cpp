#include "simt/analysis/code_check.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace kmux::simt {

Status check_code(const llvm::Function& function, const std::string& problem) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyFunction(function, &stream)) return Ok{};
  return make_error(ErrorCode::kInternal, problem + ". Report it.").with("log", text);
}

}  // namespace kmux::simt
