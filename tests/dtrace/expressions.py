"""D's integer expressions mean what C's mean: random ones, evaluated by dtrace and by the host's C compiler."""
import os
import random
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest

TYPES = ['char', 'unsigned char', 'short', 'unsigned short', 'int', 'unsigned int', 'long', 'unsigned long',
         'int8_t', 'uint8_t', 'int16_t', 'uint16_t', 'int32_t', 'uint32_t', 'int64_t', 'uint64_t']
CONSTANTS = ['0', '1', '2', '3', '7', '10', '127', '128', '255', '256', '1000', '32767', '32768', '65535', '65536',
             '2147483647', '0x7fffffff', '0x80000000', '0xffffffff', '4294967295u', '4294967296', '0x7fffffffffffffff',
             '0xffffffffffffffff', '1u', '5l', '5ul', "'a'", "'\\n'", '017']
NVARS = 16


def expr(r, depth):
    """A C expression without undefined behaviour (but for what -fwrapv defines) and the same in D."""
    k = r.randrange(13) if depth else r.randrange(3)
    if k == 0:
        return r.choice(CONSTANTS)
    if k <= 2:
        return f'v{r.randrange(NVARS)}'
    a, b = expr(r, depth - 1), expr(r, depth - 1)
    if k <= 5:
        return f'({a} {r.choice(["+", "-", "*", "&", "|", "^"])} {b})'
    if k == 6:
        return f'({a} {r.choice(["/", "%"])} (({b} & 0xff) + 1))'
    if k == 7:
        return f'({a} {r.choice(["<<", ">>"])} ({b} & {r.choice([7, 15, 31])}))'
    if k == 8:
        return f'({a} {r.choice(["<", "<=", ">", ">=", "==", "!="])} {b})'
    if k == 9:
        return f'({a} {r.choice(["&&", "||"])} {b})'
    if k == 10:
        return f'({r.choice(["-", "~", "!", "+"])}{a})'
    if k == 11:
        return f'(({r.choice(TYPES)}){a})'
    return f'({a} ? {b} : {expr(r, depth - 1)})'


def main():
    t = lxtest.Tap()
    rounds = 200 if lxtest.LONG else 6
    seed = int(os.environ.get('SEED', '1'))
    for n in range(rounds):
        r = random.Random(seed * 1000 + n)
        declare = [(f'v{i}', r.choice(TYPES), r.choice(CONSTANTS), r.choice(['', '-', '~'])) for i in range(NVARS)]
        exprs = [expr(r, 4) for _ in range(60)]
        with tempfile.TemporaryDirectory() as d:
            c, script = os.path.join(d, 'e.c'), os.path.join(d, 'e.d')
            with open(c, 'w') as f:
                f.write('#include <stdint.h>\n#include <stdio.h>\nint main(void)\n{\n')
                f.writelines(f'{ty} {v} = {sign}{k};\n' for v, ty, k, sign in declare)
                f.writelines(f'printf("%lld\\n", (long long)({e}));\n' for e in exprs)
                f.write('return 0;\n}\n')
            with open(script, 'w') as f:
                f.writelines(f'{ty} {v};\n' for v, ty, _, _ in declare)
                f.write('BEGIN\n{\n')
                f.writelines(f'{v} = {sign}{k};\n' for v, _, k, sign in declare)
                f.write('}\n')
                for e in exprs:
                    f.write(f'BEGIN\n{{\nprintf("%d\\n", (int64_t)({e}));\n}}\n')
                f.write('BEGIN\n{\nexit(0);\n}\n')
            cc = lxtest.run('gcc', '-w', '-fwrapv', '-O0', '-o', os.path.join(d, 'e'), c)
            want = lxtest.run(os.path.join(d, 'e')).out.split()
            got = lxtest.dtrace('-q', '-s', script)
            bad = [(e, w, g) for e, w, g in zip(exprs, want, got.out.split()) if w != g]
            t.ok(cc.returncode == 0 and len(want) == len(exprs) == len(got.out.split()) and not bad, f'round {n}',
                 '\n'.join(f'{e}: C says {w}, D {g}' for e, w, g in bad[:5]) + str(got)[:2000])
            if bad:
                t.ok(True, ' '.join(f'{ty} {v} = {s}{k};' for v, ty, k, s in declare))
    t.done()


main()
