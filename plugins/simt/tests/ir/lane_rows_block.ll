; Each thread stores an element. The warps of a block that is one row of any length store contiguous elements; where a
; block may have several rows, a warp covers the ends of rows.
; RUN: kmux-opt --passes=grid --block=0,1,1 %s | FileCheck %s --check-prefix=ONE
; RUN: kmux-opt --passes=grid --block=0,0,1 %s | FileCheck %s --check-prefix=MANY
declare i32 @"kmux.thread.x"() nounwind willreturn memory(none)

; ONE-LABEL: define internal void @k.blocks(
; The x of a lane would be a remainder, which quotients of doubles compute.
; ONE-NOT: {{scatter|urem <|fptoui <}}
; ONE: call void @llvm.masked.store.v32i32.p0(<32 x i32>
; ONE-NOT: {{scatter|urem <|fptoui <}}
; ONE: store <32 x i32>
; ONE-NOT: {{scatter|urem <|fptoui <}}
; ONE: {{^}}}
; MANY-LABEL: define internal void @k.blocks(
; MANY: fptoui <32 x double>
; MANY: call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32>
; MANY: {{^}}}
define void @k(ptr %x, i32 %n) {
  %t = call i32 @"kmux.thread.x"()
  %p = getelementptr i32, ptr %x, i32 %t
  store i32 %n, ptr %p
  ret void
}
