; Scales by a power of two, for each of 32 threads and for one: AVX-512's instruction for registers as wide as the processor prefers.
; REQUIRES: x86_64
; RUN: kmux-opt --passes=scales --mcpu=znver4 %s | FileCheck %s --check-prefixes=CHECK,WIDE --implicit-check-not=kmux.scale
; RUN: kmux-opt --passes=scales --mcpu=skylake-avx512 %s | FileCheck %s --check-prefixes=CHECK,HALF --implicit-check-not=kmux.scale
declare <32 x float> @"kmux.scale.float.x32"(<32 x float>, <32 x float>)
declare double @"kmux.scale.double"(double, double)

; CHECK-LABEL: define <32 x float> @of_warp(
; WIDE-COUNT-2: call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %[[#]], <16 x float> %[[#]], <16 x float> %[[#]], i16 -1, i32 4)
; HALF-COUNT-4: call <8 x float> @llvm.x86.avx512.mask.scalef.ps.256(<8 x float> %[[#]], <8 x float> %[[#]], <8 x float> %[[#]], i8 -1)
; CHECK-NOT: scalef
; CHECK: ret <32 x float> %[[#]]
define <32 x float> @of_warp(<32 x float> %x, <32 x float> %n) {
  %y = call <32 x float> @"kmux.scale.float.x32"(<32 x float> %x, <32 x float> %n)
  ret <32 x float> %y
}

; CHECK-LABEL: define double @of_thread(
; WIDE-DAG: %[[N:.+]] = insertelement <8 x double> poison, double %n, i64 0
; WIDE-DAG: %[[X:.+]] = insertelement <8 x double> poison, double %x, i64 0
; WIDE: %[[Y:.+]] = call <8 x double> @llvm.x86.avx512.mask.scalef.pd.512(<8 x double> %[[X]], <8 x double> %[[N]], <8 x double> %[[X]], i8 -1, i32 4)
; WIDE-NEXT: %[[RESULT:.+]] = extractelement <8 x double> %[[Y]], i64 0
; HALF-DAG: %[[N:.+]] = insertelement <4 x double> poison, double %n, i64 0
; HALF-DAG: %[[X:.+]] = insertelement <4 x double> poison, double %x, i64 0
; HALF: %[[Y:.+]] = call <4 x double> @llvm.x86.avx512.mask.scalef.pd.256(<4 x double> %[[X]], <4 x double> %[[N]], <4 x double> %[[X]], i8 -1)
; HALF-NEXT: %[[RESULT:.+]] = extractelement <4 x double> %[[Y]], i64 0
; CHECK-NEXT: ret double %[[RESULT]]
define double @of_thread(double %x, double %n) {
  %y = call double @"kmux.scale.double"(double %x, double %n)
  ret double %y
}
