"""Variables of all scopes keep what was stored: random assignments, done by dtrace and by a model here."""
import os
import random
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest

# name, scope prefix, number of int and string keys, whether the value is a string
VARS = [('g', '', 0, 0, False), ('gs', '', 0, 0, True), ('a', '', 1, 0, False), ('b', '', 1, 1, False), ('as', '', 0, 1, True),
        ('t', 'self->', 0, 0, False), ('ts', 'self->', 0, 0, True), ('ta', 'self->', 2, 0, False), ('tas', 'self->', 1, 1, True)]
WORDS = ['', 'a', 'b', 'ab', 'aa', 'a longer key, of thirty-two bytes', 'seven b', 'eight by', 'nine byte']


class Model:
    def __init__(self, r):
        self.r, self.value = r, {}

    def place(self):
        """A variable, or an element: its D text, its key in the model, its kind."""
        name, scope, ints, strs, text = self.r.choice(VARS)
        keys = [self.r.choice([-1, 0, 1, 2, 1 << 40]) for _ in range(ints)] + [self.r.choice(WORDS) for _ in range(strs)]
        d = ', '.join(f'"{k}"' if isinstance(k, str) else f'(int64_t){k}' for k in keys)
        return f'{scope}{name}' + (f'[{d}]' if keys else ''), (name, *keys), text

    def get(self, key, text):
        return self.value.get(key, '' if text else 0)

    def statement(self):
        """One statement, and what it prints."""
        d, key, text = self.place()
        kind = self.r.randrange(6)
        if kind < 2:
            old = self.get(key, text)
            return f'printf("[%{"s" if text else "d"}]\\n", {d});', f'[{old}]'
        if kind == 2:
            self.value.pop(key, None)
            return f'{d} = 0;', None
        if text:
            if kind == 3:
                e, k2, t2 = self.place()
                if t2:
                    self.value[key] = self.get(k2, True)
                    return f'{d} = {e};', None
            word = self.r.choice(WORDS)
            if kind == 4:
                self.value[key] = (self.get(key, True) + word)[:255]
                return f'{d} = strjoin({d}, "{word}");', None
            self.value[key] = word
            return f'{d} = "{word}";', None
        n = self.r.randrange(-5, 1000)
        if kind == 3:
            self.value[key] = self.get(key, False) + n
            return f'{d} += {n};', None
        if kind == 4:
            old = self.get(key, False)
            self.value[key] = old + 1
            return f'printf("[%d]\\n", {d}++);', f'[{old}]'
        self.value[key] = n
        return f'{d} = {n};', None


def declaration(name, scope, ints, strs, text):
    keys = ', '.join(['int64_t'] * ints + ['string'] * strs)
    return f'{"self " if scope else ""}{"string" if text else "int64_t"} {name}{f"[{keys}]" if keys else ""};\n'


def main():
    t = lxtest.Tap()
    seed = int(os.environ.get('SEED', '1'))
    for n in range(100 if lxtest.LONG else 5):
        model = Model(random.Random(seed * 1000 + n))
        want, script = [], ''.join(declaration(*v) for v in VARS)
        for _ in range(150):
            script += 'BEGIN\n{\n'
            for _ in range(model.r.randrange(1, 5)):
                line, out = model.statement()
                script += f'\t{line}\n'
                if out is not None:
                    want.append(out)
            script += '}\n'
        script += 'BEGIN\n{\n\texit(0);\n}\n'
        with tempfile.NamedTemporaryFile('w', suffix='.d') as f:
            f.write(script)
            f.flush()
            r = lxtest.dtrace('-q', '-s', f.name)
        got = [line for line in r.out.splitlines() if line]
        wrong = [i for i, (w, g) in enumerate(zip(want, got)) if w != g]
        t.ok(got == want, f'round {n}', f'{len(want)} lines wanted, {len(got)} printed; first difference: '
             + (f'{wrong[0]}: {want[wrong[0]]} printed {got[wrong[0]]}' if wrong else 'none') + f'\n{r.err[:500]}')
    t.done()


main()
