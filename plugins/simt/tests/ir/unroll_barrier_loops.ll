; Loops with "#pragma unroll N": with barriers in them, they are unrolled as told. Each copy keeps its exit.
; RUN: kmux-opt --passes=structurize %s | FileCheck %s
; RUN: kmux-opt --passes=unroll-barrier-loops %s | FileCheck %s
declare void @"kmux.barrier"() convergent

; CHECK-LABEL: define void @told_five(
; CHECK: call void @kmux.barrier()
; CHECK-NOT: kmux.barrier
; CHECK: store i32
; CHECK-NOT: kmux.barrier
; CHECK: br i1 %goes, label %loop.1, label %end
; CHECK: call void @kmux.barrier()
; CHECK-NOT: kmux.barrier
; CHECK: store i32
; CHECK-NOT: kmux.barrier
; CHECK: br i1 %goes.1, label %loop.2, label %end
; CHECK: call void @kmux.barrier()
; CHECK-NOT: kmux.barrier
; CHECK: store i32
; CHECK-NOT: kmux.barrier
; CHECK: br i1 %goes.2, label %loop.3, label %end
; CHECK: call void @kmux.barrier()
; CHECK-NOT: kmux.barrier
; CHECK: store i32
; CHECK-NOT: kmux.barrier
; CHECK: br i1 %goes.3, label %loop.4, label %end
; CHECK: call void @kmux.barrier()
; CHECK-NOT: kmux.barrier
; CHECK: store i32
; CHECK-NOT: kmux.barrier
; CHECK: br i1 %goes.4, label %loop, label %end
; CHECK-NOT: kmux.barrier
; CHECK: ret void
define void @told_five(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @"kmux.barrier"()
  %at = getelementptr i32, ptr %x, i32 %i
  store i32 %i, ptr %at
  %next = add i32 %i, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: define void @told_one(
; CHECK: call void @kmux.barrier()
; CHECK-NOT: kmux.barrier
; CHECK: br i1 %goes, label %loop, label %end, !llvm.loop
; CHECK-NOT: kmux.barrier
; CHECK: ret void
define void @told_one(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @"kmux.barrier"()
  %at = getelementptr i32, ptr %x, i32 %i
  store i32 %i, ptr %at
  %next = add i32 %i, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

; A thousand copies are too much code.
; CHECK-LABEL: define void @told_a_thousand(
; CHECK: call void @kmux.barrier()
; CHECK-NOT: kmux.barrier
; CHECK: br i1 %goes, label %loop, label %end, !llvm.loop
; CHECK-NOT: kmux.barrier
; CHECK: ret void
define void @told_a_thousand(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @"kmux.barrier"()
  %at = getelementptr i32, ptr %x, i32 %i
  store i32 %i, ptr %at
  %next = add i32 %i, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %loop, label %end, !llvm.loop !4
end:
  ret void
}

; LLVM unrolls a loop without barriers later.
; CHECK-LABEL: define void @without_barrier(
; CHECK-NOT: {{kmux.barrier|store}}
; CHECK: store i32
; CHECK-NEXT: %next = add
; CHECK-NEXT: %goes = icmp slt i32 %next, %n
; CHECK-NEXT: br i1 %goes, label %loop, label %end, !llvm.loop
; CHECK-NOT: {{kmux.barrier|store}}
; CHECK: ret void
define void @without_barrier(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %x, i32 %i
  store i32 %i, ptr %at
  %next = add i32 %i, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %loop, label %end, !llvm.loop !6
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 5}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.count", i32 1}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.unroll.count", i32 1000}
!6 = distinct !{!6, !1}
