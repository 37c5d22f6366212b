; Products and moves of matrices become calls of units, whose registers lie in memory of the entry block.
; RUN: kmux-opt --passes=replace-assembly %s | FileCheck %s

; CHECK: [[PRODUCT:@kmux.product.*]] = private unnamed_addr constant [18 x i8] {{.*}}, align 2

; C is written before the call to where D is read after it.
; CHECK-LABEL: define { float, float, float, float } @multiplies(
; CHECK-DAG: [[SUMS:%.*]] = alloca [4 x i32]
; CHECK-DAG: [[A:%.*]] = alloca [2 x i32]
; CHECK-DAG: [[B:%.*]] = alloca [1 x i32]
; CHECK: store i32 %a, ptr
; CHECK: store i32 %b, ptr
; CHECK: call void @kmux.unit.mma(ptr [[PRODUCT]], ptr [[SUMS]], ptr [[A]], ptr [[B]])
; CHECK-NEXT: load i32, ptr [[SUMS]]
define { float, float, float, float } @multiplies(i32 %a, i32 %b, float %c) {
  %d = call { float, float, float, float } asm "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 $( $0, $1, $2, $3 $), $( $4, $4 $), $( $5 $), $( $6, $6, $6, $6 $);", "=f,=f,=f,=f,r,r,f"(i32 %a, i32 %b, float %c)
  ret { float, float, float, float } %d
}

; Of a loop within the text, too, variables are only those of the entry block.
; CHECK-LABEL: define i32 @repeats(
; CHECK: alloca [1 x i32]
; CHECK-NOT: alloca
; CHECK: br label %[[LOOP:.*]]
; CHECK: [[LOOP]]:
; CHECK: call void @kmux.unit.movmatrix(ptr
; CHECK: br i1
define i32 @repeats(i32 %x) {
  %a = call i32 asm sideeffect "$( .reg .b32 i; .reg .pred p; mov.b32 $0, $1; mov.u32 i, 0; L${:uid}: movmatrix.sync.aligned.m8n8.trans.b16 $0, $0; add.u32 i, i, 1; setp.lt.u32 p, i, 3; @p bra L${:uid}; $)", "=r,r"(i32 %x)
  ret i32 %a
}

; Lanes without the predicate do not come.
; CHECK-LABEL: define { i32, i32 } @loads(
; CHECK: br i1
; CHECK: call void @kmux.unit.ldmatrix(i32 2, i32 1, ptr {{.*}}, ptr [[TILES:%.*]])
; CHECK: phi i32
define { i32, i32 } @loads(ptr %p, i32 %c) {
  %a = call { i32, i32 } asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $3, 0; @p ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {$0, $1}, [$2 + 16]; }", "=r,=r,l,r"(ptr %p, i32 %c)
  ret { i32, i32 } %a
}

; Products are done when they are issued, so fences and groups are notes for checks.
; CHECK-LABEL: define void @waits(
; CHECK-NEXT: call void @kmux.note.wgmma_fence()
; CHECK-NEXT: call void @kmux.note.wgmma_commit()
; CHECK-NEXT: call void @kmux.unit.wgmma_wait()
; CHECK-NEXT: call void @kmux.note.wgmma_wait(i32 1)
; CHECK-NEXT: ret void
define void @waits() {
  call void asm sideeffect "wgmma.fence.sync.aligned;", ""()
  call void asm sideeffect "wgmma.commit_group.sync.aligned;", ""()
  call void asm sideeffect "wgmma.wait_group.sync.aligned $0;", "n"(i32 1)
  ret void
}

; CHECK-LABEL: define void @refused(
; CHECK-NEXT: call void asm sideeffect "wmma.mma.sync.aligned;", ""() [[WMMA:#.*]]
; CHECK-NEXT: call void asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {_}, {$0}, {$0}, {$0};", "r"(i32 %x) [[COUNT:#.*]]
define void @refused(i32 %x) {
  call void asm sideeffect "wmma.mma.sync.aligned;", ""()
  call void asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {_}, {$0}, {$0}, {$0};", "r"(i32 %x)
  ret void
}
; CHECK-DAG: attributes [[WMMA]] = { "kmux-assembly-refusal"="whose instruction \22wmma.mma.sync.aligned\22 is not for this processor (it needs fragments of wmma, which nvcuda::wmma has)" }
; CHECK-DAG: attributes [[COUNT]] = { "kmux-assembly-refusal"="whose instruction \22mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32\22 is not for this processor (an operand has 1 registers instead of 2)" }
