; A store of different values to one place: the last lane stores, as a scatter would.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define internal void @k(
; CHECK-NOT: scatter
; CHECK: store i32 31, ptr %0
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @k(ptr %x) {
  %lane = call i32 @"kmux.lane"()
  store i32 %lane, ptr %x
  ret void
}
