; Elements replace the vectors of a thread, which may depend on the lane.
; RUN: kmux-opt --passes=grid --block=64 %s | FileCheck %s
declare i32 @"kmux.thread.x"() nounwind willreturn memory(none)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)

; The functions are in the order of their names, as they come out. All but the last one are vectorized.
; CHECK-NOT: on fibers
; CHECK: {{^}}; on fibers: kernel "whole" has a thread work with whole vectors (<4 x i32>)
; CHECK-NOT: on fibers

; CHECK-LABEL: define internal void @as_float.blocks(
; CHECK-NOT: <4 x
; CHECK: add <32 x i8>
; CHECK-NOT: <4 x
; CHECK-LABEL: define i32 @as_float(
; CHECK: call i32 @kmux_cpu_run(ptr
define void @as_float(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.thread.x"()
  %a = insertelement <4 x i32> zeroinitializer, i32 %lane, i64 1
  %v = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %at = getelementptr i64, ptr %x, i32 %lane
  %t = trunc <4 x i32> %v to <4 x i8>
  %b = bitcast <4 x i8> %t to float
  store float %b, ptr %at
  ret void
}

; CHECK-LABEL: define internal void @as_halves.blocks(
; CHECK-NOT: <4 x
; CHECK-NOT: half> poison
; CHECK: store half %
; CHECK-NOT: <4 x
; CHECK-LABEL: define i32 @as_halves(
; CHECK: call i32 @kmux_cpu_run(ptr
define void @as_halves(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.thread.x"()
  %a = insertelement <4 x i32> zeroinitializer, i32 %lane, i64 1
  %v = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %at = getelementptr i64, ptr %x, i32 %lane
  %b = bitcast <4 x i32> %v to <8 x half>
  %h = extractelement <8 x half> %b, i64 2
  store half %h, ptr %at
  ret void
}

; CHECK-LABEL: define internal void @as_integer.blocks(
; CHECK-NOT: <4 x
; CHECK: add <32 x i32>
; CHECK-NOT: <4 x
; CHECK-LABEL: define i32 @as_integer(
; CHECK: call i32 @kmux_cpu_run(ptr
define void @as_integer(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.thread.x"()
  %a = insertelement <4 x i32> zeroinitializer, i32 %lane, i64 1
  %v = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %at = getelementptr i64, ptr %x, i32 %lane
  %b = bitcast <4 x i32> %v to i128
  store i128 %b, ptr %at
  ret void
}

; CHECK-LABEL: define internal void @one_element.blocks(
; CHECK-NOT: <4 x
; CHECK: select i1 %{{.*}}, <32 x i32>
; CHECK-NOT: <4 x
; CHECK-LABEL: define i32 @one_element(
; CHECK: call i32 @kmux_cpu_run(ptr
define void @one_element(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.thread.x"()
  %a = insertelement <4 x i32> zeroinitializer, i32 %lane, i64 1
  %v = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %at = getelementptr i64, ptr %x, i32 %lane
  %i = and i32 %n, 3
  %e = extractelement <4 x i32> %v, i32 %i
  store i32 %e, ptr %at
  ret void
}

; CHECK-LABEL: define internal void @stored.blocks(
; CHECK-NOT: <4 x
; CHECK: add <32 x i32>
; CHECK-NOT: <4 x
; CHECK-LABEL: define i32 @stored(
; CHECK: call i32 @kmux_cpu_run(ptr
define void @stored(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.thread.x"()
  %a = insertelement <4 x i32> zeroinitializer, i32 %lane, i64 1
  %v = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %at = getelementptr i64, ptr %x, i32 %lane
  store <4 x i32> %v, ptr %at
  ret void
}

; What no elements can replace runs on fibers.
; CHECK-LABEL: define i32 @whole(
; CHECK: call i32 @kmux_cpu_run_fibers(ptr %0, ptr @whole.thread, ptr %{{.*}}, ptr @whole.fibers)
define void @whole(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.thread.x"()
  %a = insertelement <4 x i32> zeroinitializer, i32 %lane, i64 1
  %v = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %at = getelementptr i64, ptr %x, i32 %lane
  %s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  store i32 %s, ptr %at
  ret void
}
