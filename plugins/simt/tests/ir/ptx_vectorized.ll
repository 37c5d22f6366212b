; PTX is vectorized as C++ is: one vector operation for all lanes, contiguous loads and stores.
; RUN: kmux-opt --passes=replace-assembly,structurize,vectorize --lanes=8 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define internal void @k(
; CHECK-NOT: extractelement
; CHECK: load <8 x i32>
; CHECK: and <8 x i32>
; CHECK: fpext <8 x half>
; CHECK: fptrunc <8 x float> {{.*}} to <8 x half>
; CHECK: store <8 x i32>
; CHECK: ret void
define void @k(ptr %x) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %place = getelementptr i32, ptr %x, i64 %wide
  %a = call i32 asm sideeffect "ld.global.nc.u32 $0, [$1];", "=r,l"(ptr %place)
  %b = call i32 asm "{ .reg .b32 h; lop3.b32 h, $1, 0x000f000f, 0x64006400, 0xea; add.f16x2 $0, h, $1; }", "=r,r"(i32 %a)
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(ptr %place, i32 %b)
  ret void
}
