; The loop over the warps of a block is not unrolled if they are independent of each other.
; RUN: kmux-opt --passes=grid --block=256 %s | FileCheck %s --check-prefix=MANY
; RUN: kmux-opt --passes=grid --block=16 %s | FileCheck %s --check-prefix=ONE
; RUN: kmux-opt --passes=grid %s | FileCheck %s --check-prefix=BARRIER
declare i32 @"kmux.thread.x"() nounwind willreturn memory(none)
declare void @"kmux.barrier"() convergent

; BARRIER-LABEL: define internal void @exchange.blocks(
; BARRIER-NOT: !llvm.loop
; BARRIER: br i1 %{{.*}}, label %warp, label %round.end{{$}}
; BARRIER-NOT: !llvm.loop
; BARRIER: br i1 %{{.*}}, label %round, label %block.next{{$}}
; BARRIER-NOT: !llvm.loop
; BARRIER-LABEL: define i32 @exchange(
define void @exchange(ptr %x, i32 %n) {
entry:
  %t = call i32 @"kmux.thread.x"()
  %first = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %first
  call void @"kmux.barrier"()
  %other = xor i32 %t, 32
  %second = getelementptr i32, ptr %x, i32 %other
  store i32 %v, ptr %second
  ret void
}

; MANY-LABEL: define internal void @fill.blocks(
; MANY: br i1 %{{.*}}, label %warp, label %block.next, !llvm.loop ![[LOOP:[0-9]+]]
; MANY-LABEL: define i32 @fill(
; MANY: ![[LOOP]] = distinct !{![[LOOP]], ![[DISABLE:[0-9]+]]}
; MANY: ![[DISABLE]] = !{!"llvm.loop.unroll.disable"}

; ONE-LABEL: define internal void @fill.blocks(
; ONE-NOT: !llvm.loop
; ONE: br i1 %{{.*}}, label %warp, label %block.next{{$}}
; ONE-NOT: !llvm.loop
; ONE-LABEL: define i32 @fill(
define void @fill(ptr %x, i32 %n) {
  %t = call i32 @"kmux.thread.x"()
  %p = getelementptr i32, ptr %x, i32 %t
  store i32 %n, ptr %p
  ret void
}
