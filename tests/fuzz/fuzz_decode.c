/* The decoder on calls and guest memory that anybody may have made: every row, any registers, memory that ends anywhere. */
#include <string.h>

#include "lx_syscall/decode.h"
#include "tests/fuzz/fuzz.h"

struct guest {
	const uint8_t *data;
	size_t size;
};

/* The guest's memory is the input, over and over, from any address on; every 64th page is missing. */
static size_t guest_read(void *arg, uint64_t addr, void *buf, size_t len)
{
	const struct guest *g = arg;
	uint8_t *to = buf;
	size_t n;

	for (n = 0; n < len; n++) {
		if ((addr + n) >> 12 & 63 ? 0 : addr + n > 4096)
			break;
		to[n] = g->size ? g->data[(addr + n) % g->size] : 0;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct guest g;
	struct lx_mem mem = { .read = guest_read, .arg = &g };
	struct lx_call c = { 0 };
	char text[600];
	uint16_t head[2];
	size_t len, room;

	if (size < sizeof(head) + sizeof(c.args) + sizeof(c.result))
		return 0;
	memcpy(head, data, sizeof(head));
	memcpy(c.args, data + sizeof(head), sizeof(c.args));
	memcpy(&c.result, data + sizeof(head) + sizeof(c.args), sizeof(c.result));
	g.data = data + sizeof(head);
	g.size = size - sizeof(head);
	c.row = head[0] % (lx_nrows + 1);
	c.abi = head[1] & 1 ? LX_SYS32 : LX_SYS64;
	c.returned = head[1] & 2;
	room = head[1] >> 2 < sizeof(text) ? head[1] >> 2 : sizeof(text);
	memset(text, 1, sizeof(text));
	len = lx_decode_call(text, room, &c, head[1] & 0x8000 ? NULL : &mem);
	if (room && (len >= room || strlen(text) != len))
		__builtin_trap();
	for (unsigned n = 0; n < 7; n++) {
		len = lx_decode_arg(text, sizeof(text), &c, n, &mem);
		if (len >= sizeof(text) || strlen(text) != len)
			__builtin_trap();
	}
	return 0;
}
