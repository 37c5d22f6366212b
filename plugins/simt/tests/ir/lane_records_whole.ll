; Members of records that lanes read and write: one access for all members of all lanes, or one for each member.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define internal void @whole(
; CHECK-NOT: {{gather|scatter}}
; CHECK: load <64 x float>, ptr
; CHECK-NOT: {{gather|scatter}}
; CHECK: store <64 x float> {{%.*}}, ptr
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @whole(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %p = getelementptr [8 x i8], ptr %x, i64 %wide
  %q = getelementptr [8 x i8], ptr %y, i64 %wide
  %p4 = getelementptr i8, ptr %p, i64 4
  %q4 = getelementptr i8, ptr %q, i64 4
  %b = load float, ptr %p4
  %a = load float, ptr %p
  store float %a, ptr %q4
  store float %b, ptr %q
  ret void
}

; Half of each record of 16 bytes.
; CHECK-LABEL: define internal void @half_read(
; CHECK-NOT: load <
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: load <
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @half_read(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %p = getelementptr [16 x i8], ptr %x, i64 %wide
  %p4 = getelementptr i8, ptr %p, i64 4
  %b = load float, ptr %p4
  %a = load float, ptr %p
  ret void
}

; CHECK-LABEL: define internal void @half_written(
; CHECK-NOT: store <
; CHECK: call void @llvm.masked.scatter
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @half_written(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %q = getelementptr [8 x i8], ptr %y, i64 %wide
  %q4 = getelementptr i8, ptr %q, i64 4
  store float %f, ptr %q4
  ret void
}

; CHECK-LABEL: define internal void @written_twice(
; CHECK-NOT: store <
; CHECK: call void @llvm.masked.scatter
; CHECK-NOT: store <
; CHECK: call void @llvm.masked.scatter
; CHECK-NOT: store <
; CHECK: call void @llvm.masked.scatter
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @written_twice(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %q = getelementptr [8 x i8], ptr %y, i64 %wide
  %q4 = getelementptr i8, ptr %q, i64 4
  store float %f, ptr %q
  store float %f, ptr %q4
  store float 0.0, ptr %q
  ret void
}

; A processor that masks elements at no cost: partial records are stored by one access, with gaps.
; CHECK-LABEL: define internal void @masked(
; CHECK: call void @llvm.masked.store.v128f32.p0(<128 x float> {{.*}}, <128 x i1> <{{(i1 true, i1 false(, )?){64}>}})
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @masked(ptr %x, float %f) "target-features"="+avx512f" {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %p = getelementptr [16 x i8], ptr %x, i64 %wide
  %p8 = getelementptr i8, ptr %p, i64 8
  store float %f, ptr %p8
  store float %f, ptr %p
  ret void
}

; A store between two loads may change the result of the second one.
; CHECK-LABEL: define internal void @store_between_loads(
; CHECK-NOT: load <64
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK: store float {{%.*}}, ptr %1
; CHECK-NOT: load <64
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @store_between_loads(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %p = getelementptr [8 x i8], ptr %x, i64 %wide
  %p4 = getelementptr i8, ptr %p, i64 4
  %a = load float, ptr %p
  store float %a, ptr %y
  %b = load float, ptr %p4
  ret void
}

; CHECK-LABEL: define internal void @load_between_stores(
; CHECK-NOT: store <64
; CHECK: call void @llvm.masked.scatter
; CHECK: load float, ptr %0
; CHECK-NOT: store <64
; CHECK: call void @llvm.masked.scatter
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @load_between_stores(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %q = getelementptr [8 x i8], ptr %y, i64 %wide
  %q4 = getelementptr i8, ptr %q, i64 4
  store float %f, ptr %q
  %a = load float, ptr %x
  store float %a, ptr %q4
  ret void
}
