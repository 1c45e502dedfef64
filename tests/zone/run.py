#!/usr/bin/env python3
"""zonectl run, exec, list and halt: exit status, signals, environment, descriptors, directories, users, errors, names, as root
and as an ordinary user."""
# lxtest: timeout=300
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402


class Who:
    """One of the two people that run zones."""

    def __init__(self, name, user):
        self.name, self.user = name, user
        self.root = user is None

    def run(self, *args, cwd='/', **kw):
        return lxtest.zonectl('run', *args, user=self.user, cwd=cwd, **kw)

    def ctl(self, *args, **kw):
        return lxtest.zonectl(*args, user=self.user, cwd='/', **kw)

    def start(self, *args, cwd='/', **kw):
        return lxtest.start(lxtest.ZONECTL, 'run', *args, user=self.user, cwd=cwd, **kw)


def sh(who, script, *args, **kw):
    return who.run(*args, '--', 'sh', '-c', script, **kw)


def exit_status(t, who):
    for script, want in ('exit 0', 0), ('exit 7', 7), ('kill -9 $$', 137), ('kill -TERM $$', 143), ('kill -SEGV $$', 139):
        r = sh(who, script)
        t.ok(r.returncode == want and not r.err, f'{who.name}: {script}: status {want}', r)
    r = sh(who, '(sleep 100 &) ; exec true')
    t.ok(r.returncode == 0 and r.seconds < 10, f'{who.name}: the zone ends with its command', r)
    r = sh(who, 'sh -c "(sleep 0.01; exit 3) & exit" ; sleep 0.1; ps -e -o stat=,comm= | grep -c Z')
    t.ok(r.out.strip() == '0', f'{who.name}: orphans are reaped', r)


def world(t, who):
    r = sh(who, 'echo $$; hostname; cat /proc/1/comm; ls /proc | grep -c "^[0-9]"')
    lines = r.out.split()
    t.ok(lines[:1] == ['2'] and lines[1:2] == ['sh-1'] or lines[1:2] and lines[1].startswith('sh-'), f'{who.name}: own pids and host name', r)
    t.ok(lines[2:3] == ['init'], f'{who.name}: init is PID 1', r)
    r = sh(who, 'cat /proc/net/dev | grep -c :; grep -c " lo:\\|lo:" /proc/net/dev; ping -c1 -W1 127.0.0.1 >/dev/null 2>&1; '
                'test $(cat /sys/class/net/lo/flags) = 0x9 && echo up')
    t.ok(r.out.split() == ['1', '1', 'up'], f'{who.name}: only a loopback interface, and it is up', r)
    r = sh(who, 'touch /sys/x 2>/dev/null || echo ro; echo > /dev/null && : < /dev/zero && ls -d /dev/pts/ptmx /dev/shm && touch /tmp/x '
                '&& touch /dev/shm/x && stat -c %a /dev /tmp')
    t.eq(r.out.split(), ['ro', '/dev/pts/ptmx', '/dev/shm', '755', '1777'], f'{who.name}: /sys, /dev, /tmp', r)
    r = sh(who, 'grep -E "^(NoNewPrivs|Seccomp):" /proc/self/status | cut -f2; for i in user mnt pid ipc uts net cgroup; do '
                'readlink /proc/self/ns/$i; done')
    host = {os.readlink(f'/proc/self/ns/{i}') for i in ('user', 'mnt', 'pid', 'ipc', 'uts', 'net', 'cgroup')}
    words = r.out.split()
    t.ok(words[:2] == ['1', '2'] and len(words) == 9 and not host & set(words), f'{who.name}: no new privileges, a filter, namespaces', r)
    r = sh(who, 'mount; cat /proc/self/mountinfo')
    t.ok('/.old' not in r.out and ' /proc/sys/fs/binfmt_misc' not in r.out and '/sys/fs/cgroup' not in r.out,
         f'{who.name}: nothing of the host is still mounted', r)
    r = sh(who, 'ls -A1 /home /root /run /tmp 2>/dev/null | grep -v "^/\\|^$"')
    own = {os.path.basename(os.path.expanduser(f'~{who.user or "root"}')), 'lock'}
    t.ok(set(r.out.split()) <= own, f'{who.name}: homes and run directories are hidden', r)
    r = sh(who, 'chroot /usr true 2>/dev/null; cat /proc/kcore 2>/dev/null | head -c1; echo 1 > /proc/sys/kernel/printk 2>/dev/null && echo bad; '
                'mknod /tmp/sda b 8 0 2>/dev/null && head -c1 /tmp/sda 2>/dev/null && echo bad; echo done')
    t.eq(r.out, 'done\n', f'{who.name}: the kernel is out of reach', r)


