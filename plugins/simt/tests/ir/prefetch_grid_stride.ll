; Loops that stride over the grid: once such a loop has covered more than caches hold, a copy of it prefetches.
; RUN: kmux-opt --passes=prefetch --block=512 --lanes=32 --warps=8 %s | FileCheck %s
declare i32 @"kmux.block.x"() nounwind willreturn memory(none)
declare i32 @"kmux.grid_dim.x"() nounwind willreturn memory(none)

; The vectorized form of a sum.
; CHECK-LABEL: define void @sum(
; The loop itself runs until it has covered what caches hold.
; CHECK: {{^}}loop:
; CHECK: %gone = phi i32 [ 0, %entry ], [ [[COVERED:%.*]], %enough ]
; CHECK-NOT: prefetch
; CHECK: [[COVERED]] = add i32 %gone, %step
; CHECK: br i1 %again, label %enough, label %end
; The sum of either loop.
; CHECK: {{^}}end:
; CHECK-NEXT: [[SUM:%.*]] = phi <32 x float> [ %more, %loop ], [ %more.far, %loop.far ]
; CHECK-NEXT: store <32 x float> [[SUM]], ptr %x
; CHECK: {{^}}enough:
; CHECK-NEXT: [[IS_NEAR:%.*]] = icmp ult i32 [[COVERED]], 131072
; CHECK-NEXT: br i1 [[IS_NEAR]], label %loop, label %far
; CHECK: {{^}}far:
; CHECK-NEXT: [[AHEAD:%.*]] = mul i32 %step, 16
; CHECK-NEXT: br label %loop.far
; CHECK: {{^}}loop.far:
; CHECK: %i.far = phi i32 [ %next, %far ], [ %next.far, %loop.far ]
; CHECK: %sum.far = phi <32 x float> [ %more, %far ], [ %more.far, %loop.far ]
; CHECK: [[LATER:%.*]] = add i32 %i.far, [[AHEAD]]
; CHECK: [[WIDE:%.*]] = sext i32 [[LATER]] to i64
; CHECK: [[PLACE:%.*]] = getelementptr float, ptr %x, i64 [[WIDE]]
; CHECK: [[LINE:%.*]] = getelementptr i8, ptr [[PLACE]], i64 0
; CHECK: call void @llvm.prefetch.p0(ptr [[LINE]], i32 0, i32 2, i32 1)
; CHECK: [[NEXT_LINE:%.*]] = getelementptr i8, ptr [[PLACE]], i64 64
; CHECK: call void @llvm.prefetch.p0(ptr [[NEXT_LINE]], i32 0, i32 2, i32 1)
; CHECK: %v.far = load <32 x float>, ptr %place.far
; CHECK: %more.far = fadd <32 x float> %sum.far, %v.far
; CHECK: br i1 %again.far, label %loop.far, label %end
; The warps of a block are not all in lockstep, so that it takes no turns.
; CHECK-NOT: kmux.turn
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
