; Rows of shared memory that each of two warps in lockstep stores and all load again.
; RUN: kmux-opt --passes=shared-forwarding --block=16,2,1 --lanes=16 --warps=2 %s | FileCheck %s
; Warps that run one after another keep all of it:
; RUN: kmux-opt --passes=shared-forwarding --block=16,2,1 --lanes=16 --warps=1 %s | FileCheck %s --check-prefix=ONE
declare void @"kmux.barrier"() convergent
declare ptr @"kmux.shared"(i64) nounwind willreturn memory(none)
declare i32 @"kmux.warp.y"(i32) nounwind willreturn memory(none)

; The load is of the second row.
; CHECK-LABEL: define void @stores_and_loads(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK-NOT: {{%l = load|store <16 x float> %v, ptr %[sp]}}
; CHECK: call void @kmux.barrier()
; CHECK-NOT: {{%l = load|store <16 x float> %v, ptr %[sp]}}
; CHECK: store <16 x float> %v, ptr %x
; CHECK-NEXT: ret void

; ONE-LABEL: define void @stores_and_loads(
; ONE: store <16 x float> %v, ptr %p0
; ONE: store <16 x float> %v, ptr %p1
; ONE-NEXT: call void @kmux.barrier()
; ONE-NEXT: %q = getelementptr i8, ptr %s, i64 64
; ONE-NEXT: %l = load <16 x float>, ptr %q
; ONE-NEXT: store <16 x float> %l, ptr %x
define void @stores_and_loads(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  ret void
}

; CHECK-LABEL: define void @store_elsewhere(
; ONE-LABEL: define void @store_elsewhere(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK-NOT: {{%l = load|store <16 x float> %v, ptr %[sp]}}
; CHECK: store i32 1, ptr %x
; CHECK: call void @kmux.barrier()
; CHECK-NOT: {{%l = load|store <16 x float> %v, ptr %[sp]}}
; CHECK: store <16 x float> %v, ptr %x
; CHECK-NEXT: ret void
define void @store_elsewhere(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  store i32 1, ptr %x
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  ret void
}

; The stores are kept: the memory is read again.
; CHECK-LABEL: define void @other_load(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK: store <16 x float> %v, ptr %s
; CHECK: store <16 x float> %v, ptr %p1
; CHECK: call void @kmux.barrier()
; CHECK-NOT: %l = load
; CHECK: store <16 x float> %v, ptr %x
; CHECK-NEXT: %m = load float, ptr %p1
define void @other_load(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  %m = load float, ptr %p1
  ret void
}

; The memory may be read elsewhere.
; CHECK-LABEL: define void @stored_address(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK: store <16 x float> %v, ptr %s
; CHECK: store <16 x float> %v, ptr %p1
; CHECK: call void @kmux.barrier()
; CHECK-NOT: %l = load
; CHECK: store <16 x float> %v, ptr %x
; CHECK-NEXT: store ptr %s, ptr %x
define void @stored_address(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  store ptr %s, ptr %x
  ret void
}

; Below, the second row may be written between its store and its load.
; CHECK-LABEL: define void @store_to_row(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK: store <16 x float> %v, ptr %s
; CHECK: store <16 x float> %v, ptr %p1
; CHECK: store float 1.000000e+00, ptr %p1
; CHECK-NEXT: call void @kmux.barrier()
; CHECK: %l = load <16 x float>, ptr %q
; CHECK-NEXT: store <16 x float> %l, ptr %x
define void @store_to_row(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  store float 1.0, ptr %p1
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  ret void
}

; CHECK-LABEL: define void @store_at_unknown_place(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK: store <16 x float> %v, ptr %s
; CHECK: store <16 x float> %v, ptr %p1
; CHECK: store float 1.000000e+00, ptr %z
; CHECK-NEXT: call void @kmux.barrier()
; CHECK: %l = load <16 x float>, ptr %q
; CHECK-NEXT: store <16 x float> %l, ptr %x
define void @store_at_unknown_place(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  %z = getelementptr float, ptr %s, i32 %n
  store float 1.0, ptr %z
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  ret void
}

; CHECK-LABEL: define void @volatile_store(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK: store <16 x float> %v, ptr %s
; CHECK: store <16 x float> %v, ptr %p1
; CHECK: store volatile float 1.000000e+00, ptr %s
; CHECK-NEXT: call void @kmux.barrier()
; CHECK: %l = load <16 x float>, ptr %q
; CHECK-NEXT: store <16 x float> %l, ptr %x
define void @volatile_store(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  store volatile float 1.0, ptr %p0
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  ret void
}

; CHECK-LABEL: define void @atomic(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK: store <16 x float> %v, ptr %s
; CHECK: store <16 x float> %v, ptr %p1
; CHECK: %o = atomicrmw add ptr %p1, i32 1 monotonic
; CHECK-NEXT: call void @kmux.barrier()
; CHECK: %l = load <16 x float>, ptr %q
; CHECK-NEXT: store <16 x float> %l, ptr %x
define void @atomic(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  %o = atomicrmw add ptr %p1, i32 1 monotonic
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  ret void
}

; CHECK-LABEL: define void @store_to_unknown_address(
; CHECK: %v = load <16 x float>, ptr %x
; CHECK: store <16 x float> %v, ptr %s
; CHECK: store <16 x float> %v, ptr %p1
; CHECK: store i32 0, ptr %z
; CHECK-NEXT: call void @kmux.barrier()
; CHECK: %l = load <16 x float>, ptr %q
; CHECK-NEXT: store <16 x float> %l, ptr %x
define void @store_to_unknown_address(ptr %x, i32 %n) {
  %s = call ptr @"kmux.shared"(i64 64)
  %v = load <16 x float>, ptr %x
  %w0 = call i32 @"kmux.warp.y"(i32 0)
  %r0 = zext i32 %w0 to i64
  %p0 = getelementptr [16 x float], ptr %s, i64 %r0
  store <16 x float> %v, ptr %p0
  %w1 = call i32 @"kmux.warp.y"(i32 1)
  %r1 = zext i32 %w1 to i64
  %p1 = getelementptr [16 x float], ptr %s, i64 %r1
  store <16 x float> %v, ptr %p1
  %z = load ptr, ptr %x
  store i32 0, ptr %z
  call void @"kmux.barrier"()
  %q = getelementptr i8, ptr %s, i64 64
  %l = load <16 x float>, ptr %q
  store <16 x float> %l, ptr %x
  ret void
}
