; Invalid code, whose sum is used before its definition: the lowering to fibers refuses it.
; RUN: not kmux-opt --passes=fibers %s | FileCheck %s
; RUN: not kmux-opt --passes=fibers-check %s | FileCheck %s

; CHECK: kmux-opt: internal: {{.*}} is broken (function "k{{.*}}").
define void @k(i32 %x) {
  %b = add i32 %a, %x
  %a = add i32 %b, 1
  ret void
}
