#!/usr/bin/env python3
"""The command line of zonectl dtrace: texts, exit statuses, flags, output files, scripts."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

t = lxtest.Tap()
tmp = lxtest.scratch()
EXIT = 'BEGIN { exit(0); }'


def write(name, text, mode=0o644):
    path = os.path.join(tmp, name)
    with open(path, 'w') as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def fails(args, status, err, what):
    r = lxtest.dtrace(*args)
    return t.ok(r.returncode == status and r.err == err and r.out == '', what, r)


def usage():
    r = lxtest.dtrace()
    t.ok(r.returncode == 2 and r.err.startswith('usage: zonectl dtrace ') and not r.out, 'no arguments: usage, status 2', r)
    r = lxtest.dtrace('--help')
    t.ok(r.returncode == 0 and r.out.startswith('usage: zonectl dtrace ') and not r.err, '--help: usage, status 0', r)
    t.eq(lxtest.dtrace('-h').out, r.out, '-h is --help')
    r = lxtest.dtrace('-y')
    t.ok(r.returncode == 2 and r.err.startswith("dtrace: invalid option -- 'y'\nusage: "), 'unknown flag: status 2', r)
    r = lxtest.dtrace('-l', '-V')
    t.eq((r.returncode, r.err), (2, 'dtrace: only one of the [-hlV] options can be specified at a time\n'), '-l -V: status 2')
    r = lxtest.dtrace('-V')
    t.ok(r.returncode == 0 and re.fullmatch(r'dtrace: \S+ D \d+\.\d+\n', r.out), '-V', r)
    link = os.path.join(tmp, 'dtrace')
    os.symlink(lxtest.ZONECTL, link)
    t.eq(lxtest.run(link, '-V').out, r.out, 'a link called dtrace is zonectl dtrace')
    for flag in ('-32', '-64'):
        t.eq(lxtest.dtrace(flag, '-qn', EXIT).returncode, 0, flag)


def errors():
    fails(['-q'], 1, 'dtrace: no probes specified\n', 'nothing to trace')
    fails(['-s', '/nonexistent.d'], 1, 'dtrace: failed to open /nonexistent.d: No such file or directory\n', 'missing script')
    fails(['-n', 'nothing:::here'], 1, 'dtrace: invalid probe specifier nothing:::here: probe description nothing:::here does not '
          'match any probes\n', 'no such probe')
    fails(['-x', 'errtags', '-n', 'fbt:::'], 1, 'dtrace: invalid probe specifier fbt:::: [D_PDESC_ZERO] probe description fbt::: '
          'does not match any probes\n', 'the same with its tag')
    script = write('bad.d', 'BEGIN\n{\n\ttrace(x);\n}\n')
    r = lxtest.dtrace('-s', script)
    t.ok(r.returncode == 1 and r.err.startswith(f'dtrace: failed to compile script {script}: line 3: '), 'error with its line', r)
    r = lxtest.dtrace('-x', 'errtags', '-s', script)
    t.ok(re.match(rf'dtrace: failed to compile script {script}: \[D_\w+\] line 3: ', r.err), 'and with its tag', r)
    fails(['-x', 'nonsense', '-n', EXIT], 1, 'dtrace: failed to set -x nonsense: Invalid option name\n', 'unknown option')
    fails(['-x', 'bufsize=big', '-n', EXIT], 1, 'dtrace: failed to set -x bufsize: Invalid value for specified option\n', 'bad value')
    fails(['-b', 'x', '-n', EXIT], 1, 'dtrace: failed to set -b x: Invalid value for specified option\n', 'bad -b')
    fails(['-p', 'x', '-n', EXIT], 1, 'dtrace: invalid pid: x\n', 'bad pid')
    fails(['-p', '4194305', '-n', EXIT], 1, 'dtrace: failed to grab pid 4194305: No such process\n', 'no such process')
    fails(['-c', 'nonexistent-command', '-n', EXIT], 1, 'dtrace: failed to execute nonexistent-command: No such file or directory\n',
          'no such command')
    fails(['-q', '-z', 'no-such-zone', '-n', EXIT], 1, 'dtrace: could not enable tracing: zone no-such-zone: no such running zone\n',
          'no such zone')
    fails(['-q', '-o', '/nonexistent/file', '-n', EXIT], 1, "dtrace: failed to open output file '/nonexistent/file': No such file or "
          'directory\n', 'output file that cannot be')
    r = lxtest.dtrace('-qn', EXIT, env={'DTRACE_OPT_BUFSIZE': 'big'})
    t.eq((r.returncode, r.err), (1, 'dtrace: failed to set DTRACE_OPT_BUFSIZE: Invalid value for specified option\n'),
         'bad value in the environment')
    r = lxtest.dtrace('-n', EXIT, env={'DTRACE_OPT_QUIET': ''})
    t.eq((r.returncode, r.out, r.err), (0, '\n', ''), 'an option by the environment')


def texts():
    r = lxtest.dtrace('-n', EXIT)
    t.eq((r.returncode, r.err), (0, "dtrace: description 'BEGIN ' matched 1 probe\n"), 'matched 1 probe')
    t.ok(re.fullmatch(r'CPU     ID                    FUNCTION:NAME\n {1,2}\d+      1                           :BEGIN \n\n', r.out),
         'header and default action', r)
    r = lxtest.dtrace('-n', 'syscall::read:entry,syscall::write:entry', '-n', EXIT)
    t.ok("dtrace: description 'syscall::read:entry,syscall::write:entry' matched 4 probes\n" in r.err, 'matched N: clause x probe', r)
    script = write('two.d', 'BEGIN { trace(1); }\nBEGIN { exit(4); }\n')
    r = lxtest.dtrace('-s', script)
    t.eq((r.returncode, r.err), (4, f"dtrace: script '{script}' matched 2 probes\n"), 'a script; the status of exit()')
    r = lxtest.dtrace('-q', '-s', script)
    t.eq((r.returncode, r.out, r.err), (4, '1\n', ''), '-q')
    r = lxtest.dtrace('-Zn', 'no:such::probe', '-n', EXIT)
    t.ok(r.returncode == 0 and "description 'no:such::probe' matched 0 probes\n" in r.err, '-Z', r)
    r = lxtest.dtrace('-e', '-n', EXIT)
    t.eq((r.returncode, r.out, r.err), (0, '', ''), '-e compiles and no more')
    r = lxtest.dtrace('-w', '-n', EXIT)
    t.ok('dtrace: allowing destructive actions\n' in r.err, '-w says so', r)
    r = lxtest.dtrace('-n', 'BEGIN { trace(*(int *)16); }', '-n', 'BEGIN { exit(0); }')
    t.ok(re.search(r'^dtrace: error in dt_clause_0 for probe ID 1 \(dtrace:::BEGIN\): invalid address \(0x10\) at DIF offset \d+$',
                   r.err, re.M), 'a fault says where', r)
    r = lxtest.dtrace('-qn', 'BEGIN { x = 0; y = 1 / x; } ERROR { printf("%d %d", arg4, arg5); exit(1); }')
    t.ok(r.returncode == 1 and re.search(r'divide-by-zero at DIF offset', r.err) and r.out.startswith('4 0'), 'ERROR fires', r)
    r = lxtest.dtrace('-S', '-e', '-n', EXIT)
    t.ok(re.search(r'^0000 ', r.err, re.M), '-S shows code', r)
    r = lxtest.dtrace('-v', '-e', '-n', EXIT)
    t.ok(r.out.startswith("\nStability attributes for description BEGIN :\n"), '-v reports', r)


def listing():
    r = lxtest.dtrace('-l', '-P', 'dtrace')
    head = '   ID   PROVIDER            MODULE                          FUNCTION NAME\n'
    row = '{:5} {:>10} {:>17} {:>33} {}\n'
    want = head + ''.join(row.format(i + 1, 'dtrace', '', '', n) for i, n in enumerate(('BEGIN', 'END', 'ERROR')))
    t.eq(r.out, want, '-l -P')
    t.eq(lxtest.dtrace('-l', '-i', '2').out, head + row.format(2, 'dtrace', '', '', 'END'), '-l -i')
    r = lxtest.dtrace('-l', '-f', 'sys64:mmap')
    t.eq([line.split()[1:] for line in r.out.splitlines()[1:]],
         [['lx-syscall', 'sys64', 'mmap', 'entry'], ['lx-syscall', 'sys64', 'mmap', 'return']], '-l -f', r)
    n = len(lxtest.dtrace('-l').out.splitlines())
    m = len(lxtest.dtrace('-l', '-m', 'sys32').out.splitlines())
    t.ok(n > 1500 and 600 < m < n, '-l alone lists all, -m some')
    r = lxtest.dtrace('-l', '-n', 'syscall::openat:entry /pid == 1/ { trace(1); }')
    t.eq(len(r.out.splitlines()), 3, '-l of a clause', r)
    r = lxtest.dtrace('-lv', '-n', 'lx-syscall:sys64:read:entry')
    t.ok('args[0]: int' in r.out or 'args[0]: unsigned int' in r.out, '-lv shows types', r)
    r = lxtest.dtrace('-l', '-n', 'no:such:probe:here')
    t.eq((r.returncode, r.out, r.err), (0, head, 'dtrace: failed to match no:such:probe:here: No probe matches description\n'),
         '-l of nothing')


def scripts():
    dtrace = os.path.join(tmp, 'dtrace')
    script = write('run.d', f'#!{dtrace} -qs\nBEGIN\n{{\n\tprintf("%s %d %s", $$1, $2, $$0);\n\texit(0);\n}}\n', 0o755)
    r = lxtest.run(script, 'word', '42')
    t.eq((r.returncode, r.out), (0, f'word 42 {script}\n'), '#! line with arguments', r)
    r = lxtest.dtrace('-q', '-n', 'BEGIN { printf("%d", $1); exit(0); }', '7')
    t.eq(r.out, '7\n', 'arguments of -n', r)
    script = write('cpp.d', '#define TEXT "from cpp"\nBEGIN\n{\n\tprintf("%s %d", TEXT, NUM);\n\texit(0);\n}\n')
    r = lxtest.dtrace('-C', '-D', 'NUM=3', '-q', '-s', script)
    t.eq((r.returncode, r.out), (0, 'from cpp 3\n'), '-C -D', r)
    r = lxtest.dtrace('-D', 'UNUSED=1', '-I', '/tmp', '-U', 'X', '-qn', EXIT)
    t.eq((r.returncode, r.err), (0, ''), '-D -I -U without -C', r)
    r = lxtest.dtrace('-qn', 'BEGIN { x = 1; }', '-n', 'BEGIN { printf("%d", x); exit(0); }')
    t.eq(r.out, '1\n', 'several sources share variables', r)


def output_file():
    path = os.path.join(tmp, 'out')
    for _ in range(2):
        r = lxtest.dtrace('-q', '-o', path, '-n', 'BEGIN { printf("line"); exit(0); }')
        t.eq((r.returncode, r.out), (0, ''), '-o', r)
    with open(path) as f:
        t.eq(f.read(), 'line\nline\n', '-o appends')
    r = lxtest.dtrace('-q', '-o', '/dev/full', '-n', 'BEGIN { printf("line"); exit(0); }')
    t.ok(r.returncode == 1 and 'failed to write' in r.err, 'a full disk is an error', r)


def command():
    r = lxtest.dtrace('-q', '-c', '/bin/echo out   put', '-n', 'syscall::write:entry /pid == $target/ { printf("[%s]", execname); }')
    t.eq((r.returncode, r.out), (0, 'out put\n[echo]\n'), '-c splits at blanks, $target is it', r)
    r = lxtest.dtrace('-q', '-c', 'false', '-n', 'BEGIN { trace("x"); }')
    t.eq((r.returncode, r.out), (0, 'x\n'), "the command's status is not ours", r)
    r = lxtest.dtrace('-q', '-c', 'sleep 1', '-n', 'BEGIN { exit(5); }')
    t.eq(r.returncode, 5, 'exit() ends a session with a command', r)
    r = lxtest.dtrace('-q', '-c', 'sleep 0.2', '-c', 'sleep 0.5', '-n', 'syscall::exit_group:entry { @ = count(); } '
                      'END { printa("%@d", @); }')
    t.eq(r.out, '2\n', 'two commands: the session ends with the last', r)


for part in (usage, errors, texts, listing, scripts, output_file, command):
    part()
t.done()
