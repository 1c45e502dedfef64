#!/usr/bin/env python3
"""The tables refuse what is inconsistent, what is generated from them is up to date, and zonectl syscalls prints them."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

sys.path.insert(0, os.path.join(lxtest.TOP, 'lx_syscall'))
sys.dont_write_bytecode = True
import generate  # noqa: E402
import table  # noqa: E402

READ = '0 3 read 1.0 pass desc fd:fd buf:out(void[ret]) count:size\n'
BAD_ROWS = {
    'a name given twice': READ + READ.replace('0 3', '1 4'),
    'a number given twice': READ + READ.replace('read', 'write').replace('0 3', '0 4'),
    'a number of i386 given twice': READ + READ.replace('read', 'write').replace('0 3', '1 3'),
    'no number': READ.replace('0 3', '- -'),
    'a bad version': READ.replace('1.0', '1'),
    'an unknown how': READ.replace('pass', 'maybe'),
    'an unknown condition': READ.replace('pass', 'emulate(moon)') + '\t! why\n',
    'an emulate row that does not say when': READ.replace('pass', 'emulate') + '\t! why\n',
    'an emulate row without a note': READ.replace('pass', 'emulate(cpus)'),
    'a deny row without a note': READ.replace('pass', 'deny:EPERM'),
    'an unknown errno': READ.replace('pass', 'deny:EWHAT') + '\t! why\n',
    'an unknown class': READ.replace('desc', 'misc'),
    'an unknown kind': READ.replace('fd:fd', 'fd:gizmo'),
    'an unknown type of flags': READ.replace('fd:fd', 'fd:flags(open,gizmo)'),
    'a count that is no argument': READ.replace('[ret]', '[size]'),
    'two arguments of one name': READ.replace('count:size', 'fd:size'),
    'too many registers': READ + '\t| a:loff b:loff c:loff d:int\n',
    'a note of nothing': '\t! why\n' + READ,
    'two notes': READ + '\t! why\n\t! why\n',
    'a call that never was but passes': READ.replace('1.0', 'never'),
    'other arguments of an emulate row on i386': READ.replace('pass', 'emulate(cpus)') + '\t| fd:fd\n\t! why\n',
}
BAD_USES = {
    'an unknown set of names': READ.replace('fd:fd', 'fd:flags(gizmo)'),
    'an unknown structure': READ.replace('void[ret]', 'struct gizmo'),
}


def refused(text, whole=False):
    """What is said about a table of these rows, '' if nothing."""
    with tempfile.NamedTemporaryFile('w', suffix='.tbl') as f:
        f.write(text)
        f.flush()
        try:
            rows = table.read_rows(f.name)
            if whole:
                table.check_uses(rows, generate.Table().structs, generate.Table().sets)
        except table.Bad as e:
            return str(e)
    return ''


def check_refusals(t):
    t.eq(refused(READ), '', 'a good row is taken')
    for what, text in BAD_ROWS.items():
        said = refused(text)
        t.ok('.tbl:' in said, f'{what} is refused', said or 'it was taken')
    for what, text in BAD_USES.items():
        t.ok(refused(text, True), f'{what} is refused')
    whole = generate.Table()
    with tempfile.TemporaryDirectory() as d:
        for handlers, good in (([], True), (['uname'], False), ([r.name for r in whole.rows if r.how == 'EMULATE'], True)):
            with open(f'{d}/x.c', 'w') as f:
                f.write(''.join(f'long lx_{n}(struct emul_task *t)\n' for n in handlers))
            try:
                generate.check_handlers(whole, d)
                said = ''
            except table.Bad as e:
                said = str(e)
            t.eq(not said, good, f'{len(handlers)} handlers are {"enough" if good else "too few"}', said)
    header = os.path.join(lxtest.BUILD, 'lx_syscall')
    with tempfile.TemporaryDirectory() as d:
        os.mkdir(f'{d}/asm')
        with open(f'{d}/asm/unistd_64.h', 'w') as f:
            f.write('#define __NR_read 0\n#define __NR_brandnew 600\n')
        try:
            generate.check_c(whole, 0, ['gcc', '-I', d])
            said = ''
        except table.Bad as e:
            said = str(e)
        t.ok('brandnew' in said, 'a call of the headers that the table lacks stops the build', said)
        with open(f'{d}/asm/unistd_64.h', 'w') as f:
            f.write('#define __NR_read 1\n')
        c = generate.check_c(whole, 0, ['gcc', '-I', d])
        r = subprocess.run(['gcc', '-I', d, '-I', header, '-fsyntax-only', '-xc', '-'], input=c, text=True, stderr=subprocess.PIPE, check=False)
        t.ok(r.returncode and 'sys64 read' in r.stderr, 'so does a number that differs', r.stderr)


def check_generated(t):
    whole = generate.Table()
    with open(f'{lxtest.TOP}/docs/syscalls.md', encoding='utf-8') as f:
        t.ok(f.read() == generate.syscalls_md(whole), 'docs/syscalls.md is what generate.py syscalls.md makes')
    for name in generate.tests_txt(whole).split():
        covers = [f for f in os.listdir(f'{lxtest.TOP}/tests/lx') if f.endswith('.c') and
                  f'lxtest: covers {name}\n' in open(f'{lxtest.TOP}/tests/lx/{f}', encoding='utf-8').read()]
        t.ok(os.path.exists(f'{lxtest.TOP}/tests/lx/{name}.c') or covers, f'{name} has a guest in tests/lx')


def check_command(t):
    rows = generate.Table().rows
    r = lxtest.zonectl('syscalls')
    lines = r.out.splitlines()
    t.ok(r.returncode == 0 and len(lines) == len(rows) + 1, 'a line for each row and one above', r)
    t.eq([line.split()[2] for line in lines[1:]], [x.name for x in rows], 'in the order of the table')
    for i, abi in enumerate(table.ABIS):
        r = lxtest.zonectl('syscalls', '--abi', abi)
        have = [(line.split()[0], line.split()[1]) for line in r.out.splitlines()[1:]]
        t.eq(have, [(str(x.nr[i]), x.name) for x in rows if x.nr[i] >= 0], f'--abi {abi}')
        r = lxtest.zonectl('syscalls', '--abi', abi, '--json')
        t.eq([(x['name'], x[abi]['nr']) for x in json.loads(r.out)], [(x.name, x.nr[i]) for x in rows if x.nr[i] >= 0],
             f'--abi {abi} --json')
    every = json.loads(lxtest.zonectl('syscalls', '--json').out)
    t.eq([(x['name'], x['how']) for x in every], [(x.name, x.how.lower()) for x in rows], '--json has all rows')
    t.ok(all(x.get('note') for x in every if x['how'] != 'pass'), 'and a note for each that does not pass')
    r = lxtest.zonectl('syscalls', 'uname', 'getcp*')
    t.ok([line.split()[2] for line in r.out.splitlines() if line.split()[0].isdigit()] == ['uname', 'getcpu'] and
         'kernel version' in r.out, 'names and patterns, with notes', r)
    r = lxtest.zonectl('syscalls', 'nosuch')
    t.ok(r.returncode == 1 and r.out == '' and "'nosuch'" in r.err, 'an unknown name is an error', r)
    t.eq(json.loads(lxtest.zonectl('syscalls', '--json', 'nosuch').out), [], 'and an empty array')
    t.eq(lxtest.zonectl('syscalls', '--abi', 'arm').returncode, 2, 'an unknown ABI is a usage error')
    t.eq(lxtest.zonectl('syscalls', '--what').returncode, 2, 'so is an unknown option')
    r = lxtest.zonectl('syscalls', '--help')
    t.ok(r.returncode == 0 and r.out.startswith('usage: zonectl syscalls') and len(r.out.splitlines()) < 24, '--help fits a screen', r)


def main():
    t = lxtest.Tap()
    check_refusals(t)
    check_generated(t)
    check_command(t)
    t.done()


main()
