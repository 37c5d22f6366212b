; A divergent region that accesses memory gets a copy that runs if all lanes take it.
; RUN: kmux-opt --passes=structurize,uniform-paths --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define void @odd_lanes(
; CHECK: {{^}}entry:
; CHECK: [[ARE_ALL:%.*]] = call i1 @kmux.all(i1 [[TAKES:%.*]])
; CHECK-NEXT: br i1 [[ARE_ALL]], label %parted.all, label %[[SOME:.*]]
; CHECK: {{^}}[[SOME]]:
; CHECK-NEXT: br i1 [[TAKES]], label %parted, label %end
; CHECK: {{^}}parted:
; CHECK: store i32 %s, ptr %x
; CHECK-NEXT: br label %end
; CHECK: {{^}}parted.all:
; CHECK: store i32 %s.all, ptr %x
; CHECK-NEXT: br label %end
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
