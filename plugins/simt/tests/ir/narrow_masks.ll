; Masked loads and stores whose constant mask selects the first elements.
; RUN: kmux-opt --passes=narrow-masks %s | FileCheck %s
; RUN: kmux-opt --passes=narrow-masks %s | FileCheck %s --check-prefix=SAME --match-full-lines
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; %rest gives the other elements of the load.
; CHECK-LABEL: define void @first_four(
; CHECK-NEXT: %[[FOUR:.+]] = load <4 x float>, ptr %x, align 4
; CHECK-NEXT: %[[WIDE:.+]] = shufflevector <4 x float> %[[FOUR]], <4 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison>
; CHECK-NEXT: %[[ALL:.+]] = shufflevector <8 x float> %[[WIDE]], <8 x float> %rest, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
; CHECK-NEXT: %s = fadd <8 x float> %[[ALL]], %[[ALL]]
; CHECK-NEXT: %[[PART:.+]] = shufflevector <8 x float> %s, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK-NEXT: store <4 x float> %[[PART]], ptr %x, align 4
; CHECK-NEXT: ret void
define void @first_four(ptr %x, <8 x i1> %some, <8 x float> %rest) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> %rest)
  %s = fadd <8 x float> %v, %v
  call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  ret void
}

; The mask is not constant.
; SAME-LABEL: define void @unknown_mask(ptr %x, <8 x i1> %some, <8 x float> %rest) {
; SAME-NEXT: %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> %some, <8 x float> %rest)
; SAME-NEXT: %s = fadd <8 x float> %v, %v
; SAME-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> %some)
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @unknown_mask(ptr %x, <8 x i1> %some, <8 x float> %rest) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> %some, <8 x float> %rest)
  %s = fadd <8 x float> %v, %v
  call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> %some)
  ret void
}

; It selects nothing.
; SAME-LABEL: define void @empty_mask(ptr %x, <8 x i1> %some, <8 x float> %rest) {
; SAME-NEXT: %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> zeroinitializer, <8 x float> %rest)
; SAME-NEXT: %s = fadd <8 x float> %v, %v
; SAME-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> zeroinitializer)
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @empty_mask(ptr %x, <8 x i1> %some, <8 x float> %rest) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> zeroinitializer, <8 x float> %rest)
  %s = fadd <8 x float> %v, %v
  call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> zeroinitializer)
  ret void
}

; It selects three elements, which no vector has.
; SAME-LABEL: define void @first_three(ptr %x, <8 x i1> %some, <8 x float> %rest) {
; SAME-NEXT: %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x float> %rest)
; SAME-NEXT: %s = fadd <8 x float> %v, %v
; SAME-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @first_three(ptr %x, <8 x i1> %some, <8 x float> %rest) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> %rest)
  %s = fadd <8 x float> %v, %v
  call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}

; It does not select the first element.
; SAME-LABEL: define void @second_and_third(ptr %x, <8 x i1> %some, <8 x float> %rest) {
; SAME-NEXT: %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 false, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x float> %rest)
; SAME-NEXT: %s = fadd <8 x float> %v, %v
; SAME-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 false, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @second_and_third(ptr %x, <8 x i1> %some, <8 x float> %rest) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> %rest)
  %s = fadd <8 x float> %v, %v
  call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}

; There is a gap.
; SAME-LABEL: define void @first_and_third(ptr %x, <8 x i1> %some, <8 x float> %rest) {
; SAME-NEXT: %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 true, i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x float> %rest)
; SAME-NEXT: %s = fadd <8 x float> %v, %v
; SAME-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 true, i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @first_and_third(ptr %x, <8 x i1> %some, <8 x float> %rest) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> %rest)
  %s = fadd <8 x float> %v, %v
  call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}

; The second element is undefined.
; SAME-LABEL: define void @undefined_element(ptr %x, <8 x i1> %some, <8 x float> %rest) {
; SAME-NEXT: %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 true, i1 undef, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x float> %rest)
; SAME-NEXT: %s = fadd <8 x float> %v, %v
; SAME-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 true, i1 undef, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
; SAME-NEXT: ret void
; SAME-NEXT: }
define void @undefined_element(ptr %x, <8 x i1> %some, <8 x float> %rest) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> <i1 1, i1 undef, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> %rest)
  %s = fadd <8 x float> %v, %v
  call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> <i1 1, i1 undef, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}
