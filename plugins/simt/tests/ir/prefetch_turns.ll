; Blocks take turns in loops that stride over the grid, if they may run in any order until then.
; RUN: kmux-opt --passes=prefetch --block=256 --lanes=32 --warps=8 %s | FileCheck %s
declare i32 @"kmux.block.x"() nounwind willreturn memory(none)
declare i32 @"kmux.grid_dim.x"() nounwind willreturn memory(none)
declare ptr @"kmux.shared"(i64) nounwind willreturn memory(none)
declare void @"kmux.barrier"() convergent

; A block yields after the first iteration of the copy, and then after every 8.
; CHECK-LABEL: define void @sum(
; CHECK: {{^}}far:
; CHECK-NEXT: [[AHEAD:%.*]] = mul i32 %step, 8
; CHECK: {{^}}loop.far:
; CHECK: %left = phi i32 [ 1, %far ], [ [[LEFT:%.*]], %[[MORE:.*]] ], [ 8, %pause ]
; CHECK: add i32 %i.far, [[AHEAD]]
; CHECK: call void @llvm.prefetch.p0(
; CHECK: br i1 %again.far, label %[[MORE]], label %end
; CHECK: {{^}}[[MORE]]:
; CHECK-NEXT: [[LEFT]] = sub i32 %left, 1
; CHECK-NEXT: [[IS_OVER:%.*]] = icmp eq i32 [[LEFT]], 0
; CHECK-NEXT: br i1 [[IS_OVER]], label %pause, label %loop.far
; CHECK: {{^}}pause:
; CHECK-NEXT: call void @kmux.turn()
; CHECK-NEXT: br label %loop.far
define void @sum(ptr %x, i32 %n, i32 %other) {
entry:
  %blocks = call i32 @"kmux.grid_dim.x"()
  %step = shl i32 %blocks, 8
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %v = load <32 x float>, ptr %place
  %more = fadd <32 x float> %sum, %v
  %next = add i32 %i, %step
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <32 x float> %more, ptr %x
  ret void
}

; CHECK-LABEL: define void @after_store(
; CHECK: mul i32 %step, 8
; CHECK: call void @kmux.turn()
define void @after_store(ptr %x, i32 %n, i32 %other) {
entry:
  %blocks = call i32 @"kmux.grid_dim.x"()
  %step = shl i32 %blocks, 8
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  store i32 %n, ptr %x
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %v = load <32 x float>, ptr %place
  %more = fadd <32 x float> %sum, %v
  %next = add i32 %i, %step
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <32 x float> %more, ptr %x
  ret void
}

; Another block would overwrite the shared memory.
; CHECK-LABEL: define void @after_shared_store(
; CHECK-NOT: kmux.turn
; CHECK: mul i32 %step, 16
; CHECK-NOT: kmux.turn
; CHECK: {{^}}loop.far:
; CHECK-NOT: kmux.turn
define void @after_shared_store(ptr %x, i32 %n, i32 %other) {
entry:
  %blocks = call i32 @"kmux.grid_dim.x"()
  %step = shl i32 %blocks, 8
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  %shared = call ptr @"kmux.shared"(i64 0)
  store i32 %n, ptr %shared
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %v = load <32 x float>, ptr %place
  %more = fadd <32 x float> %sum, %v
  %next = add i32 %i, %step
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <32 x float> %more, ptr %x
  ret void
}

; CHECK-LABEL: define void @after_barrier(
; CHECK-NOT: kmux.turn
; CHECK: mul i32 %step, 16
; CHECK-NOT: kmux.turn
; CHECK: {{^}}loop.far:
; CHECK-NOT: kmux.turn
define void @after_barrier(ptr %x, i32 %n, i32 %other) {
entry:
  %blocks = call i32 @"kmux.grid_dim.x"()
  %step = shl i32 %blocks, 8
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  call void @"kmux.barrier"()
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %v = load <32 x float>, ptr %place
  %more = fadd <32 x float> %sum, %v
  %next = add i32 %i, %step
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <32 x float> %more, ptr %x
  ret void
}

; CHECK-LABEL: define void @after_atomic(
; CHECK-NOT: kmux.turn
; CHECK: mul i32 %step, 16
; CHECK-NOT: kmux.turn
; CHECK: {{^}}loop.far:
; CHECK-NOT: kmux.turn
define void @after_atomic(ptr %x, i32 %n, i32 %other) {
entry:
  %blocks = call i32 @"kmux.grid_dim.x"()
  %step = shl i32 %blocks, 8
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  %a = atomicrmw add ptr %x, i32 1 monotonic
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %v = load <32 x float>, ptr %place
  %more = fadd <32 x float> %sum, %v
  %next = add i32 %i, %step
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <32 x float> %more, ptr %x
  ret void
}

; The end of the last function for the checks above.
; CHECK-LABEL: declare void @kmux.turn()
