; Statements of PTX become LLVM IR; those that have no meaning here keep their text, with the reason.
; RUN: kmux-opt --passes=replace-assembly %s | FileCheck %s

; A predicate selects.
; CHECK-LABEL: define i32 @guards(
; CHECK: [[LESS:%.*]] = icmp slt i32 %x, %y
; CHECK: [[SUM:%.*]] = add i32 %x, %y
; CHECK: [[ONE:%.*]] = select i1 [[LESS]], i32 [[SUM]], i32 0
; CHECK: [[NOT:%.*]] = xor i1 [[LESS]], true
; CHECK: [[OTHER:%.*]] = select i1 [[NOT]], i32 7, i32 [[ONE]]
; CHECK: ret i32 [[OTHER]]
define i32 @guards(i32 %x, i32 %y) {
  %a = call i32 asm "$( .reg .pred p; setp.lt.s32 p, $1, $2; @p add.s32 $0, $1, $2; @!p mov.s32 $0, 7; $)", "=r,r,r,~{dirflag}"(i32 %x, i32 %y)
  ret i32 %a
}

; Labels are blocks, without variables.
; CHECK-LABEL: define i32 @loops(
; CHECK-NOT: alloca
; CHECK: br label %[[LOOP:.*]]
; CHECK: [[LOOP]]:
; CHECK: phi i32
; CHECK: br i1 {{.*}}, label %[[LOOP]],
define i32 @loops(i32 %x) {
  %a = call i32 asm sideeffect "$( .reg .b32 %r<2>; .reg .pred p;\0A mov.u32 %r0, 0;\0A L${:uid}: add.u32 %r0, %r0, 1; setp.lt.u32 p, %r0, $1; @p bra L${:uid};\0A mov.b32 $0, %r0; $)", "=r,r"(i32 %x)
  ret i32 %a
}

; Pointers stay pointers, and memory is only accessed by lanes with the predicate.
; CHECK-LABEL: define { i32, i32 } @loads(
; CHECK: br i1
; CHECK: [[PLACE:%.*]] = getelementptr i8, ptr %p, i64 16
; CHECK: load i32, ptr [[PLACE]], align 8
; CHECK: [[NEXT:%.*]] = getelementptr i8, ptr [[PLACE]], i64 4
; CHECK: load i32, ptr [[NEXT]], align 4
; CHECK: phi i32
define { i32, i32 } @loads(ptr %p, i32 %c) {
  %a = call { i32, i32 } asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $3, 0; @p ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {$0, $1}, [$2 + 16]; }", "=r,=r,l,r"(ptr %p, i32 %c)
  ret { i32, i32 } %a
}

; A tied operand is the value that its result has before; an immediate has any size.
; CHECK-LABEL: define i64 @tied(
; CHECK: add i64 %x, 5
define i64 @tied(i64 %x) {
  %a = call i64 asm "add.u64 $0, $0, $1;", "=r,n,0"(i32 5, i64 %x)
  ret i64 %a
}

; CHECK-LABEL: define void @orders(
; CHECK-NEXT: load atomic i32, ptr %p acquire, align 4
; CHECK-NEXT: atomicrmw uinc_wrap ptr %p, i32 9 release
; CHECK-NEXT: fence seq_cst
; CHECK-NEXT: call void @kmux.barrier()
; CHECK-NEXT: ret void
define void @orders(ptr %p) {
  %a = call i32 asm sideeffect "ld.acquire.gpu.u32 $0, [$1];", "=r,l"(ptr %p)
  call void asm sideeffect "red.release.gpu.global.inc.u32 [$0], 9;", "l"(ptr %p)
  call void asm sideeffect "fence.acq_rel.gpu; prefetch.global.L2 [$0];", "l"(ptr %p)
  call void asm sideeffect "barrier.sync.aligned 0;", ""()
  ret void
}

; CHECK-LABEL: define void @refused(
; CHECK-NEXT: call void asm sideeffect "tcgen05.fence::before_thread_sync;", ""() [[TENSOR:#.*]]
; CHECK-NEXT: call void asm sideeffect "setp.foo.s32 $0, 1, 2;", "r"(i32 %x) [[PART:#.*]]
; CHECK-NEXT: call void asm sideeffect "st.global.u32 [$0], 1;", "*m"(ptr elementtype(i32) %p) [[MEMORY:#.*]]
; CHECK-NEXT: call void asm sideeffect "add.u32 %r1; (", ""() [[TEXT:#.*]]
define void @refused(i32 %x, ptr %p) {
  call void asm sideeffect "tcgen05.fence::before_thread_sync;", ""()
  call void asm sideeffect "setp.foo.s32 $0, 1, 2;", "r"(i32 %x)
  call void asm sideeffect "st.global.u32 [$0], 1;", "*m"(ptr elementtype(i32) %p)
  call void asm sideeffect "add.u32 %r1; (", ""()
  ret void
}
; CHECK-DAG: attributes [[TENSOR]] = { "kmux-assembly-refusal"="whose instruction \22tcgen05.fence::before_thread_sync\22 is not for this processor (it needs tensor memory)" }
; CHECK-DAG: attributes [[PART]] = { "kmux-assembly-refusal"="whose instruction \22setp.foo.s32\22 is not for this processor (its comparison is missing)" }
; CHECK-DAG: attributes [[MEMORY]] = { "kmux-assembly-refusal"="which is not for this processor (an operand of it is in memory)" }
; CHECK-DAG: attributes [[TEXT]] = { "kmux-assembly-refusal"="which is not for this processor (\22(\22 where PTX has an instruction, behind \22add.u32\22)" }
