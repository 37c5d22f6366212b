; Only branches that lanes may take differently begin divergent regions.
; RUN: kmux-opt --passes=structurize,print-branches --lanes=32 %s | FileCheck %s
; As it is written, with a branch that is the same for all lanes.
; RUN: kmux-opt --passes=print-branches --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK: {{^}}; divergent: %parted{{$}}
; CHECK-NEXT: {{^}}; odd_lanes: 1 divergent branches{{$}}
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
