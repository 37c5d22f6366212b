; Stores of all bytes of integers, as LLVM's vectorizer writes them for a loop that stores them one after another.
; RUN: kmux-opt --passes=join-bytes %s | FileCheck %s
; RUN: kmux-opt --passes=join-bytes %s | FileCheck %s --check-prefix=SAME --match-full-lines
target datalayout = "e"

; CHECK-LABEL: define void @bytes_in_order(
; CHECK-NEXT: %v = load <2 x i32>, ptr %x
; CHECK-NEXT: %[[BYTES:.+]] = bitcast <2 x i32> %v to <8 x i8>
; CHECK-NEXT: store <8 x i8> %[[BYTES]], ptr %y
; CHECK-NEXT: ret void
define void @bytes_in_order(ptr %x, ptr %y) {
  %v = load <2 x i32>, ptr %x
  %a = trunc <2 x i32> %v to <2 x i8>
  %s1 = lshr <2 x i32> %v, <i32 8, i32 8>
  %b = trunc <2 x i32> %s1 to <2 x i8>
  %s2 = ashr <2 x i32> %v, <i32 16, i32 16>
  %c = trunc <2 x i32> %s2 to <2 x i8>
  %s3 = lshr <2 x i32> %v, <i32 24, i32 24>
  %d = trunc <2 x i32> %s3 to <2 x i8>
  %ab = shufflevector <2 x i8> %a, <2 x i8> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %cd = shufflevector <2 x i8> %c, <2 x i8> %d, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %all = shufflevector <4 x i8> %ab, <4 x i8> %cd, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 5, i32 7>
  store <8 x i8> %all, ptr %y
  ret void
}

; Two bytes have changed places.
; SAME-LABEL: define void @other_order(ptr %x, ptr %y) {
; SAME-NEXT: %v = load <2 x i32>, ptr %x, align 8
; SAME-NEXT: %a = trunc <2 x i32> %v to <2 x i8>
; SAME-NEXT: %s1 = lshr <2 x i32> %v, <i32 8, i32 8>
; SAME-NEXT: %b = trunc <2 x i32> %s1 to <2 x i8>
; SAME-NEXT: %s2 = ashr <2 x i32> %v, <i32 16, i32 16>
; SAME-NEXT: %c = trunc <2 x i32> %s2 to <2 x i8>
; SAME-NEXT: %s3 = lshr <2 x i32> %v, <i32 24, i32 24>
; SAME-NEXT: %d = trunc <2 x i32> %s3 to <2 x i8>
; SAME-NEXT: %ab = shufflevector <2 x i8> %a, <2 x i8> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; SAME-NEXT: %cd = shufflevector <2 x i8> %c, <2 x i8> %d, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; SAME-NEXT: %all = shufflevector <4 x i8> %ab, <4 x i8> %cd, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 7, i32 5>
; SAME-NEXT: store <8 x i8> %all, ptr %y, align 8
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @other_order(ptr %x, ptr %y) {
  %v = load <2 x i32>, ptr %x
  %a = trunc <2 x i32> %v to <2 x i8>
  %s1 = lshr <2 x i32> %v, <i32 8, i32 8>
  %b = trunc <2 x i32> %s1 to <2 x i8>
  %s2 = ashr <2 x i32> %v, <i32 16, i32 16>
  %c = trunc <2 x i32> %s2 to <2 x i8>
  %s3 = lshr <2 x i32> %v, <i32 24, i32 24>
  %d = trunc <2 x i32> %s3 to <2 x i8>
  %ab = shufflevector <2 x i8> %a, <2 x i8> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %cd = shufflevector <2 x i8> %c, <2 x i8> %d, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %all = shufflevector <4 x i8> %ab, <4 x i8> %cd, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 7, i32 5>
  store <8 x i8> %all, ptr %y
  ret void
}

; A byte is undefined.
; SAME-LABEL: define void @undefined_byte(ptr %x, ptr %y) {
; SAME-NEXT: %v = load <2 x i32>, ptr %x, align 8
; SAME-NEXT: %a = trunc <2 x i32> %v to <2 x i8>
; SAME-NEXT: %s1 = lshr <2 x i32> %v, <i32 8, i32 8>
; SAME-NEXT: %b = trunc <2 x i32> %s1 to <2 x i8>
; SAME-NEXT: %s2 = ashr <2 x i32> %v, <i32 16, i32 16>
; SAME-NEXT: %c = trunc <2 x i32> %s2 to <2 x i8>
; SAME-NEXT: %s3 = lshr <2 x i32> %v, <i32 24, i32 24>
; SAME-NEXT: %d = trunc <2 x i32> %s3 to <2 x i8>
; SAME-NEXT: %ab = shufflevector <2 x i8> %a, <2 x i8> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; SAME-NEXT: %cd = shufflevector <2 x i8> %c, <2 x i8> %d, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; SAME-NEXT: %all = shufflevector <4 x i8> %ab, <4 x i8> %cd, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 5, i32 poison>
; SAME-NEXT: store <8 x i8> %all, ptr %y, align 8
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @undefined_byte(ptr %x, ptr %y) {
  %v = load <2 x i32>, ptr %x
  %a = trunc <2 x i32> %v to <2 x i8>
  %s1 = lshr <2 x i32> %v, <i32 8, i32 8>
  %b = trunc <2 x i32> %s1 to <2 x i8>
  %s2 = ashr <2 x i32> %v, <i32 16, i32 16>
  %c = trunc <2 x i32> %s2 to <2 x i8>
  %s3 = lshr <2 x i32> %v, <i32 24, i32 24>
  %d = trunc <2 x i32> %s3 to <2 x i8>
  %ab = shufflevector <2 x i8> %a, <2 x i8> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %cd = shufflevector <2 x i8> %c, <2 x i8> %d, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %all = shufflevector <4 x i8> %ab, <4 x i8> %cd, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 5, i32 undef>
  store <8 x i8> %all, ptr %y
  ret void
}

; The third byte is not at a multiple of 8 bits.
; SAME-LABEL: define void @other_shift(ptr %x, ptr %y) {
; SAME-NEXT: %v = load <2 x i32>, ptr %x, align 8
; SAME-NEXT: %a = trunc <2 x i32> %v to <2 x i8>
; SAME-NEXT: %s1 = lshr <2 x i32> %v, <i32 8, i32 8>
; SAME-NEXT: %b = trunc <2 x i32> %s1 to <2 x i8>
; SAME-NEXT: %s2 = ashr <2 x i32> %v, <i32 17, i32 17>
; SAME-NEXT: %c = trunc <2 x i32> %s2 to <2 x i8>
; SAME-NEXT: %s3 = lshr <2 x i32> %v, <i32 24, i32 24>
; SAME-NEXT: %d = trunc <2 x i32> %s3 to <2 x i8>
; SAME-NEXT: %ab = shufflevector <2 x i8> %a, <2 x i8> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; SAME-NEXT: %cd = shufflevector <2 x i8> %c, <2 x i8> %d, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; SAME-NEXT: %all = shufflevector <4 x i8> %ab, <4 x i8> %cd, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 5, i32 7>
; SAME-NEXT: store <8 x i8> %all, ptr %y, align 8
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @other_shift(ptr %x, ptr %y) {
  %v = load <2 x i32>, ptr %x
  %a = trunc <2 x i32> %v to <2 x i8>
  %s1 = lshr <2 x i32> %v, <i32 8, i32 8>
  %b = trunc <2 x i32> %s1 to <2 x i8>
  %s2 = ashr <2 x i32> %v, <i32 17, i32 17>
  %c = trunc <2 x i32> %s2 to <2 x i8>
  %s3 = lshr <2 x i32> %v, <i32 24, i32 24>
  %d = trunc <2 x i32> %s3 to <2 x i8>
  %ab = shufflevector <2 x i8> %a, <2 x i8> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %cd = shufflevector <2 x i8> %c, <2 x i8> %d, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %all = shufflevector <4 x i8> %ab, <4 x i8> %cd, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 5, i32 7>
  store <8 x i8> %all, ptr %y
  ret void
}
