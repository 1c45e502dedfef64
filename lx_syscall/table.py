"""Reads syscalls.tbl, names.tbl and structs.tbl into plain objects and refuses what is inconsistent. Used by generate.py
and by tests; knows nothing of what is generated."""

import re

ABIS = ("sys64", "sys32")
CLASSES = ("file desc poll net mem proc sig time ipc info ids fs sched key module aio trace sys old").split()
CONDITIONS = ("uts", "cpus", "memory")
ERRNOS = {"EPERM": 1, "EACCES": 13, "ENOSYS": 38}
NEVER = "never"

# kind: enum lx_kind, C type, width in bytes on (sys64, sys32), negative where signed
SCALARS = {
    "int": ("INT", "int", (-4, -4)),
    "uint": ("UINT", "unsigned int", (4, 4)),
    "long": ("LONG", "long", (-8, -4)),
    "ulong": ("ULONG", "unsigned long", (8, 4)),
    "hex": ("ULONG", "unsigned long", (8, 4)),
    "size": ("SIZE", "size_t", (8, 4)),
    "off": ("OFF", "off_t", (-8, -4)),
    "loff": ("OFF", "loff_t", (-8, -8)),
    "u64": ("ULONG", "uint64_t", (8, 8)),
    "addr": ("ADDR", "void *", (8, 4)),
    "fd": ("FD", "int", (-4, -4)),
    "dirfd": ("DIRFD", "int", (-4, -4)),
    "mode": ("MODE", "mode_t", (4, 4)),
    "dev": ("DEV", "dev_t", (4, 4)),
    "pid": ("PID", "pid_t", (-4, -4)),
    "uid": ("UID", "uid_t", (4, 4)),
    "gid": ("GID", "gid_t", (4, 4)),
    "uid16": ("UID", "unsigned short", (2, 2)),
    "gid16": ("GID", "unsigned short", (2, 2)),
    "sig": ("SIG", "int", (-4, -4)),
    "old_sigset": ("SPECIAL", "unsigned long", (8, 4)),
}
PAIRED = ("loff", "u64")  # two registers on i386
STRINGS = {"path": "PATH", "str": "STR"}
DIRS = {"in": "IN", "out": "OUT", "inout": "INOUT"}
# Fields of structures know these too.
FIELDS = {
    "s8": ("INT", "int8_t", (-1, -1)), "u8": ("UINT", "uint8_t", (1, 1)),
    "s16": ("INT", "int16_t", (-2, -2)), "u16": ("UINT", "uint16_t", (2, 2)),
    "s32": ("INT", "int32_t", (-4, -4)), "u32": ("UINT", "uint32_t", (4, 4)),
    "s64": ("LONG", "int64_t", (-8, -8)), "u64": ("ULONG", "uint64_t", (8, 8)),
    "hex": ("F_HEX", "unsigned long", (8, 4)), "hex32": ("F_HEX", "uint32_t", (4, 4)), "hex64": ("F_HEX", "uint64_t", (8, 8)),
    "dev64": ("DEV", "uint64_t", (8, 8)), "dev32": ("DEV", "unsigned long", (4, 4)), "dev16": ("DEV", "uint16_t", (2, 2)),
    "mode16": ("MODE", "uint16_t", (2, 2)), "mode64": ("MODE", "uint64_t", (8, 8)), "sig64": ("SIG", "uint64_t", (8, 8)),
    "sigset": ("F_SIGSET", "sigset_t", (8, 8)), "sigset*": ("F_SIGSETP", "sigset_t *", (8, 4)),
    "oldsigset": ("F_SIGSET", "unsigned long", (8, 4)), "handler": ("F_HANDLER", "void *", (8, 4)),
    "rlim": ("F_RLIM", "unsigned long", (8, 4)), "rlim64": ("F_RLIM", "uint64_t", (8, 8)),
}
# What a pointer may point to besides the structures of structs.tbl: C type. The decoder has a function for each that is
# no plain number.
TARGETS = {
    "void": "void", "char": "char", "int": "int", "uint": "unsigned int", "long": "long", "ulong": "unsigned long",
    "uint32_t": "uint32_t", "uint64_t": "uint64_t", "size_t": "size_t", "off_t": "off_t", "loff_t": "loff_t",
    "uid_t": "uid_t", "gid_t": "gid_t", "uid16_t": "unsigned short", "gid16_t": "unsigned short", "addr": "void *",
    "strv": "char *", "envv": "char *", "wstatus": "int", "cpumask": "unsigned long", "fd_set": "fd_set",
    "sigset_t": "sigset_t", "old_sigset_t": "unsigned long", "siginfo_t": "siginfo_t",
    "futex_word": "uint32_t", "tid_word": "int", "cstring": "char", "sockval": "void",
    "struct iovec": "struct iovec", "struct sockaddr": "struct sockaddr", "struct msghdr": "struct msghdr",
    "struct linux_dirent": "struct linux_dirent", "struct linux_dirent64": "struct linux_dirent64",
    "struct old_linux_dirent": "struct old_linux_dirent",
}
BUFFERS = ("void", "char")