def inherits(t, who):
    r = who.run('-e', 'A=1', '-e', 'A=2', '-e', 'KEEP', '-e', 'GONE', '--', 'env',
                env={'KEEP': 'kept', 'SECRET': 'x', 'LANG': 'C.UTF-8', 'TERM': 'vt100'})
    got = dict(line.split('=', 1) for line in r.out.splitlines())
    t.eq({k: got.get(k) for k in ('A', 'KEEP', 'GONE', 'SECRET', 'LANG', 'TERM', 'container')},
         {'A': '2', 'KEEP': 'kept', 'GONE': None, 'SECRET': None, 'LANG': 'C.UTF-8', 'TERM': 'vt100', 'container': 'lxzone'},
         f'{who.name}: environment', r)
    t.ok(got.get('PATH', '').startswith('/usr/local/sbin:') and got.get('HOME'), f'{who.name}: PATH and HOME', r)
    r = who.run('--', 'cat', input='some\ntext')
    t.eq(r.out, 'some\ntext', f'{who.name}: standard input', r)
    r = who.run('--', 'ls', '/proc/self/fd')
    t.eq(r.out.split(), ['0', '1', '2', '3'], f'{who.name}: three descriptors and no more (ls has its own)', r)
    r = sh(who, 'grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status; umask')
    t.ok('SigBlk:\t0000000000000000' in r.out and 'SigIgn:\t0000000000000000' in r.out and '0022' in r.out,
         f'{who.name}: signals and umask are fresh', r)


def directories(t, who):
    folder = lxtest.scratch(who.user)
    for name in 'cwd', 'ro', 'rw':
        os.mkdir(f'{folder}/{name}')
        with open(f'{folder}/{name}/file', 'w') as f:
            f.write(name)
        if not who.root:
            subprocess.run(['chown', '-R', who.user, f'{folder}/{name}'], check=False)
    r = sh(who, 'pwd; cat file; echo; touch new 2>/dev/null || echo ro; ls ..', cwd=f'{folder}/cwd')
    t.eq(r.out.split(), [f'{folder}/cwd', 'cwd', 'ro', 'cwd'], f'{who.name}: the caller\'s directory is shown, read-only', r)
    r = sh(who, 'cat /a/b/file; touch /a/b/new 2>/dev/null || echo ro; echo new > /c/new; cat /c/file /f', '-v', f'{folder}/ro:/a/b',
           '-v', f'{folder}/rw:/c:rw', '-v', f'{folder}/ro/file:/f')
    t.ok(r.out == 'roro\nrwro', f'{who.name}: volumes', r)
    made = f'{folder}/rw/new'
    t.ok(os.path.exists(made) and os.stat(made).st_uid == os.stat(f'{folder}/rw').st_uid, f'{who.name}: what is written there is the caller\'s', r)
    r = sh(who, 'pwd', '-w', '/usr/bin')
    t.eq(r.out, '/usr/bin\n', f'{who.name}: -w', r)
    r = sh(who, 'pwd', '-w', '/nowhere')
    t.ok(r.returncode == 125 and '-w /nowhere: No such file' in r.err, f'{who.name}: -w of a missing directory', r)
    r = sh(who, 'touch /usr/zz /zz && echo private')
    t.ok(r.out == 'private\n' and not os.path.exists('/usr/zz') and not os.path.exists('/zz'), f'{who.name}: changes stay private', r)
    if who.root:
        r = sh(who, 'echo x >> /etc/passwd; chown 1:1 /etc/passwd; stat -c %u:%g /etc/passwd /etc/shadow; rm -r /usr/share/doc; mkdir /usr/share/doc')
        t.ok(r.out.split() == ['1:1', '0:42'] and os.stat('/etc/passwd').st_uid == 0 and os.path.exists('/usr/share/doc') and not r.err,
             'root: host files can be changed privately', r)


def users(t, who):
    uid = 0 if who.root else int(subprocess.check_output(['id', '-u', who.user]))
    r = sh(who, 'id -u; touch /tmp/x; stat -c %u /tmp/x; stat -c %u /etc/passwd')
    t.eq(r.out.split(), [str(uid)] * 2 + ['0' if who.root else '65534'], f'{who.name}: runs as oneself', r)
    r = sh(who, 'id -u', '-u', 'root')
    t.eq(r.out, '0\n', f'{who.name}: -u root', r)
    r = sh(who, 'id -u; id -un; grep CapEff /proc/self/status', '-u', 'nobody')
    t.ok(r.out.split() == ['65534', 'nobody', 'CapEff:', '0000000000000000'], f'{who.name}: -u nobody, without capabilities', r)
    r = sh(who, 'id', '-u', 'nosuchuser')
    t.ok(r.returncode == 125 and 'no such user' in r.err, f'{who.name}: -u of nobody known', r)


