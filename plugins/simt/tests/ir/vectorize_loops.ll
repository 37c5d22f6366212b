; Loops that lanes leave one by one keep the value that each lane leaves with.
; RUN: kmux-opt --passes=structurize,vectorize --lanes=8 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define internal void @count(
; CHECK: {{^}}loop:
; CHECK-NEXT: %mask = phi <8 x i1> [ <i1 true, {{.*}}>, %entry ], [ [[STAY:%.*]], %loop ]
; CHECK-NEXT: %kept = phi <8 x i32> [ poison, %entry ], [ [[KEPT:%.*]], %loop ]
; CHECK: [[KEPT]] = select <8 x i1> %mask, <8 x i32> %{{.*}}, <8 x i32> %kept
; CHECK: [[STAY]] = select <8 x i1> %mask, <8 x i1> %{{.*}}, <8 x i1> zeroinitializer
; CHECK: [[LANES:%.*]] = bitcast <8 x i1> [[STAY]] to i8
; CHECK: [[ARE_ANY:%.*]] = icmp ne i8 [[LANES]], 0
; CHECK: br i1 [[ARE_ANY]], label %loop, label %end
; The last lane stores.
; CHECK: {{^}}end:
; CHECK-NEXT: [[ALL:%.*]] = phi <8 x i32> [ [[KEPT]], %loop ]
; CHECK-NEXT: [[LAST:%.*]] = extractelement <8 x i32> [[ALL]], i64 7
; CHECK-NEXT: store i32 [[LAST]], ptr %0
define void @count(ptr %x, i32 %n) {
entry:
  %lane = call i32 @"kmux.lane"()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %i, 3
  %next = add i32 %tripled, 1
  %again = icmp ult i32 %next, %lane
  br i1 %again, label %loop, label %end
end:
  %last = phi i32 [ %i, %loop ]
  store i32 %last, ptr %x
  ret void
}
