; Tiles that all blocks of a column of the grid read: the first block packs them. The others read them from there, in a separate
; loop.
; RUN: kmux-opt --passes=inline-calls,tile-prefetch --block=16,8,1 --lanes=16 --warps=8 %s | FileCheck %s
declare void @"kmux.barrier"() convergent
declare i32 @"kmux.block.y"() nounwind willreturn memory(none)
declare void @other()

; CHECK-LABEL: define void @tiles_of_column(
; CHECK: %[[PACKED:.+]] = call ptr @kmux.packed()
; CHECK-NEXT: %[[FILLED:.+]] = load i32, ptr %[[PACKED]]
; CHECK: {{^}}loop:
; CHECK-COUNT-8: load <16 x float>
; CHECK-COUNT-8: store <16 x float> %v{{[0-7]}}.i, ptr
; CHECK: {{^}}end:
; CHECK: {{^}}loop.packed:
; CHECK: %[[FIRST:.+]] = getelementptr inbounds i8, ptr %[[PACKED]], i64 64
; CHECK: %[[TILE:.+]] = getelementptr inbounds i8, ptr %[[FIRST]], i64
; CHECK: %[[ROW0:.+]] = getelementptr inbounds i8, ptr %[[TILE]], i64 0
; CHECK: %[[ROW7:.+]] = getelementptr inbounds i8, ptr %[[TILE]], i64 448
; CHECK: %v0.i.packed = load <16 x float>, ptr %[[ROW0]]
; CHECK: %v7.i.packed = load <16 x float>, ptr %[[ROW7]]
; CHECK-NOT: store <16 x float>
; CHECK: {{^}}here:
; CHECK: %[[MORE:.+]] = icmp ult i32 %{{.+}}, %[[FILLED]]
; CHECK-NEXT: br i1 %[[MORE]], label %loop.packed, label %loop
define void @tiles_of_column(ptr %b, ptr %c, i32 %n) {
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

; CHECK-LABEL: define void @near_tiles(
; CHECK: call ptr @kmux.packed()
; CHECK: {{^}}loop.packed:
; CHECK-COUNT-8: load <16 x float>
define void @near_tiles(ptr %b, ptr %c, i32 %n) {
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

; CHECK-LABEL: define void @stores_around_loop(
; CHECK: call ptr @kmux.packed()
; CHECK: {{^}}loop.packed:
; CHECK-COUNT-8: load <16 x float>
define void @stores_around_loop(ptr %b, ptr %c, i32 %n) {
entry:
  store i32 1, ptr %c
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
  store i32 2, ptr %c
  ret void
}

; CHECK-LABEL: define void @row_index_elsewhere(
; CHECK: call ptr @kmux.packed()
; CHECK: {{^}}loop.packed:
; CHECK-COUNT-8: load <16 x float>
define void @row_index_elsewhere(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @"kmux.block.y"()
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
  store i32 %y, ptr %c
  ret void
}

; The tile depends on the row here and in the next two cases.
; CHECK-LABEL: define void @row_in_index(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
define void @row_in_index(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @"kmux.block.y"()
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %q = mul i32 %t, %n
  %i = add i32 %q, %y
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

; CHECK-LABEL: define void @row_in_address(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
define void @row_in_address(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @"kmux.block.y"()
  %p = getelementptr float, ptr %b, i32 %y
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = mul nsw i32 %t, %n
  %tile = call <16 x float> @tile(ptr %p, i32 %i, i32 %n)
  call void @"kmux.barrier"()
  %sum = call <16 x float> @work(<16 x float> %s, <16 x float> %tile)
  %next = add nsw i32 %t, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <16 x float> %sum, ptr %c
  ret void
}

; CHECK-LABEL: define void @loaded_number_in_index(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
define void @loaded_number_in_index(ptr %b, ptr %c, i32 %n) {
entry:
  %y = load i32, ptr %c
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = add i32 %t, %y
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

; Packing is not worth it.
; CHECK-LABEL: define void @little_work_for_tile(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
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

; Below, a block may wait for another one, or read data that it has written.
; CHECK-LABEL: define void @atomic(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
define void @atomic(ptr %b, ptr %c, i32 %n) {
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
  %o = atomicrmw add ptr %c, i32 1 monotonic
  ret void
}

; CHECK-LABEL: define void @ordered(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
define void @ordered(ptr %b, ptr %c, i32 %n) {
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
  fence seq_cst
  ret void
}

; CHECK-LABEL: define void @volatile_load(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
define void @volatile_load(ptr %b, ptr %c, i32 %n) {
entry:
  %f = load volatile i32, ptr %c
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

; CHECK-LABEL: define void @volatile_store(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
define void @volatile_store(ptr %b, ptr %c, i32 %n) {
entry:
  store volatile i32 0, ptr %c
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

; CHECK-LABEL: define void @unknown_call(
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{kmux.packed|loop.packed:}}
; CHECK: ret void
; CHECK-NOT: {{kmux.packed|loop.packed:}}
define void @unknown_call(ptr %b, ptr %c, i32 %n) {
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
  call void @other()
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
