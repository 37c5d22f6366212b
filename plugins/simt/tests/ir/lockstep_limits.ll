; Scattered stores reduce the warps in lockstep if the processor has no instruction for them.
; RUN: kmux-opt --passes=print-lockstep --block=256 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK: {{^}}; with_scatters: 8 warps in lockstep{{$}}
define void @with_scatters(ptr %x) #0 {
  %i = call i32 @"kmux.lane"()
  %w = zext i32 %i to i64
  %o = mul i64 %w, 4
  %q = getelementptr i32, ptr %x, i64 %o
  br label %l
l:
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  br label %l
}

; CHECK-NEXT: {{^}}; contiguous: 8 warps in lockstep{{$}}
define void @contiguous(ptr %x) #1 {
  %i = call i32 @"kmux.lane"()
  %w = zext i32 %i to i64
  %o = mul i64 %w, 1
  %q = getelementptr i32, ptr %x, i64 %o
  br label %l
l:
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  br label %l
}

; Each lane needs code of its own.
; CHECK-NEXT: {{^}}; without_scatters: 4 warps in lockstep{{$}}
define void @without_scatters(ptr %x) #1 {
  %i = call i32 @"kmux.lane"()
  %w = zext i32 %i to i64
  %o = mul i64 %w, 4
  %q = getelementptr i32, ptr %x, i64 %o
  br label %l
l:
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  store volatile i32 %i, ptr %q
  br label %l
}

attributes #0 = { "target-features"="+avx512f" }
attributes #1 = { "target-features"="+avx2" }
