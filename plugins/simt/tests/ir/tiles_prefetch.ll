; Prefetches for the rows of the next tile, in loops over tiles of eight rows whose warps all run in lockstep.
; RUN: kmux-opt --passes=inline-calls,tile-prefetch --block=16,8,1 --lanes=16 --warps=8 %s | FileCheck %s
; RUN: kmux-opt --passes=inline-calls,tile-prefetch --block=16,8,1 --lanes=16 --warps=8 %s | FileCheck %s --check-prefix=SPACED
; Half of the warps in lockstep, a block of one row, and a block of unknown size:
; RUN: kmux-opt --passes=inline-calls,tile-prefetch --block=16,8,1 --lanes=16 --warps=4 %s | FileCheck %s --check-prefix=OTHER
; RUN: kmux-opt --passes=inline-calls,tile-prefetch --block=128,1,1 --lanes=16 --warps=8 %s | FileCheck %s --check-prefix=OTHER
; RUN: kmux-opt --passes=inline-calls,tile-prefetch --lanes=16 --warps=1 %s | FileCheck %s --check-prefix=OTHER
; OTHER-NOT: llvm.prefetch
; OTHER-LABEL: define void @distant_rows(
; OTHER-COUNT-8: load <16 x float>
; OTHER-NOT: llvm.prefetch
declare void @"kmux.barrier"() convergent
declare ptr @"kmux.shared"(i64) nounwind willreturn memory(none)

; The next tile is as far from this one as this one is from the last.
; CHECK-LABEL: define void @distant_rows(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: {{^}}loop:
; CHECK-NEXT: %[[LAST:.+]] = phi i64 [ 0, %more ], [ 0, %here ], [ %[[HERE:.+]], %[[BODY:.+]] ]
; CHECK: %[[HERE]] = call i64 asm "", "=r,0"(i64 %{{.+}})
; CHECK-NEXT: %[[TWICE:.+]] = shl i64 %[[HERE]], 1
; CHECK-NEXT: sub i64 %[[TWICE]], %[[LAST]]
; CHECK-COUNT-8: call void @llvm.prefetch.p0(ptr %{{.+}}, i32 0, i32 2, i32 1)
; CHECK-NOT: call void @llvm.prefetch
; CHECK: {{^}}end:
; CHECK-NOT: call void @llvm.prefetch

; At least ten lines lie between two of the eight: a processor tracks about a dozen outstanding prefetches.
; SPACED-LABEL: define void @distant_rows(
; SPACED: call void @llvm.prefetch
; SPACED-COUNT-10: {{^  .+}}
; SPACED: call void @llvm.prefetch
; SPACED-COUNT-10: {{^  .+}}
; SPACED: call void @llvm.prefetch
; SPACED-COUNT-10: {{^  .+}}
; SPACED: call void @llvm.prefetch
; SPACED-COUNT-10: {{^  .+}}
; SPACED: call void @llvm.prefetch
; SPACED-COUNT-10: {{^  .+}}
; SPACED: call void @llvm.prefetch
; SPACED-COUNT-10: {{^  .+}}
; SPACED: call void @llvm.prefetch
; SPACED-COUNT-10: {{^  .+}}
; SPACED: call void @llvm.prefetch
define void @distant_rows(ptr %b, ptr %c, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @rows_at_constant_distance(
; SPACED-LABEL: define void @rows_at_constant_distance(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: {{^}}loop:
; CHECK-COUNT-8: call void @llvm.prefetch.p0(ptr %{{.+}}, i32 0, i32 2, i32 1)
; CHECK-NOT: call void @llvm.prefetch
; CHECK: {{^}}end:
; CHECK-NOT: call void @llvm.prefetch
define void @rows_at_constant_distance(ptr %b, ptr %c, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, 1024
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @index_that_may_wrap(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: {{^}}loop:
; CHECK-COUNT-8: call void @llvm.prefetch.p0(ptr %{{.+}}, i32 0, i32 2, i32 1)
; CHECK-NOT: call void @llvm.prefetch
; CHECK: {{^}}end:
; CHECK-NOT: call void @llvm.prefetch
define void @index_that_may_wrap(ptr %b, ptr %c, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; A hardware prefetcher follows one line after another.
; CHECK-LABEL: define void @near_rows(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
define void @near_rows(ptr %b, ptr %c, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = add nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; A processor itself looks that far ahead.
; CHECK-LABEL: define void @little_work_for_tile(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
define void @little_work_for_tile(ptr %b, ptr %c, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @little_work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; The place of the next tile is unknown here and in the next case.
; CHECK-LABEL: define void @loaded_index(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
define void @loaded_index(ptr %b, ptr %c, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %q = getelementptr i32, ptr %c, i32 %t
  %i = load i32, ptr %q
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @divided_index(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
define void @divided_index(ptr %b, ptr %c, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = udiv i32 %n, %t
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @tile_in_shared_memory(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
define void @tile_in_shared_memory(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %shared, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @loop_without_barrier(
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
define void @loop_without_barrier(ptr %b, ptr %c, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define internal <16 x float> @tile(
; The sum of a tile: eight rows, %n apart.
define internal <16 x float> @tile(ptr %from, i32 %i, i32 %n) {
  %r0 = add nsw i32 %i, 5
  %w0 = sext i32 %r0 to i64
  %p0 = getelementptr float, ptr %from, i64 %w0
  %v0 = load <16 x float>, ptr %p0
  %r1 = add nsw i32 %r0, %n
  %w1 = sext i32 %r1 to i64
  %p1 = getelementptr float, ptr %from, i64 %w1
  %v1 = load <16 x float>, ptr %p1
  %r2 = add nsw i32 %r1, %n
  %w2 = sext i32 %r2 to i64
  %p2 = getelementptr float, ptr %from, i64 %w2
  %v2 = load <16 x float>, ptr %p2
  %r3 = add nsw i32 %r2, %n
  %w3 = sext i32 %r3 to i64
  %p3 = getelementptr float, ptr %from, i64 %w3
  %v3 = load <16 x float>, ptr %p3
  %r4 = add nsw i32 %r3, %n
  %w4 = sext i32 %r4 to i64
  %p4 = getelementptr float, ptr %from, i64 %w4
  %v4 = load <16 x float>, ptr %p4
  %r5 = add nsw i32 %r4, %n
  %w5 = sext i32 %r5 to i64
  %p5 = getelementptr float, ptr %from, i64 %w5
  %v5 = load <16 x float>, ptr %p5
  %r6 = add nsw i32 %r5, %n
  %w6 = sext i32 %r6 to i64
  %p6 = getelementptr float, ptr %from, i64 %w6
  %v6 = load <16 x float>, ptr %p6
  %r7 = add nsw i32 %r6, %n
  %w7 = sext i32 %r7 to i64
  %p7 = getelementptr float, ptr %from, i64 %w7
  %v7 = load <16 x float>, ptr %p7
  %s1 = fadd <16 x float> %v0, %v1
  %s2 = fadd <16 x float> %s1, %v2
  %s3 = fadd <16 x float> %s2, %v3
  %s4 = fadd <16 x float> %s3, %v4
  %s5 = fadd <16 x float> %s4, %v5
  %s6 = fadd <16 x float> %s5, %v6
  %s7 = fadd <16 x float> %s6, %v7
  ret <16 x float> %s7
}

define internal <16 x float> @ten_additions(<16 x float> %s, <16 x float> %v) {
  %a1 = fadd <16 x float> %s, %v
  %a2 = fadd <16 x float> %a1, %v
  %a3 = fadd <16 x float> %a2, %v
  %a4 = fadd <16 x float> %a3, %v
  %a5 = fadd <16 x float> %a4, %v
  %a6 = fadd <16 x float> %a5, %v
  %a7 = fadd <16 x float> %a6, %v
  %a8 = fadd <16 x float> %a7, %v
  %a9 = fadd <16 x float> %a8, %v
  %a10 = fadd <16 x float> %a9, %v
  ret <16 x float> %a10
}

; 100 additions.
define internal <16 x float> @little_work(<16 x float> %s, <16 x float> %v) {
  %a1 = call <16 x float> @ten_additions(<16 x float> %s, <16 x float> %v)
  %a2 = call <16 x float> @ten_additions(<16 x float> %a1, <16 x float> %v)
  %a3 = call <16 x float> @ten_additions(<16 x float> %a2, <16 x float> %v)
  %a4 = call <16 x float> @ten_additions(<16 x float> %a3, <16 x float> %v)
  %a5 = call <16 x float> @ten_additions(<16 x float> %a4, <16 x float> %v)
  %a6 = call <16 x float> @ten_additions(<16 x float> %a5, <16 x float> %v)
  %a7 = call <16 x float> @ten_additions(<16 x float> %a6, <16 x float> %v)
  %a8 = call <16 x float> @ten_additions(<16 x float> %a7, <16 x float> %v)
  %a9 = call <16 x float> @ten_additions(<16 x float> %a8, <16 x float> %v)
  %a10 = call <16 x float> @ten_additions(<16 x float> %a9, <16 x float> %v)
  ret <16 x float> %a10
}

; 300 additions.
define internal <16 x float> @work(<16 x float> %s, <16 x float> %v) {
  %a1 = call <16 x float> @little_work(<16 x float> %s, <16 x float> %v)
  %a2 = call <16 x float> @little_work(<16 x float> %a1, <16 x float> %v)
  %a3 = call <16 x float> @little_work(<16 x float> %a2, <16 x float> %v)
  ret <16 x float> %a3
}
