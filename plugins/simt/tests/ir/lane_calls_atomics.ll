; Atomics, which lanes do one after another: plain in shared memory, since one thread of the processor runs a block.
; RUN: kmux-opt --passes=vectorize --lanes=32 --warps=1 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare ptr @"kmux.shared"(i64) nounwind willreturn memory(none)
attributes #0 = { "target-features"="+avx512f" }

; A thread has a place %p in shared memory, and %q at an arbitrary address.

; CHECK-LABEL: define internal void @shared_memory(
; CHECK-NOT: atomicrmw
; CHECK: {{^}}lanes:
; CHECK-NOT: atomicrmw
; CHECK: %[[PLACE:.+]] = load ptr, ptr
; CHECK-NEXT: %[[OLD:.+]] = load i32, ptr %[[PLACE]]
; CHECK-NEXT: %[[NEW:.+]] = add i32 %[[OLD]], 1
; CHECK-NEXT: store i32 %[[NEW]], ptr %[[PLACE]]
; CHECK-NOT: atomicrmw
; CHECK: br i1 %{{.+}}, label %lanes, label %lanes.end, !llvm.loop
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @shared_memory(ptr %x, ptr %y, i1 %which) #0 {
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
  %old = atomicrmw add ptr %p, i32 1 monotonic
  store i32 %old, ptr %from
  ret void
}

; CHECK-LABEL: define internal void @arbitrary_memory(
; CHECK: {{^}}lanes:
; CHECK-COUNT-4: atomicrmw add ptr %{{.+}}, i32 1 monotonic
; CHECK: br i1 %{{.+}}, label %lanes, label %lanes.end, !llvm.loop
define void @arbitrary_memory(ptr %x, ptr %y, i1 %which) #0 {
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
  %old = atomicrmw add ptr %q, i32 1 monotonic
  ret void
}

; CHECK-LABEL: define internal void @either_memory(
; CHECK: {{^}}lanes:
; CHECK-COUNT-4: atomicrmw add ptr %{{.+}}, i32 1 monotonic
; CHECK: br i1 %{{.+}}, label %lanes, label %lanes.end, !llvm.loop
define void @either_memory(ptr %x, ptr %y, i1 %which) #0 {
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
  %r = select i1 %which, ptr %p, ptr %q
  %old = atomicrmw add ptr %r, i32 1 monotonic
  ret void
}

; CHECK-LABEL: define internal void @volatile_access(
; CHECK: {{^}}lanes:
; CHECK-COUNT-4: atomicrmw volatile add ptr %{{.+}}, i32 1 monotonic
; CHECK: br i1 %{{.+}}, label %lanes, label %lanes.end, !llvm.loop
define void @volatile_access(ptr %x, ptr %y, i1 %which) #0 {
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
  %old = atomicrmw volatile add ptr %p, i32 1 monotonic
  ret void
}