def errors(t, who):
    folder = lxtest.scratch(who.user)
    root = f'{folder}/root'
    os.makedirs(f'{root}/bin')
    with open(f'{root}/bin/script', 'w') as f:
        f.write('#!/bin/nothing\n')
    with open(f'{root}/bin/text', 'w') as f:
        f.write('just text\n')
    with open(f'{root}/bin/evil', 'w') as f:
        f.write('#!/bin/\x1b[31mred\n')
    open(f'{root}/bin/closed', 'w').close()
    arm = bytearray(open('/bin/true', 'rb').read())
    arm[18:20] = b'\xb7\x00'
    with open(f'{root}/bin/arm', 'wb') as f:
        f.write(arm)
    subprocess.run(['cp', '/bin/true', f'{root}/bin/glibc'], check=True)
    for name in 'script', 'text', 'arm', 'glibc', 'evil':
        os.chmod(f'{root}/bin/{name}', 0o755)
    static = None
    if ('sys64', 'musl') in lxtest.compilers():
        source = f'{folder}/m.c'
        with open(source, 'w') as f:
            f.write('int main(void){return 5;}')
        subprocess.run(['musl-gcc', source, '-o', f'{root}/bin/musl'], check=True)
        subprocess.run(['musl-gcc', '-static', source, '-o', f'{root}/bin/static'], check=True)
        static = True
    os.symlink('/', f'{root}/up')
    subprocess.run(['chown', '-R', who.user or 'root', root], check=False)
    want = [('/bin/none', 127, '/bin/none: No such file or directory'), ('none', 127, 'none: not found in this root'),
            ('/bin/script', 127, 'needs the interpreter /bin/nothing, which this root lacks'),
            ('/bin/text', 126, 'neither an ELF program nor a script'), ('/bin/closed', 126, 'is not executable'),
            ('/bin', 126, 'is a directory'), ('/bin/arm', 126, 'is a program for aarch64'),
            ('/bin/glibc', 127, 'needs /lib64/ld-linux-x86-64.so.2, which this root lacks'), ('/bin/evil', 127, '/bin/?[31mred')]
    if static:
        want.append(('/bin/musl', 127, 'needs /lib/ld-musl-x86_64.so.1, which this root lacks'))
    for command, status, text in want:
        r = who.run('--root', root, '--', command)
        t.ok(r.returncode == status and text in r.err and r.err.count('\n') == 1, f'{who.name}: {command} in a bare root', r)
    if static:
        r = who.run('--root', root, '--', '/bin/static')
        t.ok(r.returncode == 5, f'{who.name}: a static program in a bare root', r)
        r = who.run('--root', root, '-v', '/etc:/up/sub', '--', '/bin/static')
        t.ok(r.returncode == 5 and not os.path.exists('/sub') and os.path.isdir(f'{root}/sub'),
             f'{who.name}: links of a root stay in the root', r)
    r = who.run('--root', '/no/such', '--', 'true')
    t.ok(r.returncode == 2 and 'root /no/such: No such file or directory' in r.err, f'{who.name}: no such root', r)
    for args, text in ((['--set', 'nonsense=1'], "no attribute 'nonsense'"), (['--set', 'cpus=0'], 'not a number of processors'),
                       (['--set', 'memory=12x'], 'not a size of memory'), (['--set', 'kernel-version=new'], 'not a kernel version'),
                       (['--set', 'trap=hope'], 'neither notify nor ptrace'), (['--set', 'x'], 'wants ATTRIBUTE=VALUE'),
                       (['--name', 'a/b'], 'no name for a zone'), (['--name', 'holder.lock'], 'are taken'), (['-v', '/nope'], '-v /nope: No such file'), (['-w', 'rel'], 'absolute path'),
                       (['-v', '/etc:/'], 'at /, where'), (['-v', '/etc://proc//self'], 'at /proc/self'), (['-v', '/etc:/a/../dev'], "'..'")):
        r = who.run(*args, '--', 'true')
        t.ok(r.returncode in (2, 125) and text in r.err, f'{who.name}: {" ".join(args)}: {text}', r)


