"""What end-to-end tests share: TAP, running zonectl (also as an ordinary user), guests, and what is left behind.

    import lxtest
    t = lxtest.Tap()
    r = lxtest.zonectl('run', '--', 'true')
    t.ok(r.returncode == 0, 'true runs in a zone', r)
    t.done()
"""
import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

LIB = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(LIB))
BUILD = os.path.abspath(os.environ.get('LXZONE_BUILD', os.path.join(TOP, 'build')))
ZONECTL = os.environ.get('LXZONE_ZONECTL', os.path.join(BUILD, 'zonectl', 'zonectl'))
LONG = bool(os.environ.get('LXTEST_LONG'))
USER = 'lxtest'


class Tap:
    """Counts test points and prints them as they come."""

    def __init__(self):
        self.n = self.bad = 0

    def ok(self, good, what, context=None):
        """A test point; context (a Result, or anything) is shown when it is not good."""
        self.n += 1
        print(f'{"ok" if good else "not ok"} {self.n} - {what}', flush=True)
        if not good:
            self.bad += 1
            if context is not None:
                for line in str(context).splitlines():
                    print(f'# {line}', flush=True)
        return bool(good)

    def eq(self, got, want, what, context=None):
        if not self.ok(got == want, what, context):
            print(f'# got:  {got!r}\n# want: {want!r}', flush=True)
        return got == want

    def skip(self, what, why):
        self.n += 1
        print(f'ok {self.n} - {what} # SKIP {why}', flush=True)

    def done(self):
        print(f'1..{self.n}', flush=True)
        sys.exit(1 if self.bad else 0)


def skip_all(why):
    print(f'# {why}')
    sys.exit(77)


class Result:
    """A finished command: argv, returncode, out, err, seconds."""

    def __init__(self, argv, returncode, out, err, seconds):
        self.argv, self.returncode, self.out, self.err, self.seconds = argv, returncode, out, err, seconds

    def __str__(self):
        return (f'{" ".join(self.argv)}\nstatus {self.returncode}, {self.seconds:.2f} s\n'
                f'stdout: {self.out}\nstderr: {self.err}')


def run(*argv, timeout=60, user=None, cwd=None, env=None, input=None, binary=False):
    """Runs a command to its end. user: an ordinary user's name (as_user()), when we are root."""
    argv = [str(a) for a in argv]
    full = {**os.environ, **(env or {})}
    if user and os.getuid() == 0:
        argv, full = user_command(user, argv, full)
        cwd = cwd or user_cwd()
    began = time.monotonic()
    stdin = {'stdin': subprocess.DEVNULL} if input is None else {'input': input}
    try:
        p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, cwd=cwd, env=full,
                           **stdin, **({} if binary else {'text': True, 'errors': 'replace'}))
        code, out, err = p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired as e:
        text = [b'' if s is None else s for s in (e.stdout, e.stderr)]
        out, err = text if binary else [s.decode(errors='replace') if isinstance(s, bytes) else s for s in text]
        code = 'timeout'
    return Result(argv, code, out, err, time.monotonic() - began)


def zonectl(*args, **kw):
    return run(ZONECTL, *args, **kw)


def dtrace(*args, **kw):
    return run(ZONECTL, 'dtrace', *args, **kw)


def start(*argv, user=None, env=None, **kw):
    """Popen with pipes for what is not given; the caller waits for it."""
    argv = [str(a) for a in argv]
    full = {**os.environ, **(env or {})}
    if user and os.getuid() == 0:
        argv, full = user_command(user, argv, full)
        kw['cwd'] = kw.get('cwd') or user_cwd()
    kw = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True, **kw}
    return subprocess.Popen(argv, env=full, **kw)


def wait_for(what, seconds=10.0, step=0.02):
    """True as soon as what() is; False when it is not within so many seconds."""
    end = time.monotonic() + seconds
    while True:
        if what():
            return True
        if time.monotonic() > end:
            return False
        time.sleep(step)


def sources():
    """The names of the project's files, from its top: what git has or would add, or all without git."""
    # Root may look at a user's checkout.
    r = run('git', '-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard', cwd=TOP)
    names = r.out.splitlines()
    if r.returncode:
        names = [os.path.relpath(os.path.join(root, f), TOP) for root, _, files in os.walk(TOP) for f in files]
        names = [n for n in names if not n.startswith(('build', '.git/'))]
    return sorted(n for n in names if os.path.isfile(os.path.join(TOP, n)))


