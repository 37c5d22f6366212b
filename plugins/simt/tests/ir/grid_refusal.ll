; A kernel that runs neither vectorized nor on fibers is refused.
; RUN: not kmux-opt --passes=grid --block=64 %s | FileCheck %s
; CHECK: kmux-opt: unsupported: "k" has the inline assembly "bar.sync 0;", which is not for this processor.
define void @k(ptr %x, i32 %n) {
  call void asm sideeffect "bar.sync 0;", ""()
  ret void
}
