// The translation of PTX: any statements at all give a valid module, with the text replaced or its refusal noted.
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/analysis/names.h"
#include "simt/transforms/inline_assembly.h"

namespace kmux::simt {
namespace {

template <std::size_t kCount>
std::string one_of(std::mt19937& random, const char* const (&all)[kCount]) {
  return all[random() % kCount];
}

// Each has a part, a type and operands; what stands between "." and a space, and between spaces, may be replaced.
constexpr const char* kStatements[] = {
    "mov .b32 $0 , w",
    "mov .b64 d , {w, w}",
    "mov .b32 {h, h} , w",
    "mov .u32 w , %tid.x",
    "mov .pred p , q",
    "selp .b32 w , $1 , 5 , p",
    "slct .b32 .f32 w , w , w , f",
    "setp .lt .s32 p , w , 5",
    "setp .geu .and .f32 p|q , f , f , !p",
    "set .ne .u32 .u32 w , w , 1",
    "testp .finite .f32 p , f",
    "cvta .to .shared .u64 d , $3",
    "cvta .shared .u64 d , d",
    "add .s32 w , w , 5",
    "sub .cc .u32 w , w , w",
    "addc .u32 w , w , w",
    "mul .wide .u32 d , w , w",
    "mad .lo .s32 w , w , w , w",
    "mul24 .hi .u32 w , w , w",
    "div .s64 d , d , d",
    "rem .u32 w , w , w",
    "min .s16x2 w , w , w",
    "max .relu .s32 w , w , w",
    "abs .s32 w , w",
    "neg .f16x2 w , w",
    "sad .u32 w , w , w , w",
    "dp4a .u32 .s32 w , w , w , w",
    "dp2a .lo .s32 .u32 w , w , w , w",
    "and .pred p , p , q",
    "xor .b64 d , d , d",
    "not .b32 w , w",
    "cnot .b16 h , h",
    "shl .b64 d , d , w",
    "shr .s32 w , w , 40",
    "shf .l .wrap .b32 w , w , w , w",
    "bfe .s32 w , w , w , w",
    "bfi .b64 d , d , d , w , w",
    "bmsk .clamp .b32 w , w , w",
    "bfind .shiftamt .u64 w , d",
    "brev .b32 w , w",
    "popc .b64 w , d",
    "prmt .b32 w , w , w , w",
    "prmt .b32 .f4e w , w , w , w",
    "lop3 .b32 w , w , w , w , 0x96",
    "lop3 .or .b32 w|p , w , w , w , 0x96 , q",
    "fma .rn .ftz .f32 f , f , f , 0f3F800000",
    "add .rz .sat .f32 f , f , f",
    "mul .rm .f32 f , f , f",
    "sub .f64 e , e , 0d3FF0000000000000",
    "fma .rn .relu .bf16x2 w , w , w , w",
    "max .NaN .f32 f , f , f",
    "min .xorsign .abs .f16 h , h , h",
    "div .full .f32 f , f , f",
    "rcp .approx .ftz .f32 f , f",
    "ex2 .approx .f16x2 w , w",
    "lg2 .approx .f32 f , f",
    "tanh .approx .bf16 h , h",
    "copysign .f64 e , e , e",
    "cvt .rn .f16x2 .f32 w , f , f",
    "cvt .rn .satfinite .e4m3x2 .f32 h , f , f",
    "cvt .rn .f16x2 .e5m2x2 w , h",
    "cvt .rzi .s32 .f32 w , f",
    "cvt .rna .tf32 .f32 w , f",
    "cvt .rn .bf16 .f64 h , e",
    "cvt .sat .u8 .s32 w , w",
    "cvt .pack .sat .u8 .s32 .b32 w , w , w , w",
    "ld .global .nc .v2 .u32 {w, w} , [$3]",
    "ld .acquire .gpu .b64 d , [d]",
    "ld .shared .u8 w , [w]",
    "st .volatile .f32 [d] , f",
    "st .shared .v4 .f32 [w] , {f, f, f, f}",
    "atom .add .f32 f , [$3] , f",
    "atom .cas .b64 d , [$3] , d , d",
    "red .shared .inc .u32 [w] , 9",
    "atom .add .noftz .bf16x2 w , [$3] , w",
    "atom .global .v2 .add .f32 {f, f} , [$3] , {f, f}",
    "shfl .sync .bfly .b32 w|p , w , 5 , 31 , -1",
    "vote .sync .ballot .b32 w , p , -1",
    "match .any .sync .b64 w , d , -1",
    "match .all .sync .b32 w|p , w , -1",
    "redux .sync .add .u32 w , w , -1",
    "redux .sync .max .s32 w , w , w",
    "elect .sync w|p , w",
    "activemask .b32 w",
    "mma .sync .aligned .m16n8k8 .row .col .f32 .tf32 .tf32 .f32 {f, f, f, f} , "
    "{w, w, w, w} , {w, w} , {f, f, f, f}",
    "mma .sync .aligned .m8n8k4 .row .col .f64 .f64 .f64 .f64 {e, e} , {e} , e , "
    "{e, e}",
    "wgmma .mma_async .sync .aligned .m64n8k16 .f32 .f16 .f16 {f, f, f, f} , d , "
    "d , p , 1 , -1 , 0 , 1",
    "wgmma .wait_group .sync .aligned 0",
    "ldmatrix .sync .aligned .m8n8 .x2 .trans .shared .b16 {w, w} , [w]",
    "stmatrix .sync .aligned .m8n8 .x1 .b16 [$3] , {w}",
    "movmatrix .sync .aligned .m8n8 .trans .b16 w , w",
    "bar .sync 0",
    "bar .sync w , 64",
    "bar .arrive 1 , w",
    "bar .red .popc .u32 w , 1 , 64 , !p",
    "barrier .cta .red .or .pred q , 2 , p",
    "barrier .cluster .arrive .release .aligned",
    "mbarrier .init .shared::cta .b64 [w] , 4",
    "mbarrier .inval .b64 [$3]",
    "mbarrier .arrive .release .cta .shared .b64 d , [w] , w",
    "mbarrier .arrive .expect_tx .shared::cluster .b64 _ , [w] , 128",
    "mbarrier .arrive_drop .noComplete .b64 d , [$3] , 2",
    "mbarrier .try_wait .parity .shared .b64 p , [w] , w , 99",
    "mbarrier .test_wait .b64 q , [d] , d",
    "mbarrier .pending_count .b64 w , d",
    "mbarrier .complete_tx .relaxed .cluster .shared::cluster .b64 [w] , 16",
    "mapa .shared::cluster .u32 w , w , 1",
    "mapa .u64 d , d , w",
    "getctarank .u64 w , d",
    "isspacep .shared::cluster p , d",
    "cp .async .cg .shared .global .L2::128B [w] , [$3] , 16 , w",
    "cp .async .ca .shared .global .L2::cache_hint [w] , [$3] , 4 , p , d",
    "cp .async .wait_group 1",
    "cp .async .mbarrier .arrive .noinc .shared .b64 [w]",
    "cp .async .bulk .shared::cluster .global .mbarrier::complete_tx::bytes "
    ".multicast::cluster [w] , [$3] , w , [w] , h",
    "cp .async .bulk .shared::cluster .shared::cta .mbarrier::complete_tx::bytes [w] , "
    "[w] , 64 , [w]",
    "cp .async .bulk .global .shared::cta .bulk_group .L2::cache_hint [$3] , [w] , w , d",
    "cp .async .bulk .wait_group .read 0",
    "cp .reduce .async .bulk .global .shared::cta .bulk_group .add .f32 [$3] , [w] , 64",
    "cp .async .bulk .tensor .2d .shared::cluster .global .tile "
    ".mbarrier::complete_tx::bytes [w] , [$3, {w, w}] , [w]",
    "cp .async .bulk .tensor .4d .shared::cluster .global .im2col "
    ".mbarrier::complete_tx::bytes [w] , [$3, {w, w, w, w}] , [w] , {h, h}",
    "cp .async .bulk .tensor .1d .global .shared::cta .bulk_group [$3, {w}] , [w]",
    "cp .reduce .async .bulk .tensor .2d .global .shared::cta .max .bulk_group "
    "[$3, {w, w}] , [w]",
    "cp .async .bulk .prefetch .tensor .2d .L2 .global [$3, {w, w}]",
    "st .async .shared::cluster .mbarrier::complete_tx::bytes .v2 .b32 [w] , {w, w} , [w]",
    "st .bulk .shared::cta [w] , d , 0",
    "tensormap .replace .tile .global_dim .shared::cta .b1024 .b32 [w] , 1 , w",
    "tensormap .cp_fenceproxy .global .shared::cta .tensormap::generic .release .gpu "
    ".sync .aligned [$3] , [w] , 128",
    "bar .warp .sync w",
    "trap",
    "brkpt",
    "bra L",
    "fence .acq_rel .gpu",
    "membar .cta",
    "createpolicy .fractional .L2::evict_last .b64 d",
    "prefetch .global .L2 [$3]",
    "setmaxnreg .inc .sync .aligned .u32 232"};
constexpr const char* kParts[] = {".lo",
                                  ".hi",
                                  ".wide",
                                  ".rn",
                                  ".rz",
                                  ".rm",
                                  ".rp",
                                  ".rni",
                                  ".rzi",
                                  ".ftz",
                                  ".sat",
                                  ".relu",
                                  ".satfinite",
                                  ".approx",
                                  ".NaN",
                                  ".lt",
                                  ".nan",
                                  ".or",
                                  ".xor",
                                  ".cc",
                                  ".global",
                                  ".shared",
                                  ".v2",
                                  ".v4",
                                  ".relaxed",
                                  ".release",
                                  ".sync",
                                  ".up",
                                  ".idx",
                                  ".all",
                                  ".exch",
                                  ".cas",
                                  ".max",
                                  ".noftz",
                                  ".clamp",
                                  ".r",
                                  ".to",
                                  ".shiftamt",
                                  ".rna",
                                  ".parity",
                                  ".read",
                                  ".bulk",
                                  ".tensor",
                                  ".shared::cluster",
                                  ".shared::cta",
                                  ".noinc",
                                  ".expect_tx",
                                  ".bulk_group",
                                  ".mbarrier::complete_tx::bytes",
                                  ".cluster",
                                  ".arrive"};
constexpr const char* kTypes[] = {".b8",  ".b16",  ".b32",    ".b64",   ".u16",    ".u32",    ".u64",   ".s8",
                                  ".s16", ".s32",  ".s64",    ".u16x2", ".s16x2",  ".f16",    ".f16x2", ".f32",
                                  ".f64", ".bf16", ".bf16x2", ".tf32",  ".e4m3x2", ".e5m2x2", ".pred"};
constexpr const char* kOperands[] = {"$0",
                                     "$1",
                                     "$2",
                                     "$3",
                                     "$4",
                                     "h",
                                     "w",
                                     "d",
                                     "f",
                                     "e",
                                     "p",
                                     "q",
                                     "p|q",
                                     "w|q",
                                     "!p",
                                     "_",
                                     "0",
                                     "5",
                                     "-1",
                                     "0f3F800000",
                                     "0d3FF0000000000000",
                                     "{h, h}",
                                     "{w, w}",
                                     "{w, _}",
                                     "{f, f, f, f}",
                                     "[$3]",
                                     "[d + 8]",
                                     "[w]",
                                     "%tid.x",
                                     "%laneid",
                                     "%clock",
                                     "L",
                                     "0x96",
                                     "$5"};

// Returns `word`, or at times another of its kind.
std::string varied(std::mt19937& random, const std::string& word) {
  if (random() % 8 != 0 || word == ",") return word;
  if (word.front() != '.') return one_of(random, kOperands);
  return random() % 3 == 0 ? one_of(random, kParts) : one_of(random, kTypes);
}

std::string random_statement(std::mt19937& random) {
  std::string text = random() % 8 == 0 ? "@p " : random() % 8 == 0 ? "@!q " : "";
  const std::string statement = one_of(random, kStatements);
  std::size_t begin = statement.find(' ');
  text += statement.substr(0, begin);
  while (begin != std::string::npos) {
    std::size_t end = statement.find(' ', begin + 1);
    if (statement[begin + 1] == '{' || statement[begin + 1] == '[') end = statement.find(" ,", begin + 1);
    const std::string word = statement.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
    const std::string changed = varied(random, word);
    text += (changed.front() == '.' ? "" : " ") + changed;
    begin = end;
  }
  return text + "; ";
}

std::string random_text(std::mt19937& random) {
  std::string text = "{ .reg .b16 h; .reg .b32 w; .reg .b64 d; .reg .f32 f; .reg .f64 e; .reg .pred p, q; ";
  if (random() % 4 == 0) text += "L: ";
  for (auto n = 1 + random() % 3; n > 0; --n) text += random_statement(random);
  return text + "}";
}

TEST(PtxTranslationTest, AnyStatementsGiveValidModules) {
  std::mt19937 random(11);
  int replaced = 0;
  constexpr int kRounds = 40, kTexts = 100;
  for (int round = 0; round < kRounds; ++round) {
    std::string ir = "define void @f(i32 %x, float %y, ptr %p, i16 %h) {\n";
    for (int i = 0; i < kTexts; ++i) {
      ir += "  %r" + std::to_string(i) + " = call i32 asm sideeffect \"" + random_text(random) +
            "\", \"=r,r,r,r,r,~{memory}\"(i32 %x, float %y, ptr %p, i16 %h)\n";
    }
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const auto module = llvm::parseAssemblyString(ir + "  ret void\n}\n", problem, context);
    ASSERT_NE(module, nullptr) << problem.getMessage().str();
    replace_assembly(*module);
    std::string found;
    llvm::raw_string_ostream stream(found);
    ASSERT_FALSE(llvm::verifyModule(*module, &stream)) << found << "\n" << ir;
    int left = 0;
    for (const llvm::Instruction& one : llvm::instructions(*module->getFunction("f"))) {
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&one);
      if (call == nullptr || !call->isInlineAsm()) continue;
      ++left;
      ASSERT_TRUE(call->hasFnAttr(kAssemblyRefusal));
    }
    replaced += kTexts - left;
  }
  EXPECT_GT(replaced, kRounds * kTexts / 5);
}

}  // namespace
}  // namespace kmux::simt
