; A loop of a constant count that fills a private array, and one that reads it back.
; RUN: kmux-opt --passes=structurize %s | FileCheck %s

; CHECK-LABEL: define void @small(
; CHECK-NOT: {{alloca|br }}
; The last element, from one loop to the other.
; CHECK: %v9.in.63 = fdiv float
; CHECK-NOT: {{alloca|br }}
; CHECK: fdiv float %n, %v9.in.63
; CHECK-NOT: {{alloca|br }}
; CHECK: ret void
define void @small(ptr %x, float %n) {
entry:
  %a = alloca [64 x float]
  br label %in
in:
  %i.in = phi i64 [ 0, %entry ], [ %next.in, %in ]
  %own.in = getelementptr float, ptr %a, i64 %i.in
  %far.in = getelementptr float, ptr %x, i64 %i.in
  %v0.in = load float, ptr %far.in
  %v1.in = fdiv float %n, %v0.in
  %v2.in = fdiv float %n, %v1.in
  %v3.in = fdiv float %n, %v2.in
  %v4.in = fdiv float %n, %v3.in
  %v5.in = fdiv float %n, %v4.in
  %v6.in = fdiv float %n, %v5.in
  %v7.in = fdiv float %n, %v6.in
  %v8.in = fdiv float %n, %v7.in
  %v9.in = fdiv float %n, %v8.in
  store float %v9.in, ptr %own.in
  %next.in = add i64 %i.in, 1
  %more.in = icmp ult i64 %next.in, 64
  br i1 %more.in, label %in, label %out
out:
  %i.out = phi i64 [ 0, %in ], [ %next.out, %out ]
  %own.out = getelementptr float, ptr %a, i64 %i.out
  %far.out = getelementptr float, ptr %x, i64 %i.out
  %v0.out = load float, ptr %own.out
  %v1.out = fdiv float %n, %v0.out
  %v2.out = fdiv float %n, %v1.out
  %v3.out = fdiv float %n, %v2.out
  %v4.out = fdiv float %n, %v3.out
  %v5.out = fdiv float %n, %v4.out
  %v6.out = fdiv float %n, %v5.out
  %v7.out = fdiv float %n, %v6.out
  %v8.out = fdiv float %n, %v7.out
  %v9.out = fdiv float %n, %v8.out
  store float %v9.out, ptr %far.out
  %next.out = add i64 %i.out, 1
  %more.out = icmp ult i64 %next.out, 64
  br i1 %more.out, label %out, label %end
end:
  ret void
}

; More than registers have.
; CHECK-LABEL: define void @large(
; CHECK: alloca [4000 x float]
; CHECK: br i1 %more.in, label %in, label %out.preheader
define void @large(ptr %x, float %n) {
entry:
  %a = alloca [4000 x float]
  br label %in
in:
  %i.in = phi i64 [ 0, %entry ], [ %next.in, %in ]
  %own.in = getelementptr float, ptr %a, i64 %i.in
  %far.in = getelementptr float, ptr %x, i64 %i.in
  %v0.in = load float, ptr %far.in
  %v1.in = fdiv float %n, %v0.in
  %v2.in = fdiv float %n, %v1.in
  %v3.in = fdiv float %n, %v2.in
  %v4.in = fdiv float %n, %v3.in
  %v5.in = fdiv float %n, %v4.in
  %v6.in = fdiv float %n, %v5.in
  %v7.in = fdiv float %n, %v6.in
  %v8.in = fdiv float %n, %v7.in
  %v9.in = fdiv float %n, %v8.in
  store float %v9.in, ptr %own.in
  %next.in = add i64 %i.in, 1
  %more.in = icmp ult i64 %next.in, 4000
  br i1 %more.in, label %in, label %out
out:
  %i.out = phi i64 [ 0, %in ], [ %next.out, %out ]
  %own.out = getelementptr float, ptr %a, i64 %i.out
  %far.out = getelementptr float, ptr %x, i64 %i.out
  %v0.out = load float, ptr %own.out
  %v1.out = fdiv float %n, %v0.out
  %v2.out = fdiv float %n, %v1.out
  %v3.out = fdiv float %n, %v2.out
  %v4.out = fdiv float %n, %v3.out
  %v5.out = fdiv float %n, %v4.out
  %v6.out = fdiv float %n, %v5.out
  %v7.out = fdiv float %n, %v6.out
  %v8.out = fdiv float %n, %v7.out
  %v9.out = fdiv float %n, %v8.out
  store float %v9.out, ptr %far.out
  %next.out = add i64 %i.out, 1
  %more.out = icmp ult i64 %next.out, 4000
  br i1 %more.out, label %out, label %end
end:
  ret void
}
