"""Functions of integer expressions, beside the operators of `kmux.Expr`: `from kmux import expr`.

>>> b.launch("f", [x, y], grid=expr.min(expr.ceildiv(n, 256), 1024), block=256)
"""

from ._expr import Expr, ceildiv, maximum, minimum, select

min = minimum
max = maximum

__all__ = ["Expr", "ceildiv", "max", "maximum", "min", "minimum", "select"]
