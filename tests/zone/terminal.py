#!/usr/bin/env python3
"""A command on a terminal of the zone's own: line discipline, window size, ^C, ^D, restoring the caller's; run and exec, as root and
as an ordinary user."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402


class Session:
    """A program on a terminal that we hold the other side of."""

    def __init__(self, *args, user=None):
        argv, env = [lxtest.ZONECTL, *args], dict(os.environ)
        if user and os.getuid() == 0:
            argv, env = lxtest.user_command(user, argv, env)
        self.out = ''
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir('/')
            os.execvpe(argv[0], argv, env)
        self.size(24, 80)
        self.before = termios.tcgetattr(self.fd)

    def size(self, rows, cols):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, cols, 0, 0))

    def read(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    data = os.read(self.fd, 4096)
                except OSError:
                    return False
                if not data:
                    return False
                self.out += data.decode(errors='replace')
                return True
        return True

    def expect(self, pattern, seconds=10):
        """Reads until the pattern is there, and takes it off."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            m = re.search(pattern, self.out)
            if m:
                self.out = self.out[m.end():]
                return True
            if not self.read(0.2):
                end = 0 if re.search(pattern, self.out) is None else end
        return False

    def write(self, text):
        os.write(self.fd, text.encode())


def wait_end(s):
    """Status, and whether the terminal is as before."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        s.read(0.1)
        pid, status = os.waitpid(s.pid, os.WNOHANG)
        if pid:
            after = termios.tcgetattr(s.fd)
            os.close(s.fd)
            return os.waitstatus_to_exitcode(status), after == s.before
    return None, False


def session(t, who, user, *how):
    s = Session(*how, 'sh', '-c', 'tty; stty size; echo go; read x; echo got $x; sleep 0.2; exit 9', user=user)
    t.ok(s.expect(r'/dev/pts/\d+\r\n24 80\r\ngo'), f'{who}: a terminal of its own, with our size', s.out)
    s.write('hello\n')
    t.ok(s.expect('hello\r\n') and s.expect('got hello'), f'{who}: input and echo', s.out)
    t.eq(wait_end(s), (9, True), f'{who}: status, terminal restored', s.out)

    s = Session(*how, 'sh', '-c', 'trap "stty size; exit 3" WINCH; echo go; while :; do sleep 0.05; done', user=user)
    s.expect('go')
    s.size(41, 99)
    t.ok(s.expect('41 99'), f'{who}: a new window size', s.out)
    t.eq(wait_end(s), (3, True), f'{who}: and its signal')

    s = Session(*how, 'sh', '-c', 'trap "exit 4" INT; echo go; while :; do sleep 0.05; done', user=user)
    s.expect('go')
    s.write('\x03')
    t.eq(wait_end(s), (4, True), f'{who}: ^C', s.out)

    s = Session(*how, 'cat', user=user)
    s.write('one\n')
    s.expect('one\r\none')
    s.write('\x04')
    t.eq(wait_end(s), (0, True), f'{who}: ^D', s.out)

    s = Session(*how, 'sh', '-c', 'seq 20000; echo last', user=user)
    t.ok(s.expect('\n20000\r\nlast\r\n'), f'{who}: all of the output', s.out[-200:])
    wait_end(s)

    s = Session(*how, 'sh', '-c', 'echo go; kill -9 $$', user=user)
    t.eq(wait_end(s), (137, True), f'{who}: killed', s.out)


def main():
    t = lxtest.Tap()
    user = lxtest.as_user()
    for who, name in ([('root', None)] if os.getuid() == 0 else []) + [('user', user)]:
        session(t, f'{who}, run', name, 'run', '--')
        zone = f'term{os.getpid()}{who}'
        lxtest.zonectl('run', '-d', '--name', zone, '--', 'sleep', '100', user=name, cwd='/')
        session(t, f'{who}, exec', name, 'exec', zone)
        lxtest.zonectl('halt', '-t', '0', zone, user=name)
        r = lxtest.zonectl('run', '-t', '--', 'sh', '-c', 'test -t 1 && read x && echo "<$x>"', user=name, cwd='/', input='abc\n')
        t.ok('<abc>' in r.out, f'{who}: -t without a terminal of ours', r)
        r = lxtest.zonectl('run', '--', 'sh', '-c', 'test -t 1 || echo none', user=name, cwd='/')
        t.eq(r.out, 'none\n', f'{who}: no terminal where we have none', r)
    t.done()


main()
