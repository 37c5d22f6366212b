; Loads at indices that a remainder, a quotient, a minimum or a mask computes from a progression.
; RUN: kmux-opt --passes=vectorize --lanes=32 %s | FileCheck %s
declare i32 @"kmux.lane"() nounwind willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)

; A row, if no lane of the warp crosses a bound of the index.
; CHECK-LABEL: define internal void @srem_n(
; CHECK: [[DIVISOR:%[0-9]+]] = select i1 {{%[0-9]+}}, i32 %2, i32 1
; CHECK: icmp ult i32 31, [[DIVISOR]]
; CHECK: [[MOST:%[0-9]+]] = sub i32 [[DIVISOR]], 31
; CHECK: icmp ult i32 {{%[0-9]+}}, [[MOST]]
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: [[ROW:%[0-9]+]] = load <32 x float>, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ [[ROW]], %row ], [ [[APART]], %apart ]
define void @srem_n(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = srem i32 %u, %n
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @urem_100(
; CHECK: icmp ult i32 {{%[0-9]+}}, 69{{$}}
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: [[ROW:%[0-9]+]] = load <32 x float>, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ [[ROW]], %row ], [ [[APART]], %apart ]
define void @urem_100(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = urem i32 %u, 100
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @smin_left(
; CHECK: [[LAST:%[0-9]+]] = add i32 {{%[0-9]+}}, 31
; CHECK: icmp sle i32 [[LAST]], %2
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: [[ROW:%[0-9]+]] = load <32 x float>, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ [[ROW]], %row ], [ [[APART]], %apart ]
define void @smin_left(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = call i32 @llvm.smin.i32(i32 %u, i32 %n)
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @smin_right(
; CHECK: [[LAST:%[0-9]+]] = add i32 {{%[0-9]+}}, 31
; CHECK: icmp sle i32 [[LAST]], %2
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: [[ROW:%[0-9]+]] = load <32 x float>, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ [[ROW]], %row ], [ [[APART]], %apart ]
define void @smin_right(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = call i32 @llvm.smin.i32(i32 %n, i32 %u)
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @umax(
; CHECK: icmp uge i32 {{%[0-9]+}}, 7{{$}}
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: [[ROW:%[0-9]+]] = load <32 x float>, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ [[ROW]], %row ], [ [[APART]], %apart ]
define void @umax(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = call i32 @llvm.umax.i32(i32 %u, i32 7)
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @and_63(
; CHECK: icmp ult i32 {{%[0-9]+}}, 33{{$}}
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: [[ROW:%[0-9]+]] = load <32 x float>, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ [[ROW]], %row ], [ [[APART]], %apart ]
define void @and_63(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = and i32 %u, 63
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; One place for all lanes, if no lane crosses a multiple of the divisor.
; CHECK-LABEL: define internal void @sdiv_n(
; CHECK: [[DIVISOR:%[0-9]+]] = select i1 {{%[0-9]+}}, i32 %2, i32 1
; CHECK: [[REST:%[0-9]+]] = srem i32 {{%[0-9]+}}, [[DIVISOR]]
; CHECK: icmp ult i32 31, [[DIVISOR]]
; CHECK: [[MOST:%[0-9]+]] = sub i32 [[DIVISOR]], 31
; CHECK: icmp ult i32 [[REST]], [[MOST]]
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: load float, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ {{%.*}}, %row ], [ [[APART]], %apart ]
define void @sdiv_n(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = sdiv i32 %u, %n
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @udiv_100(
; CHECK: [[REST:%[0-9]+]] = urem i32 {{%[0-9]+}}, 100
; CHECK: icmp ult i32 [[REST]], 69{{$}}
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: load float, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ {{%.*}}, %row ], [ [[APART]], %apart ]
define void @udiv_100(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = udiv i32 %u, 100
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @lshr_5(
; CHECK: [[LOW:%[0-9]+]] = and i32 {{%[0-9]+}}, 31
; CHECK: icmp ult i32 [[LOW]], 1{{$}}
; CHECK: br i1 {{%[0-9]+}}, label %row, label %apart
; CHECK: {{^}}row:
; CHECK-NEXT: load float, ptr
; CHECK: {{^}}apart:
; CHECK: [[APART:%[0-9]+]] = call <32 x float> @llvm.masked.gather
; CHECK: phi <32 x float> [ {{%.*}}, %row ], [ [[APART]], %apart ]
define void @lshr_5(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = lshr i32 %u, 5
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; A warp always crosses a bound, or its lanes have no stride.
; CHECK-LABEL: define internal void @srem_31(
; CHECK-NOT: br i1
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: br i1
; CHECK: ret void
; CHECK-NEXT: }
define void @srem_31(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = srem i32 %u, 31
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @and_15(
; CHECK-NOT: br i1
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: br i1
; CHECK: ret void
; CHECK-NEXT: }
define void @and_15(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = and i32 %u, 15
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @lshr_4(
; CHECK-NOT: br i1
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: br i1
; CHECK: ret void
; CHECK-NEXT: }
define void @lshr_4(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = lshr i32 %u, 4
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @udiv_31(
; CHECK-NOT: br i1
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: br i1
; CHECK: ret void
; CHECK-NEXT: }
define void @udiv_31(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = udiv i32 %u, 31
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define internal void @and_62(
; CHECK-NOT: br i1
; CHECK: call <32 x float> @llvm.masked.gather
; CHECK-NOT: br i1
; CHECK: ret void
; CHECK-NEXT: }
define void @and_62(ptr %x, ptr %y, i32 %n) {
  %lane = call i32 @"kmux.lane"()
  %u = add i32 %n, %lane
  %i = and i32 %u, 62
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %lane to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q
  ret void
}
