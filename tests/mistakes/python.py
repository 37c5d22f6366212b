"""What people type wrong in Python: (name, code). `scale` is a program of y = factor * x over float32[n], `document`
what it says, `kernel` its kernel, `x` eight floats."""

MISTAKES = [
    ("a program that is not there", "kmux.compile('scael.kmux.json')"),
    ("a dict that is not a program", "kmux.compile({'nmae': 'scale'})"),
    ("a source that is not given", "kmux.program(document, {})"),
    ("a misspelt backend", "kmux.compile(scale, execution_backend='cpuu')"),
    ("a misspelt target", "kmux.compile(scale, target='cdua')"),
    ("a misspelt option", "kmux.compile(scale, options={'enigne': 'host'})"),
    ("a misspelt keyword", "kmux.compile(scale, exection_backend='cpu')"),
    ("a source that does not compile", "kmux.compile(broken)"),
    ("too few arguments", "kernel()"),
    ("too many arguments", "kernel(x, 2.0, x, x)"),
    ("a list in the place of an array", "kernel([1.0, 2.0], 2.0)"),
    ("an array of another dtype", "kernel(x.astype('float64'), 2.0)"),
    ("an array of another rank", "kernel(x.reshape(2, 4), 2.0)"),
    ("a string in the place of a number", "kernel(x, 'two')"),
    ("an unknown output", "kmux.compile(scale, out_idx=7)"),
    ("an output that is read", "kmux.compile(scale, out_idx='y')"),
    ("a list of what is not a program", "kmux.par_compile([5])"),
    ("a jit function that gives no program", "kmux.jit(lambda n: n + 1)(4)"),
    ("a folder of plugins that is not there", "kmux.compile(scale, execution_backend='mine')"),
]