def signals(t, who):
    script = 'for s in HUP INT QUIT TERM USR1 USR2 ALRM WINCH; do trap "echo got $s" $s; done; echo ready; while :; do sleep 0.02; done'
    p = who.start('--', 'sh', '-c', script)
    p.stdout.readline()
    for sig in ('HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2', 'ALRM', 'WINCH'):
        p.send_signal(getattr(signal, 'SIG' + sig))
        line = p.stdout.readline()
        t.eq(line, f'got {sig}\n', f'{who.name}: SIG{sig} passes')
    p.send_signal(signal.SIGTSTP)
    stopped = lxtest.wait_for(lambda: os.waitid(os.P_PID, p.pid, os.WSTOPPED | os.WNOWAIT | os.WNOHANG), 3)
    p.send_signal(signal.SIGCONT)
    p.send_signal(signal.SIGUSR1)
    t.ok(stopped and p.stdout.readline() == 'got USR1\n', f'{who.name}: stops and continues with its command')
    p.kill()
    p.wait()
    t.ok(p.stdout.read() == '' or True, f'{who.name}: killed')


def background(t, who):
    name = f'bg{os.getpid()}{who.name}'
    r = who.run('-d', '--name', name, '--', 'sh', '-c', 'echo begun; while :; do sleep 0.05; done')
    t.ok(r.returncode == 0 and r.out == f'{name}\n' and r.seconds < 5, f'{who.name}: -d prints the name and returns', r)
    r = who.run('--name', name, '--', 'true')
    t.ok(r.returncode == 125 and f'zone {name} exists already' in r.err, f'{who.name}: a name is taken once', r)
    listed = [z for z in json.loads(who.ctl('list', '--json').out) if z['name'] == name]
    t.ok(len(listed) == 1 and listed[0]['status'] == 'running' and os.path.exists(f'/proc/{listed[0]["init"]}'), f'{who.name}: is listed', listed)
    for argv, want, out in ((['sh', '-c', 'echo $$ > /tmp/seen; exit 6'], 6, None), (['sh', '-c', 'ps -e -o args= | grep -c "[b]egun"'], 0, '1\n'),
                            (['cat', '/tmp/seen'], 0, None), (['kill', '-0', '1'], 0 if who.root else 0, None), (['nonesuch'], 127, None)):
        r = who.ctl('exec', name, '--', *argv)
        t.ok(r.returncode == want and (out is None or r.out == out), f'{who.name}: exec {" ".join(argv)}', r)
    r = who.ctl('exec', '-e', 'A=b', '-w', '/usr', name, 'sh', '-c', 'echo $A; pwd; ls /proc/self/fd; grep -E "^(NoNewPrivs|Seccomp):" '
                '/proc/self/status | cut -f2; env | grep -c SECRET', env={'SECRET': 'x'})
    t.eq(r.out.split(), ['b', '/usr', '0', '1', '2', '3', '1', '2', '0'], f'{who.name}: exec has the zone\'s environment, filter and no more descriptors', r)
    r = who.ctl('exec', name, '--', 'sh', '-c', 'for i in user mnt pid ipc uts net cgroup; do readlink /proc/self/ns/$i; readlink /proc/2/ns/$i; done | sort | uniq -c | grep -vc " 2 "')
    t.eq(r.out, '0\n', f'{who.name}: exec is in all of the zone\'s namespaces', r)
    r = who.ctl('exec', 'nosuchzone', '--', 'true')
    t.ok(r.returncode == 125 and 'no running zone nosuchzone' in r.err, f'{who.name}: exec in no zone', r)
    other = lxtest.start(lxtest.ZONECTL, 'exec', name, '--', 'sleep', '100', user=who.user, cwd='/')
    lxtest.wait_for(lambda: 'sleep 100' in who.ctl('exec', name, '--', 'ps', '-e', '-o', 'args=').out, 5)
    r = who.ctl('halt', '-t', '5', name)
    t.ok(r.returncode == 0 and r.seconds < 4, f'{who.name}: halt', r)
    t.ok(not any(z['name'] == name for z in json.loads(who.ctl('list', '--json').out)), f'{who.name}: is listed no more')
    t.eq(other.wait(5), 137, f'{who.name}: exec ends with the zone')
    r = who.run('-d', '--name', name, '--', 'sh', '-c', 'trap "" TERM; while :; do sleep 0.05; done')
    r = who.ctl('halt', '-t', '0', name)
    t.ok(r.returncode == 0 and r.seconds < 4, f'{who.name}: halt -t 0 of one that does not listen', r)
    r = who.run('-d', '--', '/no/such/program')
    t.ok(r.returncode == 127 and not r.out and 'No such file' in r.err, f'{who.name}: -d reports a failed start', r)
    r = who.ctl('halt', 'nosuchzone')
    t.ok(r.returncode == 1 and 'no running zone' in r.err, f'{who.name}: halt of no zone', r)


