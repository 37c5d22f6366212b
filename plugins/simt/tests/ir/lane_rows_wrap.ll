; Rows of places whose index may wrap around between two lanes.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)

; CHECK-LABEL: define internal void @sums(
; CHECK: [[FIRST:%[0-9]+]] = add i32 %2, 0
; Lane 0's index: adding 31 gives 2^32 - 1 at most.
; CHECK: [[FITS:%[0-9]+]] = icmp ule i32 [[FIRST]], -32{{$}}
; CHECK: [[TEST:%[0-9]+]] = freeze i1 [[FITS]]
; CHECK-NEXT: br i1 [[TEST]], label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: [[ROW:%[0-9]+]] = load <32 x float>, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: [[READ:%[0-9]+]] = phi <32 x float> [ [[ROW]], %row ], [ [[APART]], %apart ]
; CHECK: [[FITS_TOO:%[0-9]+]] = icmp sle i32 [[FIRST]], 2147483616{{$}}
; CHECK: [[TEST_TOO:%[0-9]+]] = freeze i1 [[FITS_TOO]]
; CHECK-NEXT: br i1 [[TEST_TOO]], label %[[TO_ROW:row[0-9]+]], label %[[TO_APART:apart[0-9]+]]
; CHECK: {{^}}[[TO_ROW]]:
; CHECK-NEXT: store <32 x float> [[READ]], ptr
; CHECK: {{^}}[[TO_APART]]:
; CHECK: call void @llvm.masked.scatter.v32f32.v32p0(<32 x float> [[READ]],
define void @sums(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %wide = zext i32 %u to i64
  %signed = sext i32 %u to i64
  %sum = add i64 %signed, 5
  %from = getelementptr float, ptr %x, i64 %wide
  %to = getelementptr float, ptr %y, i64 %sum
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

; CHECK-LABEL: define internal void @by_4(
; CHECK: [[FITS:%[0-9]+]] = icmp ule i8 {{%[0-9]+}}, -125{{$}}
; CHECK: [[TEST:%[0-9]+]] = freeze i1 [[FITS]]
; CHECK-NEXT: br i1 [[TEST]], label %row, label %apart
; CHECK: store <32 x float>
; CHECK: call void @llvm.masked.scatter
define void @by_4(ptr %x, i8 %n, float %v) {
  %lane = call i32 @"kmux.lane"()
  %byte = trunc i32 %lane to i8
  %times = mul i8 %byte, 4
  %u = add i8 %times, %n
  %wide = zext i8 %u to i64
  %at = getelementptr i8, ptr %x, i64 %wide
  store float %v, ptr %at
  ret void
}

; The indices of 32 lanes, 8 bytes apart, wrap around in each warp: a test would never hold.
; CHECK-LABEL: define internal void @by_8(
; CHECK-NOT: icmp
; CHECK: call void @llvm.masked.scatter
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @by_8(ptr %x, i8 %n, double %v) {
  %lane = call i32 @"kmux.lane"()
  %byte = trunc i32 %lane to i8
  %times = mul i8 %byte, 8
  %u = add i8 %times, %n
  %wide = zext i8 %u to i64
  %at = getelementptr i8, ptr %x, i64 %wide
  store double %v, ptr %at
  ret void
}

; Places that are not next to each other are no row, whatever their index does.
; CHECK-LABEL: define internal void @apart(
; CHECK-NOT: icmp
; CHECK: call void @llvm.masked.scatter
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @apart(ptr %x, i8 %n, float %v) {
  %lane = call i32 @"kmux.lane"()
  %byte = trunc i32 %lane to i8
  %times = mul i8 %byte, 8
  %u = add i8 %times, %n
  %wide = zext i8 %u to i64
  %at = getelementptr i8, ptr %x, i64 %wide
  store float %v, ptr %at
  ret void
}

; CHECK-LABEL: define internal void @by_minus_4(
; CHECK: [[FITS:%[0-9]+]] = icmp uge i8 {{%[0-9]+}}, 124{{$}}
; CHECK: [[TEST:%[0-9]+]] = freeze i1 [[FITS]]
; CHECK-NEXT: br i1 [[TEST]], label %row, label %apart
; CHECK: store <32 x float>
; CHECK: call void @llvm.masked.scatter
define void @by_minus_4(ptr %x, i8 %n, float %v) {
  %lane = call i32 @"kmux.lane"()
  %byte = trunc i32 %lane to i8
  %times = mul i8 %byte, -4
  %u = add i8 %times, %n
  %wide = zext i8 %u to i64
  %at = getelementptr i8, ptr %x, i64 %wide
  store float %v, ptr %at
  ret void
}

; CHECK-LABEL: define internal void @apart_minus_8(
; CHECK-NOT: icmp
; CHECK: call void @llvm.masked.scatter
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @apart_minus_8(ptr %x, i8 %n, float %v) {
  %lane = call i32 @"kmux.lane"()
  %byte = trunc i32 %lane to i8
  %times = mul i8 %byte, -8
  %u = add i8 %times, %n
  %wide = zext i8 %u to i64
  %at = getelementptr i8, ptr %x, i64 %wide
  store float %v, ptr %at
  ret void
}
