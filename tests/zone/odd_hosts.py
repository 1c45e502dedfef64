#!/usr/bin/env python3
"""Zones on hosts that are odd: mounts that no overlay can lie over, that can't be idmapped, or that are the kernel's own."""
# lxtest: timeout=120
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402


def mounts(t, top):
    """A chroot's /proc, an overlay, an overlay over overlays (the kernel stacks two), and a mount hidden below another."""
    script = f'''
        set -e
        mount --make-rprivate /
        cd {top}
        mkdir -p proc low u1 w1 one u2 w2 two over/below
        echo text > low/file
        mount -t proc proc proc
        mount -t overlay o1 -o lowerdir=low,upperdir=u1,workdir=w1 one
        mkdir tmp; mount -t tmpfs tmp tmp; mkdir tmp/u tmp/w
        mount -t overlay o2 -o lowerdir=one,upperdir=tmp/u,workdir=tmp/w two
        mount -t tmpfs none over/below; mount -t tmpfs none over
        cd /
        {lxtest.ZONECTL} run -- sh -c "cat {top}/one/file {top}/two/file; touch {top}/low/x && ls {top}/proc | wc -l"
    '''
    r = lxtest.run('unshare', '-m', 'sh', '-c', script)
    t.ok(r.returncode == 0 and r.out.split() == ['text', 'text', '0'] and not r.err, 'a zone starts on a host with odd mounts', r)
    t.ok(not os.path.exists(top + '/low/x'), 'what it writes beside them is its own')


def main():
    t = lxtest.Tap()
    if os.getuid() != 0:
        lxtest.skip_all('only root can make such mounts')
    top = tempfile.mkdtemp(prefix='lxzone-odd-', dir='/opt')
    try:
        mounts(t, top)
    finally:
        shutil.rmtree(top)
    t.done()


main()
