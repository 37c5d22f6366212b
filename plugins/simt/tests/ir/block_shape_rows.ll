; The rows into which a kernel divides threadIdx.x, and the lanes of its warps.
; RUN: kmux-opt --passes=print-block-shape --block=256,1,1 %s | FileCheck %s
; RUN: kmux-opt --passes=print-block-shape --block=40,1,1 %s | FileCheck %s --check-prefix=SHORT
declare i32 @"kmux.thread.x"() nounwind willreturn memory(none)
declare i32 @"kmux.shuffle"(i32, i32)

; A block whose row is no multiple of 16.
; SHORT: {{^}}; remainder_16: rows of 16, 8 lanes{{$}}

; CHECK: {{^}}; remainder_16: rows of 16, 16 lanes{{$}}
define void @remainder_16(ptr %x) #0 {
  %t = call i32 @"kmux.thread.x"()
  %a = urem i32 %t, 16
  ret void
}

; CHECK-NEXT: {{^}}; quotient_16: rows of 16, 16 lanes{{$}}
define void @quotient_16(ptr %x) #0 {
  %t = call i32 @"kmux.thread.x"()
  %wide = zext i32 %t to i64
  %a = sdiv i64 %wide, 16
  ret void
}

; CHECK-NEXT: {{^}}; bits: rows of 16, 16 lanes{{$}}
define void @bits(ptr %x) #0 {
  %t = call i32 @"kmux.thread.x"()
  %a = and i32 %t, 15
  %b = lshr i32 %t, 3
  ret void
}

; CHECK-NEXT: {{^}}; bits_avx2: rows of 8, 8 lanes{{$}}
define void @bits_avx2(ptr %x) #1 {
  %t = call i32 @"kmux.thread.x"()
  %a = and i32 %t, 15
  %b = lshr i32 %t, 3
  ret void
}

; Fewer than the lanes of a vector.
; CHECK-NEXT: {{^}}; remainder_8: rows of 0, 32 lanes{{$}}
define void @remainder_8(ptr %x) #0 {
  %t = call i32 @"kmux.thread.x"()
  %a = urem i32 %t, 8
  ret void
}

; CHECK-NEXT: {{^}}; other: rows of 0, 32 lanes{{$}}
define void @other(ptr %x) #0 {
  %t = call i32 @"kmux.thread.x"()
  %a = urem i32 %t, 32
  %b = mul i32 %t, 16
  ret void
}

; Lanes exchange values: the warp stays whole.
; CHECK-NEXT: {{^}}; exchange: rows of 16, 32 lanes{{$}}
define void @exchange(ptr %x) #0 {
  %t = call i32 @"kmux.thread.x"()
  %a = urem i32 %t, 16
  %b = call i32 @"kmux.shuffle"(i32 %a, i32 0)
  ret void
}

attributes #0 = { "target-features"="+avx512f" }
attributes #1 = { "target-features"="+avx2" }