# ---- An ordinary user ----

def as_user():
    """The name of an ordinary user to run things as: ourselves, or as root an account made for the tests."""
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid()).pw_name
    try:
        pwd.getpwnam(USER)
    except KeyError:
        subprocess.run(['useradd', '--system', '--create-home', '--home-dir', f'/var/tmp/{USER}', USER], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pwd.getpwnam(USER)
    return USER


def user_command(user, argv, env):
    """argv and environment that run a command as user: no privilege, own home, own program if ours is out of reach."""
    pw = pwd.getpwnam(user)
    env = {k: v for k, v in env.items() if not k.startswith(('XDG_', 'SUDO_'))}
    env.update(HOME=pw.pw_dir, USER=user, LOGNAME=user)
    argv = [reachable(a) if a == ZONECTL else a for a in argv]
    return ['setpriv', f'--reuid={pw.pw_uid}', f'--regid={pw.pw_gid}', '--init-groups', '--'] + argv, env


def is_open(path):
    """Can everybody get there?"""
    while path != '/':
        if not os.stat(path).st_mode & 0o001:
            return False
        path = os.path.dirname(path)
    return True


def user_cwd():
    """Where a user's command starts: where we are, unless that is closed to others."""
    return None if is_open(os.getcwd()) else '/'


def reachable(path):
    """path, or a copy of it that everybody can execute when it or a folder above it is closed to others. The copy's folder is
    one that a zone shows when it is the current directory."""
    if is_open(path):
        return path
    folder = f'/var/tmp/{USER}-programs'
    copy = f'{folder}/{os.path.basename(path)}-{os.stat(path).st_mtime_ns}'
    if not os.path.exists(copy):
        os.makedirs(folder, 0o755, exist_ok=True)
        for old in glob.glob(f'{folder}/{os.path.basename(path)}-*'):
            os.unlink(old)
        tmp = f'{folder}/.{os.getpid()}'  # not among those that another test takes for old ones
        shutil.copyfile(path, tmp)
        os.chmod(tmp, 0o755)
        os.rename(tmp, copy)
    return copy


def readable(path, folder):
    """path, or a copy of it (a file, or a tree) in folder when others cannot get at it."""
    p = path
    while os.stat(p).st_mode & 0o005 >= (0o004 if p == path and os.path.isfile(p) else 0o001):
        if p == '/':
            return path
        p = os.path.dirname(p)
    copy = os.path.join(folder, os.path.basename(path))
    if os.path.isdir(path):
        if not os.path.exists(copy):
            os.makedirs(folder, exist_ok=True)
            shutil.copytree(path, f'{copy}.{os.getpid()}', symlinks=True)
            os.rename(f'{copy}.{os.getpid()}', copy)
    else:
        shutil.copy(path, copy)
        os.chmod(copy, 0o755 if os.access(path, os.X_OK) else 0o644)
    return copy


def scratch(user=None):
    """A new folder that user can write, removed at the end."""
    import atexit
    path = tempfile.mkdtemp(prefix='lxtest-')
    if user and os.getuid() == 0:
        pw = pwd.getpwnam(user)
        os.chown(path, pw.pw_uid, pw.pw_gid)
    os.chmod(path, 0o755)
    atexit.register(shutil.rmtree, path, True)
    return path


# ---- Guests ----

CFLAGS = ['-O1', '-g', '-Wall', '-Wextra', '-Wno-unused-parameter', '-D_GNU_SOURCE', '-pthread', '-I', TOP]


def kernel_headers():
    """The kernel's headers and nothing else in a folder, for compilers whose own search path lacks them."""
    folder = os.path.join(BUILD, 'guests', 'kernel-headers')
    os.makedirs(folder, exist_ok=True)
    for name in ('linux', 'asm', 'asm-generic'):
        link = os.path.join(folder, name)
        target = glob.glob(f'/usr/include/{name}') or glob.glob(f'/usr/include/*-linux-gnu/{name}')
        if target and not os.path.islink(link):
            try:
                os.symlink(sorted(target)[-1], link)
            except FileExistsError:  # another test was as quick
                pass
    return ['-idirafter', folder]


def compilers():
    """(abi, libc) -> compiler command; what the machine lacks is missing."""
    headers = kernel_headers()
    found = {('sys64', 'glibc'): ['gcc'], ('sys32', 'glibc'): ['gcc', '-m32', *headers],
             ('sys64', 'musl'): ['musl-gcc', '-static', *headers],
             ('sys32', 'musl'): [f'{BUILD}/guests/musl32-gcc', '-static', *headers]}
    return {k: v for k, v in found.items() if shutil.which(v[0])}


def guest(source, abi='sys64', libc='glibc', extra=()):
    """Compiles a test guest (kept between runs) and returns its path. musl ones are static, glibc ones dynamic."""
    base = os.path.basename(source).rsplit('.', 1)[0]
    tag = '-'.join([abi, libc] + [e.strip('-').replace('/', '_') for e in extra])
    folder = os.path.join(BUILD, 'guests', 'bin')
    path = os.path.join(folder, f'{base}-{tag}')
    os.makedirs(folder, exist_ok=True)
    newest = max([os.stat(source).st_mtime] + [os.stat(h).st_mtime for h in glob.glob(f'{LIB}/*.h')])
    if not os.path.exists(path) or os.stat(path).st_mtime < newest:
        tmp = f'{path}.{os.getpid()}'
        cc = compilers()[abi, libc]
        subprocess.run(cc + CFLAGS + [source, '-o', tmp] + list(extra), check=True)
        os.rename(tmp, path)
    return path


def go_guest(source):
    """Compiles a Go guest (kept between runs) and returns its path."""
    path = os.path.join(BUILD, 'guests', 'bin', os.path.basename(source)[:-3] + '-go')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or os.stat(path).st_mtime < os.stat(source).st_mtime:
        env = {**os.environ, 'GOCACHE': os.path.join(BUILD, 'guests', 'go-cache'), 'GO111MODULE': 'off', 'GOFLAGS': ''}
        tmp = f'{path}.{os.getpid()}'
        subprocess.run(['go', 'build', '-o', tmp, source], check=True, env=env)
        os.rename(tmp, path)
    return path


# ---- What is left behind ----

class Snapshot:
    """What of zones exists on the machine: mounts, cgroups, files of the state folders. leftovers() says what came since
    and stayed. Processes are the supervisor's business (supervise.py). name: look only at what bears that text, so that zones
    of others do not matter."""

    LASTING = {'ids', 'holder.lock'}  # one per user, whatever runs

    def __init__(self, name=''):
        self.name = name
        self.before = self.now()

    @staticmethod
    def state_dirs():
        dirs = ['/var/lib/lxzone', '/run/lxzone']
        for uid in {os.getuid()} | ({pwd.getpwnam(USER).pw_uid} if os.getuid() == 0 and has_user() else set()):
            home = pwd.getpwuid(uid).pw_dir
            dirs += [f'{home}/.local/share/lxzone', f'/run/user/{uid}/lxzone', f'/tmp/lxzone-{uid}']
        for var in ('XDG_DATA_HOME', 'XDG_RUNTIME_DIR'):
            if os.environ.get(var):
                dirs.append(os.path.join(os.environ[var], 'lxzone'))
        return dirs

    def now(self):
        things = set()
        with open('/proc/self/mountinfo') as f:
            things |= {f'mount {line.split()[4]}' for line in f}
        for root, names, _ in os.walk('/sys/fs/cgroup'):
            things |= {f'cgroup {os.path.join(root, n)}' for n in names if 'lxzone' in os.path.join(root, n)}
        for d in self.state_dirs():
            for root, folders, names in os.walk(d):
                things |= {f'file {os.path.join(root, n)}' for n in folders + names
                           # a user's holder serves whichever test asks, and its socket goes with it
                           if n not in self.LASTING and not n.startswith('holder-')}
        return {t for t in things if self.name in t or t.startswith('mount ')}

    def leftovers(self, seconds=3.0):
        """What is new and still there after so long at most."""
        left = set()

        def clean():
            nonlocal left
            left = self.now() - self.before
            return not left
        wait_for(clean, seconds, 0.1)
        return sorted(left)


def has_user():
    try:
        pwd.getpwnam(USER)
        return True
    except KeyError:
        return False
