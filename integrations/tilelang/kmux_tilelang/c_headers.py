"""What a text for the host includes: C's own headers, where it uses nothing of TileLang's.

TileLang's header for the host brings a half-precision library, which takes a compiler longer to read than most kernels to compile.
"""

import re

_TEMPLATES = "#include <tl_templates/cpp/common.h>\n"
_INTEGERS = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_TYPES = {"void", "bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double", *_INTEGERS}
_WORDS = {
    "if", "else", "for", "while", "do", "break", "continue", "return", "sizeof", "const", "static", "extern", "inline",
    "true", "false", "restrict", "__restrict__", "__cplusplus",
}  # fmt: skip
_FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt pow fabs fmod fmin fmax fma floor ceil trunc round rint nearbyint sin cos tan "
    "asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc ldexp hypot copysign nextafter"
).split()
_HEADERS = {
    "stdint.h": set(_INTEGERS),
    "string.h": {"memcpy", "memset", "memmove"},
    "math.h": {f"{name}{suffix}" for name in _FUNCTIONS for suffix in ("", "f")} | {"INFINITY", "NAN", "isnan", "isinf"},
}
_KNOWN = _TYPES.union(_WORDS, *_HEADERS.values())
_IGNORED = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_DECLARED = re.compile(rf"\b(?:{'|'.join(sorted(_TYPES))})\b[\s*]*(?:\b(?:__restrict__|restrict)\b\s*)?([A-Za-z_]\w*)")


def with_c_headers(text: str) -> str:
    """`text` with those of C's headers that it uses, if they have all that it does not declare itself."""
    if text.count(_TEMPLATES) != 1:
        return text
    plain = _IGNORED.sub(" ", text)
    used = set(_NAME.findall(plain))
    if not used <= _KNOWN.union(_DECLARED.findall(plain)):
        return text
    wanted = [name for name, names in _HEADERS.items() if used & names]
    return text.replace(_TEMPLATES, "".join(f"#include <{name}>\n" for name in wanted))
