; Notes for checks leave code that is not checked, with their declarations; units stay.
; RUN: kmux-opt --passes=replace-assembly,erase-notes %s | FileCheck %s

; CHECK-NOT: kmux.note
; CHECK-LABEL: define void @copies(
; CHECK-NOT: call void @kmux
; CHECK: ret void
define void @copies(ptr %to, ptr %from) {
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4;", "l,l"(ptr %to, ptr %from)
  call void asm sideeffect "cp.async.commit_group;\0Acp.async.wait_group 0;\0Acp.async.wait_all;", ""()
  ret void
}

; CHECK-LABEL: define void @fences(
; CHECK-NEXT: ret void
define void @fences() {
  call void asm sideeffect "fence.proxy.async.shared::cta;\0Afence.proxy.async.global;\0Afence.proxy.async;", ""()
  call void asm sideeffect "cp.async.bulk.commit_group;\0Acp.async.bulk.wait_group.read 1;", ""()
  ret void
}

; CHECK-LABEL: define void @arrives(
; CHECK: call i64 @kmux.unit.mbarrier.arrive(
; CHECK-NEXT: ret void
define void @arrives(i32 %b) {
  call void asm sideeffect "cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", "r"(i32 %b)
  ret void
}
; CHECK-NOT: kmux.note
