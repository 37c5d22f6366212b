; Barriers: of a block that runs in lockstep they vanish; else warps are left at them, and continued.
; RUN: kmux-opt --passes=grid --block=64 %s | FileCheck %s --check-prefix=LOCKSTEP
; RUN: kmux-opt --passes=grid %s | FileCheck %s --check-prefix=STATES
declare i32 @"kmux.thread.x"() nounwind willreturn memory(none)
declare void @"kmux.barrier"() convergent

; LOCKSTEP-NOT: on fibers
; LOCKSTEP-LABEL: define internal void @exchange.blocks(
; LOCKSTEP-SAME: #[[BLOCKS:[0-9]+]] {
; LOCKSTEP-NOT: switch
; LOCKSTEP-NOT: kmux.barrier
; LOCKSTEP: [[FIRST:%.*]] = load <32 x i32>, ptr
; LOCKSTEP-NEXT: [[SECOND:%.*]] = load <32 x i32>, ptr
; LOCKSTEP-NOT: switch
; LOCKSTEP-NOT: kmux.barrier
; LOCKSTEP: call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> [[FIRST]],
; LOCKSTEP-NEXT: call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> [[SECOND]],
; LOCKSTEP-NOT: switch
; LOCKSTEP-NOT: kmux.barrier
; LOCKSTEP-LABEL: define i32 @exchange(
; LOCKSTEP: call i32 @kmux_cpu_run(ptr %0, ptr @exchange.facts, ptr %{{.*}})

; STATES-LABEL: define internal void @exchange.blocks(
; STATES: {{^}}warp:
; STATES: switch i32 %{{.*}}, label %next [
; STATES-NEXT: i32 0, label %body
; STATES-NEXT: i32 1, label %[[AFTER:.*]]
; STATES: {{^}}[[AFTER]]:
; STATES: call void @llvm.masked.scatter.v32i32.v32p0(
define void @exchange(ptr %x, i32 %n) {
entry:
  %t = call i32 @"kmux.thread.x"()
  %first = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %first
  call void @"kmux.barrier"()
  %other = xor i32 %t, 32
  %second = getelementptr i32, ptr %x, i32 %other
  store i32 %v, ptr %second
  ret void
}

; What a loop computes is kept for later once the loop has ended, not in each iteration.
; STATES-LABEL: define internal void @sum.blocks(
; STATES: {{^}}loop.i:
; STATES-NOT: store float
; STATES: [[MORE:%.*]] = fadd float
; STATES-NOT: store float
; STATES: br i1 %{{.*}}, label %after.i, label %loop.i
; STATES: {{^}}after.i:
; STATES-NEXT: [[SUM:%.*]] = phi float [ [[MORE]], %loop.i ]
; STATES-NEXT: [[PLACE:%.*]] = getelementptr inbounds i8, ptr %frame, i64 {{[0-9]+}}
; STATES-NEXT: store float [[SUM]], ptr [[PLACE]]
; STATES: {{^}}loop.all.i:
; STATES-NOT: store float
; STATES: fadd float
; STATES-NOT: store float
; STATES: br i1 %{{.*}}, label %after.all.i, label %loop.all.i
define void @sum(ptr %x, i32 %n) {
entry:
  %t = call i32 @"kmux.thread.x"()
  %place = getelementptr float, ptr %x, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %at
  %more = fadd float %sum, %v
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %after, label %loop
after:
  call void @"kmux.barrier"()
  store float %more, ptr %place
  ret void
}

; Vectors that leave registers are aligned more than the stack is.
; LOCKSTEP: attributes #[[BLOCKS]] = { {{.*}}"stackrealign"
