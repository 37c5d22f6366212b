; The warps of a block of 512 threads that run in lockstep.
; RUN: kmux-opt --passes=print-lockstep --block=32,16,1 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare void @"kmux.barrier"() convergent

; All 16, which then need no frames at barriers.
; CHECK: {{^}}; with_barrier: 16 warps in lockstep{{$}}
define void @with_barrier(ptr %x) {
entry:
  %i = call i32 @"kmux.lane"()
  br label %loop
loop:
  call void @"kmux.barrier"()
  store volatile i32 %i, ptr %x
  br label %loop
}

; CHECK-NEXT: {{^}}; without_barrier: 8 warps in lockstep{{$}}
define void @without_barrier(ptr %x) {
entry:
  %i = call i32 @"kmux.lane"()
  br label %loop
loop:
  store volatile i32 %i, ptr %x
  br label %loop
}
