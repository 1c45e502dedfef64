"""Finds the tests and how each is run; see tests/run.py for the places."""
import fnmatch
import glob
import os
import re
import sys

LIB = os.path.dirname(os.path.abspath(__file__))


class Test:
    """A program to run: argv, environment additions, and marks from its source's first lines (`lxtest: alone long
    timeout=300`)."""

    def __init__(self, name, argv, source=None, env=None):
        self.name, self.argv, self.env = name, argv, env or {}
        marks = read_marks(source) if source else []
        self.alone = 'alone' in marks
        self.long = 'long' in marks
        self.timeout = next((int(m[8:]) for m in marks if m.startswith('timeout=')), None)


def read_marks(path):
    marks = []
    with open(path, errors='replace') as f:
        for _, line in zip(range(12), f):
            m = re.search(r'lxtest: ([^-].*)', line)
            if m:
                marks += re.findall(r'\b(?:alone|long|timeout=\d+)', m.group(1))
    return marks


def matches(name, pattern):
    return pattern in name or fnmatch.fnmatch(name, pattern)


def find(top, build, want_long):
    tests, here = [], os.path.join(top, 'tests')

    def add(path, argv, **kw):
        name = os.path.relpath(path, here)
        tests.append(Test(name, argv, source=path, **kw))

    for folder in ('house', 'zone', 'linker', 'brand', 'emul', 'syscalls', 'dtrace'):
        for path in sorted(glob.glob(f'{here}/{folder}/*.py')):
            add(path, [sys.executable, '-B', path])
        for path in sorted(glob.glob(f'{here}/{folder}/*.sh')):
            add(path, ['bash', path])
    for path in sorted(glob.glob(f'{here}/unit/test_*.c')):
        program = f'{build}/tests/unit/{os.path.basename(path)[:-2]}'
        add(path, [program], env={'CMOCKA_MESSAGE_OUTPUT': 'TAP'})
    for path in sorted(glob.glob(f'{here}/fuzz/fuzz_*.c')):
        program = f'{build}/tests/fuzz/{os.path.basename(path)[:-2]}'
        corpus = f'{here}/fuzz/corpus/{os.path.basename(path)[5:-2]}'
        add(path, [program] + ([corpus] if os.path.isdir(corpus) else []))
    for path in sorted(glob.glob(f'{here}/lx/*.c')):
        add(path, [sys.executable, '-B', f'{LIB}/lxguest.py', path])
    for path in sorted(glob.glob(f'{here}/dtrace/*/*.d')):
        if re.match(r'(tst|err)\.', os.path.basename(path)):
            add(path, [sys.executable, '-B', f'{LIB}/dtest.py', path])
    return [t for t in tests if want_long or not t.long]
