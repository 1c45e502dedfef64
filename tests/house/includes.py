#!/usr/bin/env python3
"""Who may include whom, by folder; any other #include between folders fails. Headers stand alone."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

# folder -> the folders that it may include from, beside itself
ALLOWED = {
    'common/base': [],
    'common/host': ['common/base'],
    'lx_syscall': ['common/base'],
    'dvm': ['common/base', 'lx_syscall'],
    'linker': ['common/base', 'common/host', 'lx_syscall'],
    'emul': ['common/base', 'common/host', 'lx_syscall', 'dvm', 'linker'],
    'brand': ['common/base', 'common/host', 'lx_syscall', 'linker'],
    'dtrace': ['common/base', 'common/host', 'lx_syscall', 'dvm', 'linker', 'emul'],
    'zonectl': ['common/base', 'common/host', 'lx_syscall', 'linker', 'emul', 'brand', 'dtrace'],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def folder_of(path):
    """The longest folder of ALLOWED that path lies in, or None."""
    return max((f for f in ALLOWED if path.startswith(f + '/')), key=len, default=None)


def files(*suffixes):
    return [n for n in lxtest.sources() if n.endswith(suffixes)]


def main():
    t = lxtest.Tap()
    wrong, homeless = [], []
    for name in files('.c', '.h', '.S'):
        home = folder_of(name)
        if not home:
            if not name.startswith('tests/') and not name.startswith('contrib/'):
                homeless.append(name)
            continue
        with open(os.path.join(lxtest.TOP, name)) as f:
            for inc in INCLUDE.findall(f.read()):
                target = folder_of(inc)
                if '/' not in inc:
                    # A bare name is the own folder's, or generated into it.
                    continue
                if not target or (target != home and target not in ALLOWED[home]):
                    wrong.append(f'{name}: #include "{inc}"')
                elif inc.endswith('_impl.h') and target != home:
                    wrong.append(f'{name}: #include "{inc}" of another folder')
    t.ok(not wrong, 'includes between folders are allowed ones', '\n'.join(wrong))
    t.ok(not homeless, 'every source has its folder', '\n'.join(homeless))

    alone = []
    for name in files('.h'):
        if not folder_of(name):
            continue
        r = lxtest.run('gcc', '-std=gnu17', '-D_GNU_SOURCE', '-fsyntax-only', '-Wall', '-Werror', '-Wno-unused-function',
                       '-I', lxtest.TOP, '-I', lxtest.BUILD, '-I', os.path.join(lxtest.BUILD, folder_of(name)),
                       '-include', name, '-x', 'c', '/dev/null', cwd=lxtest.TOP)
        if r.returncode:
            alone.append(str(r))
    t.ok(not alone, 'headers stand alone', '\n'.join(alone))
    t.done()


main()
