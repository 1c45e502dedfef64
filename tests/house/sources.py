#!/usr/bin/env python3
"""The sources' own rules: no path or name of one machine, nothing announced and left undone, files of a readable size, and
the README's package list is bootstrap's."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

# Put together so that this file does not find itself.
UNDONE = re.compile(r'\b(' + '|'.join(['TO' + 'DO', 'FIX' + 'ME', 'X' * 3, 'not ' + 'implemented', 'st' + 'ub']) + r')\b')
MACHINE = re.compile(r'(?<![\w.$}])/(work|farm|home/[a-z]+|root/[a-z]+)/')
GENERATED_OR_DATA = ('.out', '.tsv', '.tbl', '.json')


def read(name):
    with open(os.path.join(lxtest.TOP, name), errors='replace') as f:
        return f.read()


def grep(names, pattern):
    return [f'{n}:{i}: {line.strip()}' for n in names for i, line in enumerate(read(n).splitlines(), 1)
            if pattern.search(line)]


def main():
    t = lxtest.Tap()
    names = lxtest.sources()
    text = [n for n in names if not n.startswith('tests/fuzz/corpus/') and n != 'LICENSE']
    bad = grep(text, MACHINE)
    t.ok(not bad, 'no path of one machine', '\n'.join(bad))
    bad = grep([n for n in text if n.endswith(('.c', '.h', '.S', '.py', '.sh', '.build', '.d')) or n == 'bootstrap'], UNDONE)
    t.ok(not bad, 'nothing is left for later', '\n'.join(bad))
    long = [f'{n}: {len(read(n).splitlines())} lines' for n in text
            if n.endswith(('.c', '.h', '.py')) and len(read(n).splitlines()) > 900]
    t.ok(not long, 'no file is longer than 900 lines', '\n'.join(long))
    trailing = grep([n for n in text if n.endswith(('.c', '.h', '.py', '.sh', '.build', '.md', '.tbl'))], re.compile(r'[ \t]+$'))
    t.ok(not trailing, 'no blanks at the end of lines', '\n'.join(trailing))
    r = lxtest.run('./bootstrap', 'packages', cwd=lxtest.TOP)
    wanted = {line.split('\t')[0] for line in r.out.splitlines()}
    shown = set(re.findall(r'^\| `([a-z0-9.+-]+)`', read('README.md').replace('gcc-N-', 'gcc-12-'), re.M))
    wanted = {re.sub(r'^gcc-\d+-', 'gcc-12-', w) for w in wanted}
    t.ok(wanted == shown, "README lists bootstrap's packages",
         f'only in bootstrap.d/packages: {sorted(wanted - shown)}\nonly in README.md: {sorted(shown - wanted)}')
    t.done()


main()