class Bad(Exception):
    """One inconsistency: where and what."""


def version(text):
    """"2.6.32" -> LX_VERSION number."""
    if not re.fullmatch(r"\d+(\.\d+){1,2}", text):
        raise Bad(f"bad version {text!r}")
    p = [int(x) for x in text.split(".")] + [0]
    return p[0] << 16 | p[1] << 8 | p[2]


class Arg:
    """One argument in one ABI."""

    def __init__(self, text, abi, reg):
        m = re.fullmatch(r"(\w+):(\w+)(?:\((.*)\))?", text)
        if not m:
            raise Bad(f"bad argument {text!r}")
        self.name, self.spec, inner = m.groups()
        self.reg, self.regs, self.dir = reg, 1, "NONE"
        self.set = self.target = self.special = None
        self.count = None  # argument name, "*name", "ret", or a number
        if self.spec in SCALARS and inner is None:
            self.kind, self.type, widths = SCALARS[self.spec]
            self.width = widths[abi]
            if self.spec in PAIRED and abi == 1:
                self.regs = 2
            if self.kind == "SPECIAL":
                self.special = self.spec
        elif self.spec in STRINGS and inner is None:
            self.kind, self.type, self.dir = STRINGS[self.spec], "const char *", "IN"
            self.width = (8, 4)[abi]
        elif self.spec in ("flags", "enum", "special") and inner:
            name, _, t = inner.partition(",")
            if (t or "int") not in SCALARS:
                raise Bad(f"unknown type {t!r} in {text!r}")
            _, self.type, widths = SCALARS[t or "int"]
            self.kind, self.width = self.spec.upper(), widths[abi]
            if self.spec == "special":
                self.special = name
            else:
                self.set = name
        elif self.spec in DIRS and inner:
            m = re.fullmatch(r"((?:struct )?\w+)(?:\[(\*?\w+)\])?", inner)
            if not m:
                raise Bad(f"bad pointer {text!r}")
            self.target, self.count = m.groups()
            self.dir, self.width = DIRS[self.spec], (8, 4)[abi]
            self.kind = "BUF" if self.target in BUFFERS else "PTR"
            base = TARGETS.get(self.target, self.target)
            if base == "struct iovec_remote":
                base = "struct iovec"
            self.type = base + ("*" if base.endswith("*") else " *")
        else:
            raise Bad(f"unknown kind {text!r}")


def parse_args(text, abi):
    """"fd:fd buf:out(void[ret])" -> list of Arg. Blanks inside parentheses belong to the argument."""
    args, reg = [], 0
    for part in re.findall(r"\w+:\w+(?:\([^)]*\))?|\S+", text):
        a = Arg(part, abi, reg)
        reg += a.regs
        args.append(a)
    if reg > 6:
        raise Bad("more than six registers")
    names = [a.name for a in args]
    if len(set(names)) != len(names):
        raise Bad("two arguments of one name")
    for a in args:
        c = (a.count or "").lstrip("*")
        if c and not c.isdigit() and c != "ret" and c not in names:
            raise Bad(f"{a.name} is counted by {c}, which is no argument")
    return args


