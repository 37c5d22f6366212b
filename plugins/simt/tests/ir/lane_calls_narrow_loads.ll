; Loads of 8- and 16-bit numbers at scattered places: gathers of the words around them.
; RUN: kmux-opt --passes=vectorize --lanes=32 --warps=1 %s | FileCheck %s --implicit-check-not=gather.v32i8 --implicit-check-not=gather.v32f16
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare ptr @"kmux.shared"(i64) nounwind willreturn memory(none)
attributes #0 = { "target-features"="+avx512f" }

; A thread has a place %p in shared memory, and %q at an arbitrary address.

; CHECK-LABEL: define internal void @bytes(
; CHECK: %[[PLACES:.+]] = call <32 x ptr> @llvm.ptrmask.v32p0.v32i64(
; CHECK-NEXT: %[[WORDS:.+]] = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> %[[PLACES]], i32 4,
; CHECK: %[[BYTES:.+]] = lshr <32 x i32> %[[WORDS]], %{{.+}}
; CHECK-NEXT: trunc <32 x i32> %[[BYTES]] to <32 x i8>
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
  %v = load i8, ptr %q
  store i8 %v, ptr %y
  ret void
}

; CHECK-LABEL: define internal void @halves(
; CHECK: %[[PLACES:.+]] = call <32 x ptr> @llvm.ptrmask.v32p0.v32i64(
; CHECK-NEXT: %[[WORDS:.+]] = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> %[[PLACES]], i32 4,
; CHECK: %[[BITS:.+]] = lshr <32 x i32> %[[WORDS]], %{{.+}}
; CHECK-NEXT: %[[SHORTS:.+]] = trunc <32 x i32> %[[BITS]] to <32 x i16>
; CHECK-NEXT: bitcast <32 x i16> %[[SHORTS]] to <32 x half>
; CHECK: ret void
define void @halves(ptr %x, ptr %y, i1 %which) #0 {
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
  %v = load half, ptr %q, align 2
  store half %v, ptr %y
  ret void
}

; A number without alignment may lie in two words.
; CHECK-LABEL: define internal void @packed_shorts(
; CHECK-NOT: masked.gather
; CHECK: {{^}}lanes:
; CHECK-NOT: masked.gather
; CHECK: load i16, ptr %{{.+}}, align 1
; CHECK-NOT: masked.gather
; CHECK: ret void
define void @packed_shorts(ptr %x, ptr %y, i1 %which) #0 {
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
  %v = load i16, ptr %q, align 1
  store i16 %v, ptr %y
  ret void
}
