#!/usr/bin/env python3
"""What also runs inside guests needs nothing from a C library: the undefined symbols of common/base, dvm and the table's data
are each other's, or the few that a compiler may call by itself. It has no thread-local storage and no writable globals."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

FREE = {'libbase': 'common', 'libdvm': 'dvm', 'liblx_syscall': 'lx_syscall'}
COMPILERS_OWN = {'memcpy', 'memmove', 'memset', 'memcmp', '_GLOBAL_OFFSET_TABLE_',
                 '__popcountdi2'}  # the last one from its own libgcc


def symbols(path):
    """(symbol, type) of an archive."""
    r = lxtest.run('nm', '-A', path)
    return [(m.group(2), m.group(1)) for m in re.finditer(r'\s([A-Za-z]) (\S+)$', r.out, re.M)]


def main():
    t = lxtest.Tap()
    archives = {n: p for n, d in FREE.items() for p in glob.glob(f'{lxtest.BUILD}/{d}/{n}.a')}
    if not archives:
        lxtest.skip_all('none of the freestanding libraries is built')
    all_symbols = {n: symbols(p) for n, p in archives.items()}
    own = {s for syms in all_symbols.values() for s, kind in syms if kind not in 'Uwv'}
    for name, syms in sorted(all_symbols.items()):
        foreign = sorted({s for s, kind in syms if kind == 'U'} - own - COMPILERS_OWN)
        # The sanitizers' own calls are fine in a build with them.
        foreign = [s for s in foreign if not re.match(r'__(a|ub)san_|__sanitizer', s)]
        t.ok(not foreign, f'{name} needs no C library', ' '.join(foreign))
        r = lxtest.run('readelf', '-SW', archives[name])
        t.ok(not re.search(r'\.t(bss|data)\b', r.out), f'{name} has no thread-local storage')
        writable = sorted({s for s, kind in syms if kind in 'bBdDC'} - {'_GLOBAL_OFFSET_TABLE_'})
        # Tables of pointers are constant, yet relocated: .data.rel.ro is read-only once loaded.
        plain = [s for s in writable if not constant(r.out)]
        t.ok(not plain, f'{name} has no writable globals', ' '.join(plain))
    t.done()


def constant(sections):
    """True when the only data sections with contents are relocated constants."""
    for m in re.finditer(r'\s(\.(?:data|bss)\S*)\s+\w+\s+\w+ \w+ (\w+)', sections):
        if not m.group(1).startswith('.data.rel.ro') and int(m.group(2), 16):
            return False
    return True


main()
