#pragma once

namespace kmux {

/// Has `work(context)` called by threads that the application has lent, as `Executor` says; false: it has lent none, and nothing
/// was called. With 0 threads it only says whether it has.
///
/// Threads: any.
bool run_on_lent_threads(unsigned threads, void (*work)(void* context), void* context) noexcept;

}  // namespace kmux
