; Saturating casts become comparisons and selects, which have vector forms.
; RUN: kmux-opt --passes=expand-casts %s | FileCheck %s
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i64 @llvm.fptoui.sat.i64.f64(double)

; CHECK-LABEL: define void @casts(
; CHECK-NOT: call
; CHECK: [[IS_NAN:%.*]] = fcmp uno float %f, %f
; CHECK-NEXT: [[LEAST:%.*]] = select i1 [[IS_NAN]], i32 0, i32 -2147483648
; The order of operands is the compiler's that built the pass.
; CHECK-DAG: [[I:%.*]] = fptosi float %f to i32
; CHECK-DAG: [[IS_ABOVE:%.*]] = fcmp ogt float %f, 0xC1E0000000000000
; CHECK: [[NOT_LESS:%.*]] = select i1 [[IS_ABOVE]], i32 [[I]], i32 [[LEAST]]
; CHECK-NEXT: [[IS_LARGE:%.*]] = fcmp oge float %f, 0x41E0000000000000
; CHECK-NEXT: [[INT:%.*]] = select i1 [[IS_LARGE]], i32 2147483647, i32 [[NOT_LESS]]
; CHECK-NEXT: [[IS_POSITIVE:%.*]] = fcmp ogt double %d, 0.000000e+00
; CHECK-NEXT: [[U:%.*]] = fptoui double %d to i64
; CHECK-NEXT: [[NOT_NEGATIVE:%.*]] = select i1 [[IS_POSITIVE]], i64 [[U]], i64 0
; CHECK-NEXT: [[IS_HUGE:%.*]] = fcmp oge double %d, 0x43F0000000000000
; CHECK-NEXT: [[UNSIGNED:%.*]] = select i1 [[IS_HUGE]], i64 -1, i64 [[NOT_NEGATIVE]]
; CHECK-NEXT: store i32 [[INT]], ptr %x
; CHECK-NEXT: store i64 [[UNSIGNED]], ptr %x
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @casts(ptr %x, float %f, double %d) {
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %f)
  %u = call i64 @llvm.fptoui.sat.i64.f64(double %d)
  store i32 %i, ptr %x
  store i64 %u, ptr %x
  ret void
}
