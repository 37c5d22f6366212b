; Loops that do not stride over the grid are left as they are.
; RUN: kmux-opt --passes=prefetch --block=256 --lanes=32 --warps=8 %s | FileCheck %s --match-full-lines
declare i32 @"kmux.block.x"() nounwind willreturn memory(none)
declare i32 @"kmux.grid_dim.x"() nounwind willreturn memory(none)

; CHECK-LABEL: define void @by_constant(ptr %x, i32 %n, i32 %other) {
; CHECK-NEXT: entry:
; CHECK-NEXT:   %blocks = call i32 @kmux.grid_dim.x()
; CHECK-NEXT:   %step = shl i32 %blocks, 8
; CHECK-NEXT:   %block = call i32 @kmux.block.x()
; CHECK-NEXT:   %first = shl i32 %block, 8
; CHECK-NEXT:   br label %loop
; CHECK-EMPTY:
; CHECK-NEXT: loop: ; preds = %loop, %entry
; CHECK-NEXT:   %i = phi i32 [ %first, %entry ], [ %next, %loop ]
; CHECK-NEXT:   %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
; CHECK-NEXT:   %wide = sext i32 %i to i64
; CHECK-NEXT:   %place = getelementptr float, ptr %x, i64 %wide
; CHECK-NEXT:   %v = load <32 x float>, ptr %place, align 128
; CHECK-NEXT:   %more = fadd <32 x float> %sum, %v
; CHECK-NEXT:   %next = add i32 %i, 256
; CHECK-NEXT:   %again = icmp slt i32 %next, %n
; CHECK-NEXT:   br i1 %again, label %loop, label %end
; CHECK-EMPTY:
; CHECK-NEXT: end: ; preds = %loop
; CHECK-NEXT:   store <32 x float> %more, ptr %x, align 128
; CHECK-NEXT:   ret void
; CHECK-NEXT: }
define void @by_constant(ptr %x, i32 %n, i32 %other) {
entry:
  %blocks = call i32 @"kmux.grid_dim.x"()
  %step = shl i32 %blocks, 8
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %v = load <32 x float>, ptr %place
  %more = fadd <32 x float> %sum, %v
  %next = add i32 %i, 256
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <32 x float> %more, ptr %x
  ret void
}

; CHECK-LABEL: define void @by_parameter(ptr %x, i32 %n, i32 %other) {
; CHECK-NEXT: entry:
; CHECK-NEXT:   %blocks = call i32 @kmux.grid_dim.x()
; CHECK-NEXT:   %step = shl i32 %blocks, 8
; CHECK-NEXT:   %block = call i32 @kmux.block.x()
; CHECK-NEXT:   %first = shl i32 %block, 8
; CHECK-NEXT:   br label %loop
; CHECK-EMPTY:
; CHECK-NEXT: loop: ; preds = %loop, %entry
; CHECK-NEXT:   %i = phi i32 [ %first, %entry ], [ %next, %loop ]
; CHECK-NEXT:   %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
; CHECK-NEXT:   %wide = sext i32 %i to i64
; CHECK-NEXT:   %place = getelementptr float, ptr %x, i64 %wide
; CHECK-NEXT:   %v = load <32 x float>, ptr %place, align 128
; CHECK-NEXT:   %more = fadd <32 x float> %sum, %v
; CHECK-NEXT:   %next = add i32 %i, %other
; CHECK-NEXT:   %again = icmp slt i32 %next, %n
; CHECK-NEXT:   br i1 %again, label %loop, label %end
; CHECK-EMPTY:
; CHECK-NEXT: end: ; preds = %loop
; CHECK-NEXT:   store <32 x float> %more, ptr %x, align 128
; CHECK-NEXT:   ret void
; CHECK-NEXT: }
define void @by_parameter(ptr %x, i32 %n, i32 %other) {
entry:
  %blocks = call i32 @"kmux.grid_dim.x"()
  %step = shl i32 %blocks, 8
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %v = load <32 x float>, ptr %place
  %more = fadd <32 x float> %sum, %v
  %next = add i32 %i, %other
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <32 x float> %more, ptr %x
  ret void
}
