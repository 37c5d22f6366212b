#pragma once

#include <map>
#include <utility>
#include <vector>

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace kmux::simt::ptx {

/// Translates calls of inline assembly. Each text becomes a function once, and then part of the functions that have it.
class Translation {
 public:
  Translation() = default;
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;
  ~Translation();

  /// Replaces `call`, a call of inline assembly, by LLVM IR with the meaning of its text.
  ///
  /// Errors: unsupported, with the instruction and the reason; `call` is then unchanged.
  Status replace(llvm::CallInst& call);

 private:
  using Key = std::pair<const llvm::Value*, std::vector<const llvm::Value*>>;  // the assembly, and its immediates

  Result<llvm::Function*> function_of(llvm::CallInst& call);

  std::map<Key, llvm::Function*> functions_;
};

}  // namespace kmux::simt::ptx
