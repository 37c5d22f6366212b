; Values that warps in lockstep share: indices of loops that are a constant apart, and tests of them.
; RUN: kmux-opt --passes=join-values %s | FileCheck %s

; %gone, at no constant distance from the others, stays.
; CHECK-LABEL: define void @indices_at_constant_distance(
; CHECK: {{^}}loop:
; CHECK-NEXT: %gone = phi i32 [ 0, %entry ], [ %g, %loop ]
; CHECK-NEXT: %i = phi i32 [ %first, %entry ], [ %a, %loop ]
; CHECK-NOT: = phi
; CHECK: %[[J:.+]] = add i32 %i, 32
; CHECK-NOT: = phi
; CHECK: store volatile i32 %[[J]], ptr %x
; CHECK-NOT: = phi
; CHECK: ret void
define void @indices_at_constant_distance(ptr %x, i32 %n, i32 %step) {
entry:
  %first = shl i32 %n, 8
  %second = add i32 %first, 32
  br label %loop
loop:
  %gone = phi i32 [ 0, %entry ], [ %g, %loop ]
  %i = phi i32 [ %first, %entry ], [ %a, %loop ]
  %j = phi i32 [ %second, %entry ], [ %b, %loop ]
  store i32 %i, ptr %x
  store volatile i32 %j, ptr %x
  %g = add i32 %gone, 1
  %a = add i32 %i, %step
  %b = add i32 %j, %step
  %again = icmp ult i32 %g, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Below are two warps in lockstep, whose index advances by %step from a multiple of 256.

; 32 does not carry into the multiple of 256, so the second warp is only within bounds if the first one is: one test is enough.
; CHECK-LABEL: define void @lockstep_without_carry(
; CHECK: {{^}}loop:
; CHECK-NEXT: %i = phi i32
; CHECK-NEXT: %[[J:.+]] = add nuw nsw i32 %i, 32
; CHECK-NEXT: store volatile i32 %[[J]], ptr %x
; CHECK: add nuw nsw i32 %a, 31
; CHECK-NEXT: %[[LAST:.+]] = add nuw nsw i32 %a, 63
; CHECK: %within = icmp slt i32 %[[LAST]], %n
; CHECK-NEXT: br i1 %within, label %loop, label %end
define void @lockstep_without_carry(ptr %x, i32 %n, i32 %grid) {
entry:
  %step = shl i32 %grid, 8
  %first = shl i32 %n, 8
  %second = add i32 %first, 32
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %a, %loop ]
  %j = phi i32 [ %second, %entry ], [ %b, %loop ]
  store volatile i32 %j, ptr %x
  %a = add i32 %i, %step
  %b = add i32 %j, %step
  %p = add i32 %a, 31
  %q = add i32 %b, 31
  %in = icmp slt i32 %p, %n
  %within = icmp slt i32 %q, %n
  %again = and i1 %in, %within
  br i1 %again, label %loop, label %end
end:
  ret void
}

; The index is a multiple of 32 alone: the sum may carry.
; CHECK-LABEL: define void @small_step(
; CHECK-NOT: nuw nsw i32 %i,
; CHECK: {{^}}loop:
; CHECK-NOT: nuw nsw i32 %i,
; CHECK: %a = add i32 %i, %step
; CHECK-NEXT: %b = add i32 %{{.+}}, %step
; CHECK-NEXT: %[[P:.+]] = add {{.*}}i32 %a, 31
; CHECK-NEXT: %[[Q:.+]] = add {{.*}}i32 %b, 31
; CHECK-NEXT: %in = icmp slt i32 %[[P]], %n
; CHECK-NEXT: %within = icmp slt i32 %[[Q]], %n
; CHECK-NEXT: %again = and i1 %in, %within
; CHECK-NEXT: br i1 %again, label %loop, label %end
define void @small_step(ptr %x, i32 %n, i32 %grid) {
entry:
  %step = shl i32 %grid, 5
  %first = shl i32 %n, 8
  %second = add i32 %first, 32
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %a, %loop ]
  %j = phi i32 [ %second, %entry ], [ %b, %loop ]
  store volatile i32 %j, ptr %x
  %a = add i32 %i, %step
  %b = add i32 %j, %step
  %p = add i32 %a, 31
  %q = add i32 %b, 31
  %in = icmp slt i32 %p, %n
  %within = icmp slt i32 %q, %n
  %again = and i1 %in, %within
  br i1 %again, label %loop, label %end
end:
  ret void
}

; The warps are 256 apart: the sum may carry.
; CHECK-LABEL: define void @far_apart(
; CHECK-NOT: nuw nsw i32 %i,
; CHECK: {{^}}loop:
; CHECK-NOT: nuw nsw i32 %i,
; CHECK: %a = add i32 %i, %step
; CHECK-NEXT: %b = add i32 %{{.+}}, %step
; CHECK-NEXT: %[[P:.+]] = add {{.*}}i32 %a, 31
; CHECK-NEXT: %[[Q:.+]] = add {{.*}}i32 %b, 31
; CHECK-NEXT: %in = icmp slt i32 %[[P]], %n
; CHECK-NEXT: %within = icmp slt i32 %[[Q]], %n
; CHECK-NEXT: %again = and i1 %in, %within
; CHECK-NEXT: br i1 %again, label %loop, label %end
define void @far_apart(ptr %x, i32 %n, i32 %grid) {
entry:
  %step = shl i32 %grid, 8
  %first = shl i32 %n, 8
  %second = add i32 %first, 256
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %a, %loop ]
  %j = phi i32 [ %second, %entry ], [ %b, %loop ]
  store volatile i32 %j, ptr %x
  %a = add i32 %i, %step
  %b = add i32 %j, %step
  %p = add i32 %a, 31
  %q = add i32 %b, 31
  %in = icmp slt i32 %p, %n
  %within = icmp slt i32 %q, %n
  %again = and i1 %in, %within
  br i1 %again, label %loop, label %end
end:
  ret void
}