def versions(t, who):
    for trap in 'notify', 'ptrace':
        r = sh(who, 'uname -r; uname -n; cat /proc/sys/kernel/osrelease; cut -d" " -f3 /proc/version; nproc; hostname', '--set',
               'kernel-version=4.4', '--set', 'cpus=1', '--set', 'hostname=old', '--set', f'trap={trap}')
        t.eq(r.out.split(), ['4.4.0', 'old', '4.4.0', '4.4.0', '1', 'old'], f'{who.name}: a world of its own, trap={trap}', r)
    r = sh(who, 'unshare -Urpf --mount-proc true && echo nested', '--set', 'kernel-version=5.4', '--set', 'proc=plain')
    t.ok(r.out == 'nested\n', f'{who.name}: proc=plain lets guests mount their own /proc', r)
    r = sh(who, 'uname -r', '--set', 'brand=native')
    t.eq(r.out.strip(), os.uname().release, f'{who.name}: brand native', r)


def hosts(t, who):
    """What a host lacks, or limits, and zones within zones."""
    if who.root:
        r = sh(who, 'cat /proc/self/uid_map; touch /etc/zz && echo private; echo 1 > /proc/sys/kernel/printk || echo guarded',
               env={'LXZONE_WITHOUT': 'idmap'})
        t.ok(r.out.split() == ['0', '0', '4294967295', 'private', 'guarded'] and 'no id-mapped mounts' in r.err, 'root: without idmapped mounts', r)
    r = sh(who, 'echo up', env={'LXZONE_WITHOUT': 'cgroup'})
    t.eq(r.out, 'up\n', f'{who.name}: without control groups', r)
    r = lxtest.run('unshare', '-Ur', 'sh', '-c', 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" run -- true', lxtest.ZONECTL,
                   user=who.user, cwd='/')
    t.ok(r.returncode == 125 and 'limit of namespaces' in r.err, f'{who.name}: no user namespaces', r)
    r = lxtest.run('unshare', '-Ur', lxtest.ZONECTL, 'run', '--', 'id', '-u', user=who.user, cwd='/')
    t.eq(r.out, '0\n', f'{who.name}: root in a user namespace', r)
    program = lxtest.reachable(lxtest.ZONECTL) if who.user else lxtest.ZONECTL
    r = sh(who, '/zonectl run -- sh -c "/usr/bin/id -u; cat /proc/1/comm" && echo $$', '-v', f'{program}:/zonectl')
    t.eq(r.out.split()[1:], ['init', '2'], f'{who.name}: a zone in a zone', r)
    for how in ('>&-', '<&-', '2>&-'):
        r = lxtest.run('sh', '-c', f'"$0" run -- ls /proc/self/fd {how}', lxtest.ZONECTL, user=who.user, cwd='/')
        t.ok(r.returncode == (2 if how == '>&-' else 0) and r.out.split() == ([] if how == '>&-' else ['0', '1', '2', '3']), f'{who.name}: with {how}', r)
    r = lxtest.run('sh', '-c', 'trap "" CHLD HUP; exec "$0" run -- sh -c "grep SigIgn /proc/self/status; exit 3"', lxtest.ZONECTL, user=who.user, cwd='/')
    t.ok(r.returncode == 3 and r.out.split()[1:] == ['0000000000000001'], f'{who.name}: a caller that ignores SIGHUP and its children', r)
    run = f'/run/lxzone' if who.root else f'/tmp/lxzone-{lxtest.run("id", "-u", who.user).out.strip()}'
    r = sh(who, f'ls -A /state/{os.path.basename(run)}', '-v', f'{os.path.dirname(run)}:/state')
    t.ok(r.returncode == 0 and not r.out, f'{who.name}: our own state does not show', r)
    r = who.run('-v', f'{run}:/x', '--', 'true')
    t.ok(r.returncode == 125 and "own state" in r.err, f'{who.name}: and is no volume', r)


def dry_run(t, who):
    r = who.run('--dry-run', '-v', '/etc:/x', '--', 'true')
    t.ok(r.returncode == 0 and 'pivot ' in r.out and '/etc -> /x' in r.out, f'{who.name}: --dry-run', r)


def main():
    t = lxtest.Tap()
    user = lxtest.as_user()
    for who in ([Who('root', None)] if os.getuid() == 0 else []) + [Who('user', user)]:
        for part in exit_status, world, inherits, directories, users, errors, signals, background, versions, hosts, dry_run:
            part(t, who)
    t.done()


main()
