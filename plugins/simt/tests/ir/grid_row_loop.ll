; Blocks that run row by row: the loop over rows is around the loop over blocks.
; RUN: kmux-opt --passes=grid --block=16,8,1 %s | FileCheck %s
declare i32 @"kmux.thread.x"() nounwind willreturn memory(none)
declare i32 @"kmux.thread.y"() nounwind willreturn memory(none)
declare i32 @"kmux.block.x"() nounwind willreturn memory(none)

; CHECK-NOT: on fibers
; CHECK-LABEL: define internal void @fill.blocks(
; As many blocks as form a row of 16384 threads.
; CHECK: {{^}}block.body:
; CHECK: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 1024)
; CHECK: br label %row
; CHECK: {{^}}row:
; CHECK: br label %across
; CHECK: {{^}}across:
; CHECK: br label %warp
; CHECK: br i1 %{{.*}}, label %across, label %next
; CHECK: {{^}}warp:
; CHECK: {{^}}body:
; CHECK: store <16 x i32>
define void @fill(ptr %x, i32 %n) {
  %t = call i32 @"kmux.thread.x"()
  %y = call i32 @"kmux.thread.y"()
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 4
  %row = mul i32 %y, %n
  %in_row = add nsw i32 %first, %t
  %i = add nsw i32 %row, %in_row
  %p = getelementptr i32, ptr %x, i32 %i
  store i32 %n, ptr %p
  ret void
}
