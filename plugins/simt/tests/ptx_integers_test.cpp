// Integer instructions of PTX, executed and compared with what the PTX ISA's pseudocode computes bit by bit.
#include <algorithm>
#include <bit>

#include "ptx_code.h"

namespace kmux::simt {
namespace {

using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

s32 i(u64 x) { return static_cast<s32>(x); }
s64 l(u64 x) { return static_cast<s64>(x); }
u64 as(s32 x) { return static_cast<u32>(x); }

TEST(PtxIntegersTest, ComputeSumsAndProducts) {
  expect_values({
      PTX("add.s32 $0, $1, $2;", "i32 i32 i32", w(x[0]) + w(x[1])),
      PTX("sub.u64 $0, $1, $2;", "i64 i64 i64", x[0] - x[1]),
      PTX("add.sat.s32 $0, $1, $2;", "i32 i32 i32",
          as(static_cast<s32>(std::clamp<s64>(s64{i(x[0])} + i(x[1]), INT32_MIN, INT32_MAX)))),
      PTX("sub.sat.s32 $0, $1, $2;", "i32 i32 i32",
          as(static_cast<s32>(std::clamp<s64>(s64{i(x[0])} - i(x[1]), INT32_MIN, INT32_MAX)))),
      PTX("add.u16x2 $0, $1, $2;", "i32 i32 i32",
          ((w(x[0]) + w(x[1])) & 0xffff) | (((w(x[0]) >> 16) + (w(x[1]) >> 16)) << 16 & 0xffff0000)),
      PTX("mul.lo.s32 $0, $1, $2;", "i32 i32 i32", w(x[0]) * w(x[1])),
      PTX("mul.hi.s32 $0, $1, $2;", "i32 i32 i32", w(static_cast<u64>(s64{i(x[0])} * i(x[1]) >> 32))),
      PTX("mul.hi.u64 $0, $1, $2;", "i64 i64 i64", static_cast<u64>(static_cast<u128>(x[0]) * x[1] >> 64)),
      PTX("mul.hi.s64 $0, $1, $2;", "i64 i64 i64", static_cast<u64>(static_cast<i128>(l(x[0])) * l(x[1]) >> 64)),
      PTX("mul.wide.u16 $0, $1, $2;", "i32 i16 i16", (x[0] & 0xffff) * (x[1] & 0xffff)),
      PTX("mul.wide.s32 $0, $1, $2;", "i64 i32 i32", static_cast<u64>(s64{i(x[0])} * i(x[1]))),
      PTX("mad.lo.u32 $0, $1, $2, $3;", "i32 i32 i32 i32", w(x[0]) * w(x[1]) + w(x[2])),
      PTX("mad.wide.s32 $0, $1, $2, $3;", "i64 i32 i32 i64", static_cast<u64>(s64{i(x[0])} * i(x[1])) + x[2]),
      PTX("mad.hi.sat.s32 $0, $1, $2, $3;", "i32 i32 i32 i32",
          as(static_cast<s32>(std::clamp<s64>((s64{i(x[0])} * i(x[1]) >> 32) + i(x[2]), INT32_MIN, INT32_MAX)))),
      PTX("mul24.hi.s32 $0, $1, $2;", "i32 i32 i32",
          w(static_cast<u64>((s64{i(x[0] << 8)} >> 8) * (s64{i(x[1] << 8)} >> 8) >> 16))),
      PTX("mad24.lo.u32 $0, $1, $2, $3;", "i32 i32 i32 i32", w((x[0] & 0xffffff) * (x[1] & 0xffffff)) + w(x[2])),
      PTX("add.cc.u32 $0, $1, $2; addc.u32 $0, $0, $3;", "i32 i32 i32 i32",
          w(x[0] + x[1] + x[2] + (((x[0] & 0xffffffff) + (x[1] & 0xffffffff)) >> 32))),
      PTX("{ .reg .b32 l; sub.cc.u32 l, $1, $2; subc.cc.u32 l, $3, $2; subc.u32 $0, $1, $3; }", "i32 i32 i32 i32",
          w(x[0]) - w(x[2]) - (u64{w(x[2])} < u64{w(x[1])} + (w(x[0]) < w(x[1])) ? 1 : 0)),
      PTX("div.s32 $0, $1, $2;", "i32 i32 i32",
          w(x[1]) == 0 ? 0xffffffff : w(static_cast<u64>(s64{i(x[0])} / i(x[1])))),
      PTX("rem.u32 $0, $1, $2;", "i32 i32 i32", w(x[1]) == 0 ? w(x[0]) : w(x[0]) % w(x[1])),
      PTX("sad.s32 $0, $1, $2, $3;", "i32 i32 i32 i32",
          w(x[2]) + w(static_cast<u64>(std::abs(s64{i(x[0])} - i(x[1]))))),
  });
}

u64 dp(u64 a, u64 b, u64 c, int count, int half, bool is_signed_a, bool is_signed_b) {
  s64 sum = i(c);
  for (int k = 0; k < count; ++k) {
    const int bits = 32 / count;
    s64 p = static_cast<s64>(w(a) >> (k * bits) & ((1U << bits) - 1)),
        q = static_cast<s64>(w(b) >> (8 * (k + 2 * half)) & 255);
    if (is_signed_a && p >> (bits - 1) != 0) p -= s64{1} << bits;
    if (is_signed_b && q >> 7 != 0) q -= 256;
    sum += p * q;
  }
  return w(static_cast<u64>(sum));
}

s32 half_of(u64 x, int k) { return static_cast<std::int16_t>(w(x) >> (16 * k)); }
u64 halves(s32 high, s32 low) { return (w(static_cast<u64>(high)) << 16) | (w(static_cast<u64>(low)) & 0xffff); }

TEST(PtxIntegersTest, ComputeExtremesAndDots) {
  expect_values({
      PTX("min.s32 $0, $1, $2;", "i32 i32 i32", as(std::min(i(x[0]), i(x[1])))),
      PTX("max.u64 $0, $1, $2;", "i64 i64 i64", std::max(x[0], x[1])),
      PTX("max.relu.s32 $0, $1, $2;", "i32 i32 i32", as(std::max({i(x[0]), i(x[1]), 0}))),
      PTX("min.s16x2 $0, $1, $2;", "i32 i32 i32",
          halves(std::min(half_of(x[0], 1), half_of(x[1], 1)), std::min(half_of(x[0], 0), half_of(x[1], 0)))),
      PTX("max.relu.s16x2 $0, $1, $2;", "i32 i32 i32",
          halves(std::max({half_of(x[0], 1), half_of(x[1], 1), 0}), std::max({half_of(x[0], 0), half_of(x[1], 0), 0}))),
      PTX("abs.s32 $0, $1;", "i32 i32", w(static_cast<u64>(std::abs(s64{i(x[0])})))),
      PTX("neg.s64 $0, $1;", "i64 i64", 0 - x[0]),
      PTX("dp4a.u32.s32 $0, $1, $2, $3;", "i32 i32 i32 i32", dp(x[0], x[1], x[2], 4, 0, false, true)),
      PTX("dp4a.s32.s32 $0, $1, $2, $3;", "i32 i32 i32 i32", dp(x[0], x[1], x[2], 4, 0, true, true)),
      PTX("dp2a.hi.s32.u32 $0, $1, $2, $3;", "i32 i32 i32 i32", dp(x[0], x[1], x[2], 2, 1, true, false)),
      PTX("dp2a.lo.u32.u32 $0, $1, $2, $3;", "i32 i32 i32 i32", dp(x[0], x[1], x[2], 2, 0, false, false)),
  });
}

u64 bfe(u64 a, u64 b, u64 c, int bits, bool is_signed) {
  const int msb = bits - 1, pos = static_cast<int>(b & 255), len = static_cast<int>(c & 255);
  const u64 sign = !is_signed || len == 0 ? 0 : a >> std::min(pos + len - 1, msb) & 1;
  u64 d = 0;
  for (int k = 0; k <= msb; ++k) d |= (k < len && pos + k <= msb ? a >> (pos + k) & 1 : sign) << k;
  return d;
}

u64 bfi(u64 a, u64 b, u64 c, u64 d, int bits) {
  for (u64 k = 0, pos = c & 255; k < (d & 255) && pos + k < static_cast<u64>(bits); ++k) {
    b = (b & ~(u64{1} << (pos + k))) | (a >> k & 1) << (pos + k);
  }
  return b;
}

u64 bfind(u64 a, int bits, bool is_signed, bool is_distance) {
  if (is_signed && a >> (bits - 1) & 1) a = ~a;
  for (int k = bits - 1; k >= 0; --k) {
    if (a >> k & 1) return static_cast<u64>(is_distance ? bits - 1 - k : k);
  }
  return 0xffffffff;
}

u64 prmt(u64 a, u64 b, u64 c) {
  const u64 all = w(a) | b << 32;
  u64 d = 0;
  for (int k = 0; k < 4; ++k) {
    const u64 selector = c >> (4 * k) & 15;
    u64 byte = all >> (8 * (selector & 7)) & 255;
    if (selector & 8) byte = byte & 128 ? 255 : 0;
    d |= byte << (8 * k);
  }
  return d;
}

u64 prmt_mode(u64 a, u64 b, u64 c, const char* digits) {  // d.b3 ... d.b0 for c = 0, 1, 2, 3
  u64 d = 0;
  for (int k = 0; k < 4; ++k)
    d = d << 8 | ((w(a) | b << 32) >> (8 * (digits[(c & 3) * 4 + static_cast<u64>(k)] - '0')) & 255);
  return d;
}

u64 lop3(u64 a, u64 b, u64 c, unsigned table) {
  u64 d = 0;
  for (int k = 0; k < 32; ++k) {
    const unsigned index = static_cast<unsigned>((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1));
    d |= u64{table >> index & 1} << k;
  }
  return d;
}

u64 shift(u64 a, u64 places, int bits, int kind) {  // 0 left, 1 right, 2 right with sign
  places = w(places);
  for (u64 k = 0; k < std::min<u64>(places, 64); ++k) {
    const u64 sign = a & (u64{1} << (bits - 1));
    a = kind == 0 ? a << 1 : kind == 1 ? a >> 1 : a >> 1 | sign;
    if (bits < 64) a &= (u64{1} << bits) - 1;
  }
  return a;
}

u64 shf(u64 a, u64 b, u64 c, bool is_left, bool clamps) {
  const u64 n = clamps ? std::min<u64>(w(c), 32) : c & 31;
  const u64 low = w(a), high = w(b);
  return w(is_left ? high << n | low >> (32 - n) : high << (32 - n) | low >> n);
}

TEST(PtxIntegersTest, ComputeBits) {
  expect_values({
      PTX("and.b32 $0, $1, $2;", "i32 i32 i32", w(x[0] & x[1])),
      PTX("xor.b64 $0, $1, $2;", "i64 i64 i64", x[0] ^ x[1]),
      PTX("not.b32 $0, $1;", "i32 i32", w(~x[0])),
      PTX("cnot.b32 $0, $1;", "i32 i32", w(x[0]) == 0),
      PTX("shl.b32 $0, $1, $2;", "i32 i32 i32", shift(w(x[0]), x[1], 32, 0)),
      PTX("shl.b64 $0, $1, $2;", "i64 i64 i32", shift(x[0], x[1], 64, 0)),
      PTX("shr.u32 $0, $1, $2;", "i32 i32 i32", shift(w(x[0]), x[1], 32, 1)),
      PTX("shr.s32 $0, $1, $2;", "i32 i32 i32", shift(w(x[0]), x[1], 32, 2)),
      PTX("shr.s64 $0, $1, $2;", "i64 i64 i32", shift(x[0], x[1], 64, 2)),
      PTX("shr.u16 $0, $1, $2;", "i16 i16 i32", shift(x[0] & 0xffff, x[1], 16, 1)),
      PTX("shl.b32 $0, $1, 33;", "i32 i32", 0),
      PTX("shf.l.wrap.b32 $0, $1, $2, $3;", "i32 i32 i32 i32", shf(x[0], x[1], x[2], true, false)),
      PTX("shf.r.wrap.b32 $0, $1, $2, $3;", "i32 i32 i32 i32", shf(x[0], x[1], x[2], false, false)),
      PTX("shf.l.clamp.b32 $0, $1, $2, $3;", "i32 i32 i32 i32", shf(x[0], x[1], x[2], true, true)),
      PTX("shf.r.clamp.b32 $0, $1, $2, $3;", "i32 i32 i32 i32", shf(x[0], x[1], x[2], false, true)),
      PTX("bfe.u32 $0, $1, $2, $3;", "i32 i32 i32 i32", bfe(w(x[0]), x[1], x[2], 32, false)),
      PTX("bfe.s32 $0, $1, $2, $3;", "i32 i32 i32 i32", bfe(w(x[0]), x[1], x[2], 32, true)),
      PTX("bfe.s64 $0, $1, $2, $3;", "i64 i64 i32 i32", bfe(x[0], x[1], x[2], 64, true)),
      PTX("bfi.b32 $0, $1, $2, $3, 7;", "i32 i32 i32 i32", w(bfi(x[0], x[1], x[2], 7, 32))),
      PTX("bfi.b64 $0, $1, $1, $2, $3;", "i64 i64 i32 i32", bfi(x[0], x[0], x[1], x[2], 64)),
      PTX("bmsk.clamp.b32 $0, $1, $2;", "i32 i32 i32",
          bfi(~0ULL, 0, std::min<u64>(w(x[0]), 32), std::min<u64>(w(x[1]), 32), 32)),
      PTX("bmsk.wrap.b32 $0, $1, $2;", "i32 i32 i32", bfi(~0ULL, 0, x[0] & 31, x[1] & 31, 32)),
      PTX("bfind.u32 $0, $1;", "i32 i32", bfind(w(x[0]), 32, false, false)),
      PTX("bfind.s32 $0, $1;", "i32 i32", bfind(w(x[0]), 32, true, false)),
      PTX("bfind.shiftamt.u64 $0, $1;", "i32 i64", bfind(x[0], 64, false, true)),
      PTX("brev.b32 $0, $1;", "i32 i32",
          [](u64 a) {
            u64 d = 0;
            for (int k = 0; k < 32; ++k) d |= (a >> k & 1) << (31 - k);
            return d;
          }(x[0])),
      PTX("clz.b64 $0, $1;", "i32 i64", static_cast<u64>(std::countl_zero(x[0]))),
      PTX("popc.b32 $0, $1;", "i32 i32", static_cast<u64>(std::popcount(w(x[0])))),
      PTX("prmt.b32 $0, $1, $2, $3;", "i32 i32 i32 i32", prmt(x[0], x[1], x[2])),
      PTX("prmt.b32 $0, $1, $2, 0x5410;", "i32 i32 i32", (x[0] & 0xffff) | (x[1] & 0xffff) << 16),
      PTX("prmt.b32.f4e $0, $1, $2, $3;", "i32 i32 i32 i32", prmt_mode(x[0], x[1], x[2], "3210432154326543")),
      PTX("prmt.b32.b4e $0, $1, $2, $3;", "i32 i32 i32 i32", prmt_mode(x[0], x[1], x[2], "5670670170120123")),
      PTX("prmt.b32.rc8 $0, $1, $2, $3;", "i32 i32 i32 i32", prmt_mode(x[0], x[1], x[2], "0000111122223333")),
      PTX("prmt.b32.ecl $0, $1, $2, $3;", "i32 i32 i32 i32", prmt_mode(x[0], x[1], x[2], "3210321132223333")),
      PTX("prmt.b32.ecr $0, $1, $2, $3;", "i32 i32 i32 i32", prmt_mode(x[0], x[1], x[2], "0000111022103210")),
      PTX("prmt.b32.rc16 $0, $1, $2, $3;", "i32 i32 i32 i32", prmt_mode(x[0], x[1], x[2], "1010323210103232")),
  });
}

TEST(PtxIntegersTest, ComputeEveryTableOfLop3) {
  std::vector<std::string> texts;
  for (unsigned table = 0; table < 256; ++table)
    texts.push_back("lop3.b32 $0, $1, $2, $3, " + std::to_string(table) + ";");
  std::vector<PtxCase> cases;
  for (unsigned table = 0; table < 256; ++table) {
    cases.push_back(
        {texts[table].c_str(), "i32 i32 i32 i32", [table](const Words& x) { return lop3(x[0], x[1], x[2], table); }});
  }
  expect_values(cases, 20);
}

TEST(PtxIntegersTest, CompareAndSelect) {
  expect_values({
      PTX("{ .reg .pred p, q; setp.lt.s32 p|q, $1, $2; selp.b32 $0, 1, 2, p; @q add.u32 $0, $0, 4; }", "i32 i32 i32",
          i(x[0]) < i(x[1]) ? 1 : 6),
      PTX("{ .reg .pred p; setp.hs.u32 p, $1, $2; selp.u32 $0, $1, $2, p; }", "i32 i32 i32",
          std::max(w(x[0]), w(x[1]))),
      PTX("{ .reg .pred %p<3>; setp.ne.b32 %p0, $1, 0; setp.gt.xor.s64 %p1|%p2, $2, -1, !%p0; selp.b32 $0, 3, 5, %p1; "
          "@%p2 xor.b32 $0, $0, 1; }",
          "i32 i32 i64",
          (l(x[1]) > -1) != (w(x[0]) == 0) ? ((l(x[1]) <= -1) != (w(x[0]) == 0) ? 2 : 3)
                                           : ((l(x[1]) <= -1) != (w(x[0]) == 0) ? 4 : 5)),
      PTX("set.le.and.u32.s32 $0, $1, $2, 1;", "i32 i32 i32", i(x[0]) <= i(x[1]) ? 0xffffffff : 0),
      PTX("slct.b32.s32 $0, $1, $2, $3;", "i32 i32 i32 i32", w(i(x[2]) >= 0 ? x[0] : x[1])),
      PTX("{ .reg .b32 a, b; mov.b64 {a, b}, $1; mov.b64 $0, {b, a}; }", "i64 i64", x[0] << 32 | x[0] >> 32),
      PTX("{ .reg .b16 a; mov.b32 {_, a}, $1; mov.b32 $0, {a, a}; }", "i32 i32", (w(x[0]) >> 16) * u64{0x10001}),
      PTX("{ .reg .pred p; .reg .u32 n; mov.u32 n, 0; mov.u32 $0, 0; LOOP: add.u32 $0, $0, $1; add.u32 n, n, 1; "
          "setp.lt.u32 p, n, 5; @p bra LOOP; }",
          "i32 i32", w(5 * x[0])),
      PTX("{ .reg .pred p; setp.eq.u32 p, $1, 0; @p bra ZERO; mov.u32 $0, $2; bra.uni END; ZERO: mov.u32 $0, 9; END: }",
          "i32 i32 i32", w(x[0]) == 0 ? 9 : w(x[1])),
      PTX("cvt.s64.s32 $0, $1;", "i64 i32", static_cast<u64>(s64{i(x[0])})),
      PTX("cvt.u32.s8 $0, $1;", "i32 i32", as(static_cast<std::int8_t>(x[0]))),
      PTX("cvt.sat.u8.s32 $0, $1;", "i32 i32", static_cast<u64>(std::clamp(i(x[0]), 0, 255))),
      PTX("cvt.sat.s32.u64 $0, $1;", "i32 i64", std::min<u64>(x[0], INT32_MAX)),
      PTX("cvt.sat.s16.s64 $0, $1;", "i16 i64", static_cast<u64>(std::clamp<s64>(l(x[0]), -32768, 32767)) & 0xffff),
      PTX("cvt.pack.sat.s16.s32 $0, $1, $2;", "i32 i32 i32",
          halves(std::clamp(i(x[0]), -32768, 32767), std::clamp(i(x[1]), -32768, 32767))),
      PTX("cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;", "i32 i32 i32 i32",
          w(x[2] << 16) | static_cast<u64>(std::clamp(i(x[0]), 0, 255)) << 8 |
              static_cast<u64>(std::clamp(i(x[1]), 0, 255))),
  });
}

}  // namespace
}  // namespace kmux::simt
