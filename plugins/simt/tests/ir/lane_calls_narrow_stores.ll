; Stores of bytes at scattered places: one loop over the lanes of all warps in lockstep, four of them in an iteration.
; RUN: kmux-opt --passes=vectorize --lanes=32 --warps=1 %s | FileCheck %s -DLANES=32 --implicit-check-not=masked.scatter
; RUN: kmux-opt --passes=vectorize --lanes=32 --warps=8 %s | FileCheck %s -DLANES=256 --implicit-check-not=masked.scatter
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare ptr @"kmux.shared"(i64) nounwind willreturn memory(none)
attributes #0 = { "target-features"="+avx512f" }

; A thread has a place %p in shared memory, and %q at an arbitrary address.

; CHECK-LABEL: define internal void @bytes(
; CHECK-NOT: store i8
; CHECK: {{^}}lanes:
; CHECK-COUNT-4: store i8 %{{.+}}, ptr %{{.+}}, align 1
; CHECK-NOT: store i8
; CHECK: %[[LEFT:.+]] = icmp ult i64 %{{.+}}, [[LANES]]
; CHECK-NEXT: br i1 %[[LEFT]], label %lanes, label %lanes.end, !llvm.loop
; CHECK-NOT: store i8
; CHECK: ret void
define void @bytes(ptr %x, ptr %y, i1 %which) #0 {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %from = getelementptr i32, ptr %y, i64 %wide
  %index = load i32, ptr %from
  %far = sext i32 %index to i64
  %shared = call ptr @"kmux.shared"(i64 0)
  %more = call ptr @"kmux.shared"(i64 64)
  %either = select i1 %which, ptr %shared, ptr %more
  %p = getelementptr i32, ptr %either, i64 %far
  %q = getelementptr i32, ptr %x, i64 %far
  %b = trunc i32 %index to i8
  store i8 %b, ptr %p
  ret void
}
