/* execve(2) answers ENOENT for a missing loader as for a missing file; this finds out. Reads only the file's first page. */
#include "brand/why_exec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/host/cleanup.h"

static const char *machine_name(unsigned m, char *buf, size_t size)
{
	static const struct {
		unsigned m;
		const char *name;
	} names[] = {
		{EM_AARCH64, "aarch64"}, {EM_ARM, "arm"},         {EM_RISCV, "riscv"}, {EM_PPC64, "ppc64"}, {EM_PPC, "ppc"},
		{EM_S390, "s390"},       {EM_MIPS, "mips"},       {EM_SPARC, "sparc"}, {EM_IA_64, "ia64"},  {EM_SPARCV9, "sparc64"},
		{EM_LOONGARCH, "loongarch"}, {EM_68K, "m68k"},    {EM_SH, "sh"},       {EM_ALPHA, "alpha"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].m == m)
			return names[i].name;
	snprintf(buf, size, "machine number %u", m);
	return buf;
}

/* PT_INTERP of an ELF file whose first bytes are in buf; false if it has none. */
static bool elf_interp(int fd, const unsigned char *buf, char *out, size_t size)
{
	const bool wide = buf[EI_CLASS] == ELFCLASS64;
	uint64_t phoff = wide ? ((const Elf64_Ehdr *)buf)->e_phoff : ((const Elf32_Ehdr *)buf)->e_phoff;
	unsigned n = wide ? ((const Elf64_Ehdr *)buf)->e_phnum : ((const Elf32_Ehdr *)buf)->e_phnum;

	for (unsigned i = 0; i < n && i < 256; i++) {
		Elf64_Phdr p64;
		Elf32_Phdr p32;
		uint64_t off, len;
		ssize_t got;

		if (wide ? pread(fd, &p64, sizeof(p64), (off_t)(phoff + i * sizeof(p64))) != sizeof(p64)
			 : pread(fd, &p32, sizeof(p32), (off_t)(phoff + i * sizeof(p32))) != sizeof(p32))
			return false;
		if ((wide ? p64.p_type : p32.p_type) != PT_INTERP)
			continue;
		off = wide ? p64.p_offset : p32.p_offset;
		len = wide ? p64.p_filesz : p32.p_filesz;
		got = pread(fd, out, len < size - 1 ? len : size - 1, (off_t)off);
		if (got <= 0)
			return false;
		out[got] = '\0';
		return out[0] == '/';
	}
	return false;
}

static bool script_interp(const char *buf, char *out, size_t size)
{
	const char *p = buf + 2;
	size_t n;

	p += strspn(p, " \t");
	n = strcspn(p, " \t\r\n");
	if (n == 0 || n >= size)
		return false;
	memcpy(out, p, n);
	out[n] = '\0';
	return true;
}

static int why_format(const char *path, const unsigned char *buf, bool elf, struct err *e)
{
	const Elf32_Ehdr *h = (const void *)buf;
	char name[32];

	if (!elf) {
		err_msg(e, ENOEXEC, "%s is neither an ELF program nor a script that begins with #!", path);
		return 126;
	}
	if (h->e_machine != EM_X86_64 && h->e_machine != EM_386)
		err_msg(e, ENOEXEC, "%s is a program for %s; this is an x86_64 host", path,
			machine_name(h->e_machine, name, sizeof(name)));
	else if (h->e_machine == EM_386)
		err_msg(e, ENOEXEC, "%s is an i386 program, which this kernel can not run (no IA32 emulation), or it is damaged", path);
	else if (buf[EI_CLASS] == ELFCLASS32)
		err_msg(e, ENOEXEC, "%s is an x32 program, which is not supported", path);
	else if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		err_msg(e, ENOEXEC, "%s is an ELF file but no program", path);
	else
		err_msg(e, ENOEXEC, "%s is a damaged program", path);
	return 126;
}

/* Depth: scripts may name scripts; the kernel follows five. */
static int why(const char *path, int errnum, int depth, struct err *e)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	unsigned char buf[256] __attribute__((aligned(8))) = {0};
	char interp[PATH_MAX];
	struct stat st;
	bool elf, script;

	if (stat(path, &st) < 0) {
		err_set(e, errno, "%s", path);
		return errno == ENOENT || errno == ENOTDIR ? 127 : 126;
	}
	if (!S_ISREG(st.st_mode)) {
		err_msg(e, EACCES, "%s is %s, not a program", path, S_ISDIR(st.st_mode) ? "a directory" : "a special file");
		return 126;
	}
	if (!(st.st_mode & 0111) || (errnum == EACCES && access(path, X_OK) < 0)) {
		err_msg(e, EACCES, "%s is not executable: Permission denied", path);
		return 126;
	}
	if (fd < 0 || pread(fd, buf, sizeof(buf) - 1, 0) < 0) {
		err_set(e, errnum, "%s", path);
		return 126;
	}
	elf = !memcmp(buf, ELFMAG, SELFMAG) && (buf[EI_CLASS] == ELFCLASS32 || buf[EI_CLASS] == ELFCLASS64);
	script = buf[0] == '#' && buf[1] == '!';
	if (errnum == ENOEXEC)
		return script && depth < 5 && script_interp((char *)buf, interp, sizeof(interp)) ? why(interp, errnum, depth + 1, e)
												 : why_format(path, buf, elf, e);
	if (script && depth < 5 && script_interp((char *)buf, interp, sizeof(interp)) && interp[0]) {
		if (access(interp, F_OK) < 0 && errno == ENOENT) {
			err_msg(e, ENOENT, "%s needs the interpreter %s, which this root lacks", path, interp);
			return 127;
		}
		return why(interp, errnum, depth + 1, e);
	}
	if (elf && elf_interp(fd, buf, interp, sizeof(interp))) {
		if (access(interp, F_OK) < 0 && errno == ENOENT) {
			err_msg(e, ENOENT, "%s needs %s, which this root lacks", path, interp);
			return 127;
		}
		if (access(interp, X_OK) < 0) {
			err_msg(e, EACCES, "%s needs %s, which is not executable", path, interp);
			return 126;
		}
	}
	err_set(e, errnum, "%s", path);
	return errnum == ENOENT ? 127 : 126;
}

int brand_why_exec(const char *path, int errnum, struct err *e)
{
	return why(path, errnum, 0, e);
}
