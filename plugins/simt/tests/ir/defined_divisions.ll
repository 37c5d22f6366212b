; Signed quotients keep their value while calls are inlined: the least integer by -1 is itself, which LLVM folds to poison.
; RUN: kmux-opt --passes=define-arithmetic,inline-calls %s | FileCheck %s

; CHECK-LABEL: define void @k(
; CHECK-NEXT: store i32 -2147483648, ptr %y
; CHECK: %[[SAFE:.+]] = select i1 %{{.+}}, i32 1, i32 %n
; CHECK-NEXT: %[[IS_MINUS_ONE:.+]] = icmp eq i32 %[[SAFE]], -1
; CHECK-NEXT: %[[DIVISOR:.+]] = select i1 %[[IS_MINUS_ONE]], i32 1, i32 %[[SAFE]]
; CHECK-NEXT: %[[QUOTIENT:.+]] = sdiv i32 -2147483648, %[[DIVISOR]]
; CHECK-NEXT: select i1 %[[IS_MINUS_ONE]], i32 -2147483648, i32 %[[QUOTIENT]]
; A quotient of an index stays one instruction: its test would hide that it is uniform.
; CHECK: %[[OF_INDEX:.+]] = sdiv i32 %i, %[[#]]
; CHECK-NEXT: store i32 %[[OF_INDEX]], ptr %y
; CHECK-NEXT: ret void
define void @k(ptr %y, i32 %i, i32 %n) {
  %known = call i32 @quotient(i32 -2147483648, i32 -1)
  store i32 %known, ptr %y
  %least = call i32 @quotient(i32 -2147483648, i32 %n)
  store i32 %least, ptr %y
  %index = call i32 @quotient(i32 %i, i32 %n)
  store i32 %index, ptr %y
  ret void
}

define internal i32 @quotient(i32 %a, i32 %b) {
  %q = sdiv i32 %a, %b
  ret i32 %q
}
