; Copies of data in shared memory that is read elsewhere, before it is written, or at another place than the copy: they are not kept
; for other blocks.
; RUN: kmux-opt --passes=inline-calls,tile-prefetch --block=16,8,1 --lanes=16 --warps=8 %s | FileCheck %s
declare void @"kmux.barrier"() convergent
declare ptr @"kmux.shared"(i64) nounwind willreturn memory(none)

; This copy would be kept: the cases below differ from it in one place each.
; CHECK-LABEL: define void @read_of_last_element(
; CHECK: call ptr @kmux.packed()
; CHECK: call ptr @kmux.kept()
; CHECK: {{^}}loop.packed:
; CHECK: {{^}}loop.kept:
define void @read_of_last_element(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 60
  %e = load float, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @read_behind_copy(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @read_behind_copy(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 61
  %e = load float, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @read_before_copy(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @read_before_copy(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 -4
  %e = load float, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @read_before_store(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @read_before_store(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  %early = load float, ptr %shared
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 60
  %e = load float, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @store_after_barrier(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @store_after_barrier(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 60
  %e = load float, ptr %g
  store i32 0, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @read_at_unknown_place(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @read_at_unknown_place(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 60
  %e = load float, ptr %g
  %o = getelementptr float, ptr %shared, i32 %t
  %p = load float, ptr %o
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @store_before_loop(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @store_before_loop(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  store i32 0, ptr %shared
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 60
  %e = load float, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @read_after_loop(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @read_after_loop(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 60
  %e = load float, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  %last = load float, ptr %shared
  ret void
}

; CHECK-LABEL: define void @stored_address(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @stored_address(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 60
  %e = load float, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  store ptr %shared, ptr %c
  ret void
}

; CHECK-LABEL: define void @second_address(
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: call ptr @kmux.packed()
; CHECK-NOT: {{kmux.kept|loop.kept:}}
; CHECK: {{^}}loop.packed:
; CHECK-NOT: {{kmux.kept|loop.kept:}}
define void @second_address(ptr %b, ptr %c, i32 %n) {
entry:
  %shared = call ptr @"kmux.shared"(i64 0)
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %b, i32 %i, i32 %n)
  %q = getelementptr float, ptr %c, i32 %t
  %m = load <16 x float>, ptr %q
  store <16 x float> %m, ptr %shared
  call void @"kmux.barrier"()
  %g = getelementptr i8, ptr %shared, i64 60
  %e = load float, ptr %g
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  %second = call ptr @"kmux.shared"(i64 0)
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
