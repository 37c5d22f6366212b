; The remainder of a vectorized loop: vectorized too, for processors with vectors of 16 and of 8 elements.
; REQUIRES: x86_64
; RUN: kmux-opt --passes=optimize --mcpu=znver4 %s | FileCheck %s -DMAIN=16 -DREST=8
; RUN: kmux-opt --passes=optimize --mcpu=icelake-server %s | FileCheck %s -DMAIN=8 -DREST=4
; RUN: kmux-opt --passes=optimize --mcpu=x86-64-v3 %s | FileCheck %s -DMAIN=8 -DREST=4

; for (i = 0; i < n; ++i) y[i] = x[i] + 1;
; CHECK-LABEL: define void @add_one(
; CHECK: {{^}}vector.body:
; CHECK: fadd <[[MAIN]] x float>
; CHECK: {{^}}vec.epilog.vector.body:
; CHECK: fadd <[[REST]] x float>
define void @add_one(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr inbounds i32, ptr %x, i64 %i
  %value = load float, ptr %from, align 4
  %sum = fadd float %value, 1.0
  %to = getelementptr inbounds i32, ptr %y, i64 %i
  store float %sum, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
