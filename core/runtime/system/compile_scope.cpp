#include "compile_scope.h"

#include <algorithm>
#include <utility>

namespace kmux {
namespace {

thread_local CompileScope* this_thread = nullptr;

}  // namespace

CompileScope* CompileScope::current() { return this_thread; }

CompileScope::Entered::Entered(CompileScope& scope) : outer_(std::exchange(this_thread, &scope)) {}
CompileScope::Entered::~Entered() { this_thread = outer_; }

Error cancellation(std::string problem) {
  return make_error(ErrorCode::kCancelled, std::move(problem) + " Compile it again if it is still needed.");
}

CompileScope::Limit limit_in_scope(const CompileScope::Limit& limit) {
  const CompileScope* scope = CompileScope::current();
  const CompileScope::Limit left = scope == nullptr ? std::nullopt : scope->time_left();
  return limit && left ? std::min(*limit, *left) : (limit ? limit : left);
}

}  // namespace kmux