class Row:
    """One system call."""

    def __init__(self, line):
        f = line.split(None, 6)
        if len(f) < 6:
            raise Bad("too few columns")
        self.nr = tuple(-1 if x == "-" else int(x) for x in f[:2])
        self.name, self.cls = f[2], f[5]
        if self.nr == (-1, -1) or not re.fullmatch(r"\w+", self.name):
            raise Bad("no number or bad name")
        since, _, removed = f[3].partition("-")
        each = since.split("/") * 2 if "/" not in since else since.split("/")
        self.never = since == NEVER
        self.since_text = tuple(s if n >= 0 else "-" for s, n in zip(each, self.nr))
        self.since = (0xFFFFFFFF,) * 2 if self.never else tuple(
            version(s) if n >= 0 else 0 for s, n in zip(each, self.nr))
        self.removed_text = removed
        self.removed = version(removed) if removed else 0
        self.how, self.conditions, self.errno = self.parse_how(f[4])
        if self.cls not in CLASSES:
            raise Bad(f"unknown class {self.cls}")
        self.args_text = [f[6] if len(f) > 6 else "", None]
        self.note = None

    @staticmethod
    def parse_how(text):
        if text == "pass":
            return "PASS", (), None
        m = re.fullmatch(r"emulate\(([\w|]+)\)", text)
        if m:
            conds = tuple(m.group(1).split("|"))
            if not set(conds) <= set(CONDITIONS):
                raise Bad(f"bad condition {m.group(1)}")
            return "EMULATE", conds, None
        m = re.fullmatch(r"deny:(E\w+)", text)
        if m and m.group(1) in ERRNOS:
            return "DENY", (), m.group(1)
        raise Bad(f"bad how {text!r}")

    def finish(self):
        t64, t32 = self.args_text
        self.args = (parse_args(t64, 0), parse_args(t64 if t32 is None else t32, 1))
        if self.how != "PASS" and not self.note:
            raise Bad(f"{self.how.lower()} without a note that says why")
        if self.how == "EMULATE" and all(n >= 0 for n in self.nr) and \
                [a.name for a in self.args[0]] != [a.name for a in self.args[1]]:
            raise Bad("an emulated row needs the same arguments in both ABIs")
        if self.never and (self.errno != "ENOSYS" or self.cls != "old"):
            raise Bad("a call that never was is deny:ENOSYS of class old")


def read_rows(path):
    """All rows of syscalls.tbl; raises Bad naming file and line."""
    rows, where = [], {}
    with open(path, encoding="ascii") as f:
        for n, line in enumerate(f, 1):
            line = line.rstrip("\n")
            try:
                if not line.strip() or line.startswith("#"):
                    continue
                if line[0].isspace():
                    mark, text = line.strip()[0], line.strip()[1:].strip()
                    if mark == "|" and rows and rows[-1].args_text[1] is None:
                        rows[-1].args_text[1] = text
                    elif mark == "!" and rows and rows[-1].note is None:
                        rows[-1].note = text
                    elif rows and rows[-1].note is None and mark not in "|!":
                        i = 0 if rows[-1].args_text[1] is None else 1
                        rows[-1].args_text[i] += " " + line.strip()
                    else:
                        raise Bad("continuation that continues nothing")
                else:
                    rows.append(Row(line))
                    where[rows[-1].name] = n
            except Bad as e:
                raise Bad(f"{path}:{n}: {e}") from None
    seen = {}
    for r in rows:
        try:
            r.finish()
            for key in [("name", r.name)] + [(ABIS[i], r.nr[i]) for i in (0, 1) if r.nr[i] >= 0]:
                if key in seen:
                    raise Bad(f"{key[0]} {key[1]} is already that of {seen[key]}")
                seen[key] = r.name
        except Bad as e:
            raise Bad(f"{path}:{where[r.name]}: {r.name}: {e}") from None
    return rows


class Field:
    """One field of a structure in one ABI; off is set by Struct."""

    def __init__(self, text, abi, structs):
        m = re.fullmatch(r"(-?)(\w+):(\w+\*?)(?:\(([\w,]+)\))?(?:\[(\d+)\])?", text)
        if not m:
            raise Bad(f"bad field {text!r}")
        hide, self.name, spec, inner, count = m.groups()
        self.hidden, self.count, self.set, self.struct = bool(hide), int(count or 0), None, None
        known = {**SCALARS, **FIELDS}
        if spec == "struct" and inner in structs:
            self.struct = inner
            self.kind, self.type, self.width = "F_STRUCT", structs[inner].type, 0
            self.size, self.align = structs[inner].layout[abi][1:]
        elif spec == "char" and count:
            self.kind, self.type, self.width, self.size, self.align = "F_CHARS", "char", 1, 1, 1
        elif spec in ("flags", "enum") and inner:
            self.set, _, t = inner.partition(",")
            _, self.type, widths = known[t or "int"]
            self.kind, self.width = spec.upper(), widths[abi]
        elif spec in known and inner is None:
            self.kind, self.type, widths = known[spec]
            self.width = widths[abi]
        else:
            raise Bad(f"unknown kind {text!r}")
        if self.width and self.kind != "F_CHARS":
            self.size = self.align = abs(self.width)
        if abi == 1:
            self.align = min(self.align, 4)


