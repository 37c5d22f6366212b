; A load of a row whose places descend from lane to lane.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define internal void @k(
; CHECK: {{^}}row:
; CHECK-NEXT: [[ROW:%[0-9]+]] = load <32 x float>, ptr
; CHECK-NEXT: shufflevector <32 x float> [[ROW]], <32 x float> poison, <32 x i32> <i32 31, i32 30, {{.*}}, i32 1, i32 0>
define void @k(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %m = mul i32 %lane, -1
  %i = add nsw i32 %m, 31
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}
