; Code that only some lanes run.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare i32 @"kmux.block.x"() nounwind willreturn memory(none)

; The first lane has the least index, so it decides whether any lane is below.
; CHECK-LABEL: define internal void @less(
; CHECK: [[FIRST:%.*]] = shl i32 %{{.*}}, 8
; CHECK: [[INDEX:%.*]] = add i32 [[FIRST]], 0
; CHECK: [[ARE_NONE:%.*]] = icmp sge i32 [[INDEX]], %1
; CHECK: [[ARE_ANY:%.*]] = xor i1 [[ARE_NONE]], true
; CHECK: br i1 [[ARE_ANY]], label %run, label %end
define void @less(ptr %x, i32 %n) {
entry:
  %lane = call i32 @"kmux.lane"()
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  %i = add i32 %first, %lane
  %is_less = icmp slt i32 %i, %n
  br i1 %is_less, label %run, label %end
run:
  store i32 %lane, ptr %x
  br label %end
end:
  ret void
}

; Facts about the running lanes may not hold for lane 0, which may not run.
; CHECK-LABEL: define internal void @some_lanes(
; CHECK-NOT: add nsw
; CHECK: [[FIRST:%.*]] = add i32 %1, 0
; CHECK-NOT: add nsw
; CHECK: [[WIDE:%.*]] = sext i32 [[FIRST]] to i64
; CHECK: [[PLACE:%.*]] = getelementptr i32, ptr %0, i64 [[WIDE]]
; CHECK-NOT: add nsw
; CHECK: call void @llvm.masked.store.v32i32.p0(<32 x i32> %{{.*}}, ptr [[PLACE]], i32 4, <32 x i1> %{{.*}})
; CHECK-NOT: add nsw
define void @some_lanes(ptr %x, i32 %n, i32 %m) {
entry:
  %lane = call i32 @"kmux.lane"()
  %are_few = icmp slt i32 %lane, %m
  br i1 %are_few, label %run, label %end
run:
  %i = add nsw i32 %n, %lane
  %wide = sext i32 %i to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 %n, ptr %place
  br label %end
end:
  ret void
}

; Lane 0 runs where all lanes do.
; CHECK-LABEL: define internal void @all_lanes(
; CHECK: [[FIRST:%.*]] = add nsw i32 %1, 0
; CHECK: [[WIDE:%.*]] = sext i32 [[FIRST]] to i64
; CHECK: [[PLACE:%.*]] = getelementptr inbounds i32, ptr %0, i64 [[WIDE]]
; CHECK: store <32 x i32> %{{.*}}, ptr [[PLACE]], align 4
define void @all_lanes(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %i = add nsw i32 %n, %lane
  %wide = sext i32 %i to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 %n, ptr %place
  ret void
}
