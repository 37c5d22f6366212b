#pragma once

namespace kmux::cpu {

/// Registers LLVM's native target. Every entry to LLVM's code generator calls it first.
///
/// Threads: any; does its work once.
void initialize_llvm();

}  // namespace kmux::cpu
