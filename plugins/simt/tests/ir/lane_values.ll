; Values over the lanes of a warp: uniform, strided by a constant, or varying.
; RUN: kmux-opt --passes=print-lane-values --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare i32 @"kmux.block.x"() nounwind willreturn memory(none)

; CHECK-DAG: %same: uniform
; CHECK-DAG: %i: strided 1
; CHECK-DAG: %twice: strided 2
; No carry: lane 0 is a multiple of 256.
; CHECK-DAG: %wide: strided 1
; CHECK-DAG: %address: strided 4
; CHECK-DAG: %not: strided -1
; CHECK-DAG: %low: strided 1
; CHECK-DAG: %high: strided 0
; CHECK-DAG: %frozen: strided 1
; CHECK-DAG: %part: varying
; CHECK-DAG: %middle: varying
; CHECK-DAG: %far2: varying
; CHECK-DAG: %both: varying
; CHECK-DAG: %square: varying
; n + lane may wrap around.
; CHECK-DAG: %far: varying
; CHECK-DAG: %loaded: varying
define void @k(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  %i = add i32 %first, %lane
  %wide = sext i32 %i to i64
  %twice = mul i32 %i, 2
  %square = mul i32 %i, %i
  %address = getelementptr float, ptr %x, i64 %wide
  %same = add i32 %first, %n
  %other = add i32 %n, %lane
  %far = sext i32 %other to i64
  %not = xor i32 %i, -1
  %low = and i32 %i, 127
  %part = and i32 %i, 15
  %high = lshr i32 %i, 5
  %middle = lshr i32 %i, 4
  %sum = add nsw i32 %n, %lane
  %frozen = freeze i32 %sum
  %both = and i32 %high, %lane
  %far2 = sext i32 %frozen to i64
  %loaded = load float, ptr %address
  ret void
}
