; Loops that compare their index with a bound: split there, so that neither half compares. All are: for (i = 0; i < n; ++i)
; y[i] = i < m ? x[i] : 0, or with another comparison.
; RUN: kmux-opt --passes=split-loops %s | FileCheck %s
; RUN: kmux-opt --passes=split-loops %s | FileCheck %s --check-prefix=SAME --match-full-lines

; The second half stores zeros.
; CHECK-LABEL: define void @index_below_bound(
; CHECK-NOT: {{%asked|= select|phi float}}
; CHECK: {{^}}loop:
; CHECK-NOT: {{%asked|= select|phi float}}
; CHECK: %a = load float, ptr %from
; CHECK-NOT: {{%asked|= select|phi float}}
; CHECK: store float %a, ptr %to
; CHECK-NOT: {{%asked|= select|phi float}}
; CHECK: call void @llvm.memset.p0.i64(ptr {{.*}}, i8 0, i64 %{{.+}}, i1 false)
; CHECK-NOT: {{%asked|= select|phi float}}
; CHECK: {{^[}]}}
define void @index_below_bound(ptr %x, ptr %y, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %latch ]
  %asked = icmp slt i64 %i, %m
  br i1 %asked, label %load, label %latch
load:
  %from = getelementptr float, ptr %x, i64 %i
  %a = load float, ptr %from
  br label %latch
latch:
  %value = phi float [ %a, %load ], [ 0.0, %loop ]
  %to = getelementptr float, ptr %y, i64 %i
  store float %value, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %leave
leave:
  br label %end
end:
  ret void
}

; The comparisons below cannot split a loop: it stays as it is.
; SAME-LABEL: define void @index_not_compared(ptr %x, ptr %y, i64 %n, i64 %m) {
; SAME-NEXT: entry:
; SAME-NEXT: %some = icmp sgt i64 %n, 0
; SAME-NEXT: br i1 %some, label %before, label %end
; SAME-EMPTY:
; SAME-NEXT: before:{{ +; preds = .*}}
; SAME-NEXT: br label %loop
; SAME-EMPTY:
; SAME-NEXT: loop:{{ +; preds = .*}}
; SAME-NEXT: %i = phi i64 [ 0, %before ], [ %next, %latch ]
; SAME-NEXT: %asked = icmp slt i64 %n, %m
; SAME-NEXT: br i1 %asked, label %load, label %latch
; SAME-EMPTY:
; SAME-NEXT: load:{{ +; preds = .*}}
; SAME-NEXT: %from = getelementptr float, ptr %x, i64 %i
; SAME-NEXT: %a = load float, ptr %from, align 4
; SAME-NEXT: br label %latch
; SAME-EMPTY:
; SAME-NEXT: latch:{{ +; preds = .*}}
; SAME-NEXT: %value = phi float [ %a, %load ], [ 0.000000e+00, %loop ]
; SAME-NEXT: %to = getelementptr float, ptr %y, i64 %i
; SAME-NEXT: store float %value, ptr %to, align 4
; SAME-NEXT: %next = add nuw nsw i64 %i, 1
; SAME-NEXT: %more = icmp slt i64 %next, %n
; SAME-NEXT: br i1 %more, label %loop, label %leave
; SAME-EMPTY:
; SAME-NEXT: leave:{{ +; preds = .*}}
; SAME-NEXT: br label %end
; SAME-EMPTY:
; SAME-NEXT: end:{{ +; preds = .*}}
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @index_not_compared(ptr %x, ptr %y, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %latch ]
  %asked = icmp slt i64 %n, %m
  br i1 %asked, label %load, label %latch
load:
  %from = getelementptr float, ptr %x, i64 %i
  %a = load float, ptr %from
  br label %latch
latch:
  %value = phi float [ %a, %load ], [ 0.0, %loop ]
  %to = getelementptr float, ptr %y, i64 %i
  store float %value, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %leave
leave:
  br label %end
end:
  ret void
}

