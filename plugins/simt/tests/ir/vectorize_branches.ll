; Divergent regions run if any lane takes them, with the other lanes masked.
; RUN: kmux-opt --passes=structurize,vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define internal void @odd_lanes(
; True if any lane has the condition.
; CHECK: [[LANES:%.*]] = bitcast <32 x i1> [[MASK:%.*]] to i32
; CHECK-NEXT: [[ARE_ANY:%.*]] = icmp ne i32 [[LANES]], 0
; CHECK-NEXT: br i1 [[ARE_ANY]], label %parted, label %end
; The last lane with the condition stores.
; CHECK: {{^}}parted:
; CHECK: [[PLACE:%.*]] = select i1 %{{.*}}, ptr %0, ptr %{{.*}}
; CHECK-NEXT: [[RUNNING:%.*]] = bitcast <32 x i1> [[MASK]] to i32
; CHECK-NEXT: [[ABOVE:%.*]] = call i32 @llvm.ctlz.i32(i32 [[RUNNING]], i1 false)
; CHECK: [[LAST:%.*]] = sub i32 31, [[ABOVE]]
; CHECK: [[VALUE:%.*]] = extractelement <32 x i32> %{{.*}}, i32 [[LAST]]
; CHECK-NEXT: store i32 [[VALUE]], ptr [[PLACE]]
define void @odd_lanes(ptr %x, i32 %n) {
entry:
  %lane = call i32 @"kmux.lane"()
  %odd = and i32 %lane, 1
  %is_odd = icmp ne i32 %odd, 0
  %many = icmp sgt i32 %n, 5
  br i1 %many, label %uniform, label %end
uniform:
  br i1 %is_odd, label %parted, label %end
parted:
  %v = load i32, ptr %x
  %s = add i32 %v, %lane
  store i32 %s, ptr %x
  br label %end
end:
  ret void
}

; The value that an unrolled loop leaves in %v is a multiple of 4, so that the loop without an end is never reached.
; CHECK-LABEL: define internal void @never(
; CHECK: {{^}}entry:
; CHECK: br i1 %{{.*}}, label %store, label %end
; CHECK-NOT: forever
; CHECK: {{^}}store:
; CHECK: store i32 %{{.*}}, ptr %{{.*}}
; CHECK-NEXT: br label %end
; CHECK: {{^}}end:
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @never(ptr %x, i32 %n) {
entry:
  %lane = call i32 @"kmux.lane"()
  %is_less = icmp slt i32 %lane, %n
  br i1 %is_less, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ %n, %entry ], [ %twice, %loop ]
  %twice = shl i32 %v, 1
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 2
  br i1 %again, label %loop, label %then
then:
  %low = and i32 %twice, 3
  %never = icmp ne i32 %low, 0
  br i1 %never, label %forever, label %store
forever:
  br label %forever
store:
  store i32 %lane, ptr %x
  br label %end
end:
  ret void
}
