; Values of threads become vectors with an element for each lane; uniform values stay scalars.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare i32 @"kmux.block.x"() nounwind willreturn memory(none)
declare float @"kmux.scale.float"(float, float) nounwind willreturn memory(none)

; Contiguous loads become one load of a vector.
; CHECK-LABEL: define internal void @contiguous(
; CHECK-NOT: gather
; CHECK: [[FIRST:%.*]] = shl i32 %{{.*}}, 8
; CHECK: [[INDEX:%.*]] = add i32 [[FIRST]], 0
; CHECK: [[WIDE:%.*]] = sext i32 [[INDEX]] to i64
; CHECK: [[PLACE:%.*]] = getelementptr float, ptr %0, i64 [[WIDE]]
; CHECK-NOT: gather
; CHECK: load <32 x float>, ptr [[PLACE]], align 4
; CHECK-NOT: gather
define void @contiguous(ptr %x, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %block = call i32 @"kmux.block.x"()
  %first = shl i32 %block, 8
  %i = add i32 %first, %lane
  %wide = sext i32 %i to i64
  %address = getelementptr float, ptr %x, i64 %wide
  %loaded = load float, ptr %address
  ret void
}

; CHECK-LABEL: define internal void @scales(
; CHECK: [[V:%.*]] = load <32 x float>
; CHECK: [[S:%.*]] = call <32 x float> @kmux.scale.float.x32(<32 x float> [[V]], <32 x float> %{{.*}})
; CHECK: [[ONE:%.*]] = call float @kmux.scale.float(float %1, float %1)
; CHECK: insertelement <32 x float> poison, float [[ONE]], i64 0
; CHECK: [[T:%.*]] = fadd <32 x float> [[S]], %{{.*}}
; CHECK: store <32 x float> [[T]]
define void @scales(ptr %x, float %n) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext i32 %lane to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %place
  %s = call float @"kmux.scale.float"(float %v, float %n)
  %one = call float @"kmux.scale.float"(float %n, float %n)
  %t = fadd float %s, %one
  store float %t, ptr %place
  ret void
}

; There are no vectors of structs: a loop stores that of each lane.
; CHECK-LABEL: define internal void @structs(
; CHECK: {{^}}lane:
; CHECK: [[LANE:%.*]] = call i32 @llvm.cttz.i32(
; CHECK: [[SQUARE:%.*]] = extractelement <32 x i32> <i32 0, i32 1, i32 4, i32 9, {{.*}}>, i32 [[LANE]]
; CHECK: [[INDEX:%.*]] = extractelement <32 x i32> <i32 0, i32 1, i32 2, i32 3, {{.*}}>, i32 [[LANE]]
; CHECK: [[HALF:%.*]] = insertvalue { i32, i32 } poison, i32 [[SQUARE]], 0
; CHECK: [[RECORD:%.*]] = insertvalue { i32, i32 } [[HALF]], i32 [[INDEX]], 1
; CHECK: [[PLACE:%.*]] = extractelement <32 x ptr> %{{.*}}, i32 [[LANE]]
; CHECK: store { i32, i32 } [[RECORD]], ptr [[PLACE]]
; CHECK: br i1 %{{.*}}, label %lane, label %lanes.end
define void @structs(ptr %x) {
  %lane = call i32 @"kmux.lane"()
  %wide = zext nneg i32 %lane to i64
  %square = mul i32 %lane, %lane
  %half = insertvalue { i32, i32 } poison, i32 %square, 0
  %record = insertvalue { i32, i32 } %half, i32 %lane, 1
  %address = getelementptr { i32, i32 }, ptr %x, i64 %wide
  store { i32, i32 } %record, ptr %address
  ret void
}
