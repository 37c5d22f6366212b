; Copies and fills of one record per lane.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: define internal void @copied(
; CHECK: [[ROW:%[0-9]+]] = load <64 x i64>, ptr {{%[0-9]+}}, align 1
; CHECK-NEXT: store <64 x i64> [[ROW]], ptr {{%[0-9]+}}, align 1
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @copied(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %p = getelementptr [16 x i8], ptr %x, i64 %wide
  %q = getelementptr [16 x i8], ptr %y, i64 %wide
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 16, i1 false)
  ret void
}

; 16 bytes of each 20.
; CHECK-LABEL: define internal void @gaps(
; CHECK-NOT: {{load|store}} <
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr {{%[0-9]+}}, ptr {{%[0-9]+}}, i64 16, i1 false)
; CHECK-NOT: {{load|store}} <
; CHECK: ret void
; CHECK-NEXT: }
define void @gaps(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %p = getelementptr [20 x i8], ptr %x, i64 %wide
  %q = getelementptr [20 x i8], ptr %y, i64 %wide
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 16, i1 false)
  ret void
}

; CHECK-LABEL: define internal void @nothing(
; CHECK-NOT: {{load|store}} <
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %1, ptr %0, i64 0, i1 false)
; CHECK-NOT: {{load|store}} <
; CHECK: ret void
; CHECK-NEXT: }
define void @nothing(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 0, i1 false)
  ret void
}

; 12 bytes are three words of 0x01010101.
; CHECK-LABEL: define internal void @set(
; CHECK: store <96 x i32> <{{(i32 16843009(, )?){96}>}}, ptr {{%[0-9]+}}, align 1
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @set(ptr %x, ptr %y, float %f) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %q = getelementptr [12 x i8], ptr %y, i64 %wide
  call void @llvm.memset.p0.i64(ptr %q, i8 1, i64 12, i1 false)
  ret void
}
