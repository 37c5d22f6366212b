; The blocks of a row of the grid run row by row if that is in the order of memory, and no thread waits for another one.
; RUN: kmux-opt --passes=print-grid-rows --block=16,16,1 --lanes=16 %s | FileCheck %s
; RUN: kmux-opt --passes=print-grid-rows --block=48,4,2 --lanes=16 %s | FileCheck %s --check-prefix=LAYERS
; RUN: kmux-opt --passes=print-grid-rows --block=16,1,1 --lanes=16 %s | FileCheck %s --check-prefix=ONE
declare i32 @"kmux.block.x"() nounwind willreturn memory(none)
declare i32 @"kmux.block_dim.x"() nounwind willreturn memory(none)
declare ptr @"kmux.shared"(i64) nounwind willreturn memory(none)
declare void @"kmux.barrier"() convergent

; The first thread of a warp is number %first in its row, its element at %place.
; CHECK: {{^}}; plain: row by row{{$}}
; LAYERS: {{^}}; plain: row by row{{$}}
; A block of one row has nothing to gain.
; ONE: {{^}}; plain: block by block{{$}}
define void @plain(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  ret void
}

; All blocks read the same elements.
; CHECK-NEXT: {{^}}; of_all_blocks: row by row{{$}}
define void @of_all_blocks(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  %same = load <16 x float>, ptr %x
  ret void
}

; All lanes read the same element.
; CHECK-NEXT: {{^}}; of_all_lanes: row by row{{$}}
define void @of_all_lanes(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  %far = shl i32 %block, 8
  %there = getelementptr float, ptr %x, i32 %far
  %one = load float, ptr %there
  ret void
}

; A block's elements are contiguous.
; CHECK-NEXT: {{^}}; contiguous_blocks: block by block{{$}}
define void @contiguous_blocks(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  %far = shl i32 %block, 8
  %there = getelementptr float, ptr %x, i32 %far
  %w = load <16 x float>, ptr %there
  ret void
}

; The distance from one block to the next differs.
; CHECK-NEXT: {{^}}; odd_blocks: block by block{{$}}
define void @odd_blocks(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  %odd = and i32 %block, 1
  %there = getelementptr float, ptr %x, i32 %odd
  store <16 x float> %v, ptr %there
  ret void
}

; CHECK-NEXT: {{^}}; atomic: block by block{{$}}
define void @atomic(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  %a = atomicrmw add ptr %x, i32 1 monotonic
  ret void
}

; CHECK-NEXT: {{^}}; shared: block by block{{$}}
define void @shared(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  %shared = call ptr @"kmux.shared"(i64 0)
  store <16 x float> %v, ptr %shared
  ret void
}

; CHECK-NEXT: {{^}}; barrier: block by block{{$}}
define void @barrier(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  call void @"kmux.barrier"()
  ret void
}

; CHECK-NEXT: {{^}}; loop: block by block{{$}}
define void @loop(ptr %x, i32 %n) {
  %block = call i32 @"kmux.block.x"()
  %extent = call i32 @"kmux.block_dim.x"()
  %first = mul i32 %block, %extent
  %row = mul i32 %n, 3
  %i = add i32 %row, %first
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %place, i64 -4
  %v = load <16 x float>, ptr %before
  store <16 x float> %v, ptr %place
  br label %loop
loop:
  %again = icmp slt i32 %i, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}
