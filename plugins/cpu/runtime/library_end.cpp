// A library may be closed while the process goes on: no thread may be in its code then, and no ending thread may call it.
#include "runtime/arena.h"
#include "runtime/pool.h"

namespace kmux::cpu {
namespace {

__attribute__((destructor)) void end_library() {
  pool().stop();
  close_arenas();
}

}  // namespace
}  // namespace kmux::cpu