class Struct:
    """One structure; layout[abi] = (fields, size, alignment)."""

    def __init__(self, ctype, packed):
        self.type, self.packed, self.text = ctype, packed, ["", None]
        self.name = ctype.split()[-1]

    def finish(self, structs):
        self.layout = tuple(self.lay(self.text[0] if abi == 0 or self.text[1] is None else self.text[1], abi, structs)
                            for abi in (0, 1))

    def lay(self, text, abi, structs):
        fields, off, most = [], 0, 1
        for part in text.split():
            f = Field(part, abi, structs)
            align = 1 if self.packed else f.align
            off = (off + align - 1) // align * align
            f.off, most = off, max(most, align)
            off += f.size * max(f.count, 1)
            fields.append(f)
        return fields, (off + most - 1) // most * most, most


def read_structs(path):
    """{name: Struct} of structs.tbl, in the order of the file: a structure comes before those it is in."""
    structs, cur = {}, None
    with open(path, encoding="ascii") as f:
        for n, line in enumerate(f, 1):
            line = line.strip()
            try:
                m = re.fullmatch(r"\[((?:struct )?\w+)\]( packed)?", line)
                if m:
                    cur = Struct(m.group(1), bool(m.group(2)))
                    if cur.name in structs:
                        raise Bad("structure given twice")
                    structs[cur.name] = cur
                elif line.startswith("|"):
                    cur.text[1] = line[1:]
                elif line and not line.startswith("#"):
                    i = 0 if cur.text[1] is None else 1
                    cur.text[i] += " " + line
                elif not line and cur and not hasattr(cur, "layout"):
                    cur.finish(structs)
            except Bad as e:
                raise Bad(f"{path}:{n}: {e}") from None
    if cur and not hasattr(cur, "layout"):
        cur.finish(structs)
    return structs


class NameSet:
    """A set of names: entries (name, value, mask)."""

    def __init__(self, name, flags, headers):
        self.name, self.flags, self.headers, self.entries = name, flags, headers, []

    def add(self, text):
        m = re.fullmatch(r"(\w+)=(-?\w+)(?:/(\w+))?", text)
        if not m:
            raise Bad(f"bad name {text!r}")

        def num(s):
            return int(s, 8) if re.fullmatch(r"0[0-7]+", s) else int(s, 0)
        value = num(m.group(2))
        mask = num(m.group(3)) if m.group(3) else value
        if self.flags and (value & ~mask or not mask):
            raise Bad(f"{text}: value outside of its mask")
        if any(e[0] == m.group(1) for e in self.entries):
            raise Bad(f"{m.group(1)} given twice")
        self.entries.append((m.group(1), value, mask))


def read_names(path):
    """{set: NameSet} of names.tbl."""
    sets, cur = {}, None
    with open(path, encoding="ascii") as f:
        for n, line in enumerate(f, 1):
            line = line.strip()
            try:
                m = re.fullmatch(r"\[(\w+)\] (flags|enum)((?: [\w/.-]+)*)", line)
                if m:
                    if m.group(1) in sets:
                        raise Bad("set given twice")
                    cur = sets[m.group(1)] = NameSet(m.group(1), m.group(2) == "flags", m.group(3).split())
                elif line and not line.startswith("#"):
                    for part in line.split():
                        cur.add(part)
            except Bad as e:
                raise Bad(f"{path}:{n}: {e}") from None
    return sets


def check_uses(rows, structs, sets):
    """What the rows and structures name must exist."""
    for r in rows:
        for abi in (0, 1):
            for a in r.args[abi]:
                if a.set and a.set not in sets:
                    raise Bad(f"{r.name}: {a.name} is of an unknown set {a.set}")
                if a.target and a.target not in TARGETS and a.target.split()[-1] not in structs:
                    raise Bad(f"{r.name}: {a.name} points to an unknown {a.target}")
    values = {}
    for s in sets.values():
        for name, value, _ in s.entries:
            if values.setdefault(name, value) != value:
                raise Bad(f"{name} has two values")
    for s in structs.values():
        for abi in (0, 1):
            for f in s.layout[abi][0]:
                if f.set and f.set not in sets:
                    raise Bad(f"{s.type}: {f.name} is of an unknown set {f.set}")