; SAME-LABEL: define void @equality(ptr %x, ptr %y, i64 %n, i64 %m) {
; SAME-NEXT: entry:
; SAME-NEXT: %some = icmp sgt i64 %n, 0
; SAME-NEXT: br i1 %some, label %before, label %end
; SAME-EMPTY:
; SAME-NEXT: before:{{ +; preds = .*}}
; SAME-NEXT: br label %loop
; SAME-EMPTY:
; SAME-NEXT: loop:{{ +; preds = .*}}
; SAME-NEXT: %i = phi i64 [ 0, %before ], [ %next, %latch ]
; SAME-NEXT: %asked = icmp eq i64 %i, %m
; SAME-NEXT: br i1 %asked, label %load, label %latch
; SAME-EMPTY:
; SAME-NEXT: load:{{ +; preds = .*}}
; SAME-NEXT: %from = getelementptr float, ptr %x, i64 %i
; SAME-NEXT: %a = load float, ptr %from, align 4
; SAME-NEXT: br label %latch
; SAME-EMPTY:
; SAME-NEXT: latch:{{ +; preds = .*}}
; SAME-NEXT: %value = phi float [ %a, %load ], [ 0.000000e+00, %loop ]
; SAME-NEXT: %to = getelementptr float, ptr %y, i64 %i
; SAME-NEXT: store float %value, ptr %to, align 4
; SAME-NEXT: %next = add nuw nsw i64 %i, 1
; SAME-NEXT: %more = icmp slt i64 %next, %n
; SAME-NEXT: br i1 %more, label %loop, label %leave
; SAME-EMPTY:
; SAME-NEXT: leave:{{ +; preds = .*}}
; SAME-NEXT: br label %end
; SAME-EMPTY:
; SAME-NEXT: end:{{ +; preds = .*}}
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @equality(ptr %x, ptr %y, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %latch ]
  %asked = icmp eq i64 %i, %m
  br i1 %asked, label %load, label %latch
load:
  %from = getelementptr float, ptr %x, i64 %i
  %a = load float, ptr %from
  br label %latch
latch:
  %value = phi float [ %a, %load ], [ 0.0, %loop ]
  %to = getelementptr float, ptr %y, i64 %i
  store float %value, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %leave
leave:
  br label %end
end:
  ret void
}

; SAME-LABEL: define void @bound_in_loop(ptr %x, ptr %y, i64 %n, i64 %m) {
; SAME-NEXT: entry:
; SAME-NEXT: %some = icmp sgt i64 %n, 0
; SAME-NEXT: br i1 %some, label %before, label %end
; SAME-EMPTY:
; SAME-NEXT: before:{{ +; preds = .*}}
; SAME-NEXT: br label %loop
; SAME-EMPTY:
; SAME-NEXT: loop:{{ +; preds = .*}}
; SAME-NEXT: %i = phi i64 [ 0, %before ], [ %next, %latch ]
; SAME-NEXT: %asked = icmp ult i64 %i, %i
; SAME-NEXT: br i1 %asked, label %load, label %latch
; SAME-EMPTY:
; SAME-NEXT: load:{{ +; preds = .*}}
; SAME-NEXT: %from = getelementptr float, ptr %x, i64 %i
; SAME-NEXT: %a = load float, ptr %from, align 4
; SAME-NEXT: br label %latch
; SAME-EMPTY:
; SAME-NEXT: latch:{{ +; preds = .*}}
; SAME-NEXT: %value = phi float [ %a, %load ], [ 0.000000e+00, %loop ]
; SAME-NEXT: %to = getelementptr float, ptr %y, i64 %i
; SAME-NEXT: store float %value, ptr %to, align 4
; SAME-NEXT: %next = add nuw nsw i64 %i, 1
; SAME-NEXT: %more = icmp slt i64 %next, %n
; SAME-NEXT: br i1 %more, label %loop, label %leave
; SAME-EMPTY:
; SAME-NEXT: leave:{{ +; preds = .*}}
; SAME-NEXT: br label %end
; SAME-EMPTY:
; SAME-NEXT: end:{{ +; preds = .*}}
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @bound_in_loop(ptr %x, ptr %y, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %latch ]
  %asked = icmp ult i64 %i, %i
  br i1 %asked, label %load, label %latch
load:
  %from = getelementptr float, ptr %x, i64 %i
  %a = load float, ptr %from
  br label %latch
latch:
  %value = phi float [ %a, %load ], [ 0.0, %loop ]
  %to = getelementptr float, ptr %y, i64 %i
  store float %value, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %leave
leave:
  br label %end
end:
  ret void
}
