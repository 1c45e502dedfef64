#!/usr/bin/env python3
"""D's integer arithmetic is C's: random expressions and assignments on variables of every width and scope, from a fixed seed, give
in D what the C compiler makes of them."""
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

TYPES = ['int8_t', 'uint8_t', 'int16_t', 'uint16_t', 'int32_t', 'uint32_t', 'int64_t', 'uint64_t']
EDGES = ['0x7fffffff', '0x80000000', '0xffffffff', '2147483648', '0x7fffffffffffffff', '0xffffffffffffffff', '1u', '3ul', '5L', "'a'"]
HEAD = '''#include <stdint.h>
#include <stdio.h>
#define P(e) do { __auto_type x = (e); printf((__typeof__(x))-1 < 0 ? "%lld\\n" : "%llu\\n", (long long)x); } while (0)
int main(void)
{
'''
ROUNDS = 40 if lxtest.LONG else 4


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.vars = [(TYPES[i % 8], f'v{i}', self.r.choice([0, 1, -1, 127, 128, -128, 32767, 2147483647, -2147483648,
                                                            self.r.randint(-2**62, 2**62)])) for i in range(16)]

    def leaf(self):
        k = self.r.random()
        if k < 0.3:
            return str(self.r.randint(0, 20))
        if k < 0.45:
            return self.r.choice(EDGES)
        return f'v{self.r.randint(0, 15)}'

    def expr(self, depth):
        r, sub = self.r, lambda: self.expr(depth - 1)
        k = r.random()
        if depth <= 0 or k < 0.1:
            return self.leaf()
        if k < 0.45:
            return f"({sub()} {r.choice('+-*&|^')} {sub()})"
        if k < 0.55:
            return f"({sub()} {r.choice(['<<', '>>'])} ({sub()} & 31))"
        if k < 0.63:  # nothing that C leaves undefined
            return f"({sub()} {r.choice('/%')} {r.choice(['7', '3u', '10L', '-3', '100ul'])})"
        if k < 0.75:
            return f"({sub()} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {sub()})"
        if k < 0.82:
            return f"({sub()} {r.choice(['&&', '||'])} {sub()})"
        if k < 0.88:
            return f'({sub()} ? {sub()} : {sub()})'
        if k < 0.94:
            return f'(({r.choice(TYPES)}){sub()})'
        return f"({r.choice('-~!+')}{sub()})"

    def change(self):
        """Something that changes a variable, and that variable."""
        r, v, k = self.r, f'v{self.r.randint(0, 15)}', self.r.random()
        if k < 0.5:
            return f"({v} {r.choice(['=', '+=', '-=', '*=', '&=', '|=', '^='])} {self.expr(2)})", v
        if k < 0.6:
            return f"({v} {r.choice(['<<=', '>>='])} ({self.expr(1)} & 15))", v
        if k < 0.7:
            return f"({v} {r.choice(['/=', '%='])} {r.choice(['7', '3u', '10L', '-3'])})", v
        if k < 0.85:
            return f"({v}{r.choice(['++', '--'])})", v
        return f"({r.choice(['++', '--'])}{v})", v


def in_c(m, exprs, folder):
    with open(f'{folder}/x.c', 'w') as f:
        f.write(HEAD + ''.join(f'{t} {v} = ({t}){x}LL;\n' for t, v, x in m.vars) +
                ''.join(f'P({e});\n' for e in exprs) + 'return 0;\n}\n')
    made = lxtest.run('gcc', '-w', '-fwrapv', '-o', f'{folder}/x', f'{folder}/x.c')
    return lxtest.run(f'{folder}/x').out.split() if made.returncode == 0 else None


def in_d(m, exprs, folder, decl, name):
    """decl declares a variable and name is how it is written, with TYPE and N in them."""
    def spell(s):
        return re.sub(r'\bv(\d+)\b', lambda k: name.replace('N', k.group(1)), s)
    with open(f'{folder}/x.d', 'w') as f:
        f.write('#pragma D option quiet\n')
        f.write(''.join(decl.replace('TYPE', t).replace('N', v[1:]) + ';\n' for t, v, x in m.vars))
        f.write('BEGIN {\n' + ''.join(f'{spell(v)} = {x}L;\n' for t, v, x in m.vars) + '}\n')
        f.write(''.join(f'BEGIN {{ trace({spell(e)}); printf("\\n"); }}\n' for e in exprs) + 'BEGIN { exit(0); }\n')
    return lxtest.dtrace('-c', 'true', '-s', f'{folder}/x.d')


def main():
    t = lxtest.Tap()
    folder = lxtest.scratch()
    kinds = [('global', 'TYPE vN', 'vN'), ('thread-local', 'self TYPE vN', 'self->vN'), ('clause-local', 'this TYPE vN', 'this->vN'),
             ('associative', 'TYPE aN[int, string]', 'aN[N, "k"]')]
    for seed in range(ROUNDS):
        what, decl, name = kinds[seed % len(kinds)]
        m = Maker(seed)
        exprs = [m.expr(m.r.randint(1, 5)) for _ in range(150)]
        for _ in range(100):
            exprs += m.change()
        want = in_c(m, exprs, folder)
        r = in_d(m, exprs, folder, decl, name)
        got = r.out.split()
        wrong = [(e, w, g) for e, w, g in zip(exprs, want or [], got) if w != g]
        t.ok(want and len(got) == len(want) and not wrong, f'{len(exprs)} expressions on {what} variables, seed {seed}',
             wrong[:5] or r)
    t.done()


main()
