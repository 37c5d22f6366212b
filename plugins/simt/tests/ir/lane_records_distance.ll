; Members of records whose indices are a constant apart, provided that their sums do not wrap around.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
@s = internal global [256 x float] undef
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define internal void @or_disjoint(
; CHECK: [[ROW:%[0-9]+]] = load <64 x float>, ptr
; CHECK-NEXT: [[EVEN:%[0-9]+]] = shufflevector <64 x float> [[ROW]], {{.*}} <i32 0, i32 2, {{.*}}, i32 62>
; CHECK-NEXT: [[ODD:%[0-9]+]] = shufflevector <64 x float> [[ROW]], {{.*}} <i32 1, i32 3, {{.*}}, i32 63>
define void @or_disjoint(ptr %x, ptr %y) {
  %lane = call i32 @"kmux.lane"()
  %a = shl nuw nsw i32 %lane, 1
  %b = or disjoint i32 %a, 1
  %wa = sext i32 %a to i64
  %wb = sext i32 %b to i64
  %p = getelementptr float, ptr %x, i64 %wa
  %q = getelementptr float, ptr %x, i64 %wb
  %v = load float, ptr %q
  %w = load float, ptr %p
  %s = fadd float %v, %w
  store float %s, ptr %y
  ret void
}

; CHECK-LABEL: define internal void @add_nsw(
; CHECK: [[ROW:%[0-9]+]] = load <64 x float>, ptr
; CHECK-NEXT: [[EVEN:%[0-9]+]] = shufflevector <64 x float> [[ROW]], {{.*}} <i32 0, i32 2, {{.*}}, i32 62>
; CHECK-NEXT: [[ODD:%[0-9]+]] = shufflevector <64 x float> [[ROW]], {{.*}} <i32 1, i32 3, {{.*}}, i32 63>
; CHECK-NEXT: {{%[0-9]+}} = fadd <32 x float> [[ODD]], [[EVEN]]
; CHECK-NOT: gather
; CHECK: ret void
; CHECK-NEXT: }
define void @add_nsw(ptr %x, ptr %y) {
  %lane = call i32 @"kmux.lane"()
  %a = shl nuw nsw i32 %lane, 1
  %b = add nsw i32 %a, 1
  %wa = sext i32 %a to i64
  %wb = sext i32 %b to i64
  %p = getelementptr float, ptr %x, i64 %wa
  %q = getelementptr float, ptr %x, i64 %wb
  %v = load float, ptr %q
  %w = load float, ptr %p
  %s = fadd float %v, %w
  store float %s, ptr %y
  ret void
}

; CHECK-LABEL: define internal void @add_nsw_minus(
; CHECK: [[ROW:%[0-9]+]] = load <64 x float>, ptr
; CHECK-NEXT: [[EVEN:%[0-9]+]] = shufflevector <64 x float> [[ROW]], {{.*}} <i32 0, i32 2, {{.*}}, i32 62>
; CHECK-NEXT: [[ODD:%[0-9]+]] = shufflevector <64 x float> [[ROW]], {{.*}} <i32 1, i32 3, {{.*}}, i32 63>
; CHECK-NEXT: {{%[0-9]+}} = fadd <32 x float> [[EVEN]], [[ODD]]
; CHECK-NOT: gather
; CHECK: ret void
; CHECK-NEXT: }
define void @add_nsw_minus(ptr %x, ptr %y) {
  %lane = call i32 @"kmux.lane"()
  %a = shl nuw nsw i32 %lane, 1
  %b = add nsw i32 %a, -1
  %wa = sext i32 %a to i64
  %wb = sext i32 %b to i64
  %p = getelementptr float, ptr %x, i64 %wa
  %q = getelementptr float, ptr %x, i64 %wb
  %v = load float, ptr %q
  %w = load float, ptr %p
  %s = fadd float %v, %w
  store float %s, ptr %y
  ret void
}

; CHECK-LABEL: define internal void @or_plain(
; CHECK-NOT: load <64 x float>
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: load <64 x float>
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: load <64 x float>
; CHECK: ret void
; CHECK-NEXT: }
define void @or_plain(ptr %x, ptr %y) {
  %lane = call i32 @"kmux.lane"()
  %a = shl nuw nsw i32 %lane, 1
  %b = or i32 %a, 1
  %wa = sext i32 %a to i64
  %wb = sext i32 %b to i64
  %p = getelementptr float, ptr %x, i64 %wa
  %q = getelementptr float, ptr %x, i64 %wb
  %v = load float, ptr %q
  %w = load float, ptr %p
  %s = fadd float %v, %w
  store float %s, ptr %y
  ret void
}

; CHECK-LABEL: define internal void @add_plain(
; CHECK-NOT: load <64 x float>
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: load <64 x float>
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: load <64 x float>
; CHECK: ret void
; CHECK-NEXT: }
define void @add_plain(ptr %x, ptr %y) {
  %lane = call i32 @"kmux.lane"()
  %a = shl nuw nsw i32 %lane, 1
  %b = add i32 %a, 1
  %wa = sext i32 %a to i64
  %wb = sext i32 %b to i64
  %p = getelementptr float, ptr %x, i64 %wa
  %q = getelementptr float, ptr %x, i64 %wb
  %v = load float, ptr %q
  %w = load float, ptr %p
  %s = fadd float %v, %w
  store float %s, ptr %y
  ret void
}

; A shared array, which is a constant address.
; CHECK-LABEL: define internal void @shared(
; CHECK: [[AT:%[0-9]+]] = getelementptr [256 x float], ptr @s, i64 0, i64 {{%[0-9]+}}
; CHECK-NEXT: [[FIRST:%[0-9]+]] = getelementptr i8, ptr [[AT]], i64 -4
; CHECK: [[ROW:%[0-9]+]] = load <64 x float>, ptr [[FIRST]]
; CHECK-NEXT: [[EVEN:%[0-9]+]] = shufflevector <64 x float> [[ROW]], {{.*}} <i32 0, i32 2, {{.*}}, i32 62>
; CHECK-NEXT: [[ODD:%[0-9]+]] = shufflevector <64 x float> [[ROW]], {{.*}} <i32 1, i32 3, {{.*}}, i32 63>
define void @shared(ptr %y) {
  %lane = call i32 @"kmux.lane"()
  %a = shl nuw nsw i32 %lane, 1
  %b = or disjoint i32 %a, 1
  %wa = zext nneg i32 %a to i64
  %wb = zext nneg i32 %b to i64
  %p = getelementptr [256 x float], ptr @s, i64 0, i64 %wa
  %q = getelementptr [256 x float], ptr @s, i64 0, i64 %wb
  %v = load float, ptr %q
  %w = load float, ptr %p
  %s = fadd float %v, %w
  store float %s, ptr %y
  ret void
}
