/* A zone's settings: what the command line's words come to, what is refused, and that config.json gives back what was saved. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "brand/brand.h"

static struct err e;

static void attributes(void **state)
{
	struct zone_config c = {0};
	struct brand_settings s;

	assert_int_equal(zone_config_set(&c, "kernel-version=4.4", &e), 0);
	assert_int_equal(zone_config_set(&c, "memory=512m", &e), 0);
	assert_int_equal(zone_config_set(&c, "cpus=1", &e), 0);
	assert_int_equal(zone_config_set(&c, "memory=2g", &e), 0); /* replaces */
	assert_int_equal(c.nattr, 3);
	assert_int_equal(brand_settings_make(&c, &s, &e), 0);
	assert_int_equal(s.world.version, LX_VERSION(4, 4, 0));
	assert_string_equal(s.world.release, "4.4.0");
	assert_true(s.world.memory == 2ull << 30);
	assert_int_equal(s.world.cpus, 1);
	zone_config_free(&c);
}

static void versions(void **state)
{
	static const struct {
		const char *text, *release; /* release NULL: refused */
		uint32_t version;
	} all[] = {
		{"2.6.32", "2.6.32", LX_VERSION(2, 6, 32)},
		{"2.6.32-754.el6.x86_64", "2.6.32-754.el6.x86_64", LX_VERSION(2, 6, 32)},
		{"3.10", "3.10.0", LX_VERSION(3, 10, 0)},
		{"5.4-rc1", "5.4.0-rc1", LX_VERSION(5, 4, 0)},
		{"4", NULL, 0}, {"4.", NULL, 0}, {"x", NULL, 0}, {"", NULL, 0}, {"4.4.4.4 x", NULL, 0}, {"4.999", NULL, 0}, {"4.4x", NULL, 0},
		{"4.4-\n", NULL, 0}, {"-1.2", NULL, 0}, {"0.1", NULL, 0},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct zone_config c = {0};
		struct brand_settings s;
		char text[100];
		int r;

		snprintf(text, sizeof(text), "kernel-version=%s", all[i].text);
		assert_int_equal(zone_config_set(&c, text, &e), 0);
		r = brand_settings_make(&c, &s, &e);
		if (all[i].release) {
			assert_int_equal(r, 0);
			assert_string_equal(s.world.release, all[i].release);
			assert_int_equal(s.world.version, all[i].version);
		} else {
			assert_true(r < 0);
			assert_non_null(strstr(e.msg, "--set kernel-version"));
		}
		zone_config_free(&c);
	}
}

static void refused(void **state)
{
	static const char *const bad[] = {"nonsense=1", "cpus=0", "cpus=x", "cpus=1025", "memory=", "memory=1", "memory=9999999t", "memory=1mm",
					  "trap=x", "proc=x", "brand=x", "hostname=", "hostname=a b", "domainname=a/b"};
	struct zone_config c = {0};
	struct brand_settings s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(zone_config_set(&c, bad[i], &e), 0);
		assert_true(brand_settings_make(&c, &s, &e) < 0);
		zone_config_free(&c);
	}
	/* An attribute of another brand. */
	zone_config_set(&c, "brand=native", &e);
	zone_config_set(&c, "cpus=1", &e);
	assert_true(brand_settings_make(&c, &s, &e) < 0);
	zone_config_free(&c);
	assert_true(zone_config_set(&c, "novalue", &e) < 0);
	assert_true(zone_config_set(&c, "=x", &e) < 0);
	assert_true(zone_config_env(&c, "=x", &e) < 0);
	assert_true(zone_config_volume(&c, "/etc:relative", &e) < 0);
	assert_true(zone_config_volume(&c, "/etc:/a:/b", &e) < 0);
	assert_true(zone_config_volume(&c, "", &e) < 0);
	assert_true(zone_config_root(&c, "/etc/passwd", &e) < 0);
	assert_true(zone_config_root(&c, "/", &e) < 0);
	assert_true(zone_name_check("", &e) < 0);
	assert_true(zone_name_check(".", &e) < 0);
	assert_true(zone_name_check("..", &e) < 0);
	assert_true(zone_name_check("a/b", &e) < 0);
	assert_int_equal(zone_name_check("a.B-9_", &e), 0);
	assert_true(zone_name_check("0123456789012345678901234567890123456789012345678901234567890123", &e) < 0);
	zone_config_free(&c);
}

static void round_trip(void **state)
{
	char dir[] = "/tmp/test_zone_config.XXXXXX", path[64];
	struct zone_config a = {.terminal = true}, b;
	int fd;

	assert_non_null(mkdtemp(dir));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	a.name = strdup("z");
	a.user = strdup("nobody:users");
	a.cwd = strdup("/somewhere");
	assert_int_equal(zone_config_root(&a, "/usr", &e), 0);
	assert_int_equal(zone_config_set(&a, "kernel-version=4.4", &e), 0);
	assert_int_equal(zone_config_volume(&a, "/etc:/x:rw", &e), 0);
	assert_int_equal(zone_config_volume(&a, "/usr", &e), 0);
	assert_int_equal(zone_config_env(&a, "A=b=\"c\"\n", &e), 0);
	assert_int_equal(zone_strv_add(&a.args, "sh", &e), 0);
	assert_int_equal(zone_strv_add(&a.args, "", &e), 0);
	assert_int_equal(zone_config_save(&a, fd, "config.json", &e), 0);
	assert_int_equal(zone_config_load(&b, fd, "config.json", &e), 0);
	assert_string_equal(b.name, "z");
	assert_string_equal(b.user, "nobody:users");
	assert_string_equal(b.cwd, "/somewhere");
	assert_string_equal(b.root, "/usr");
	assert_string_equal(zone_config_get(&b, "kernel-version"), "4.4");
	assert_int_equal(b.nvol, 2);
	assert_true(b.vol[0].writable && !strcmp(b.vol[0].guest, "/x") && !strcmp(b.vol[0].host, "/etc"));
	assert_true(!b.vol[1].writable && !strcmp(b.vol[1].guest, "/usr"));
	assert_string_equal(b.env.v[0], "A=b=\"c\"\n");
	assert_int_equal(b.args.n, 2);
	assert_string_equal(b.args.v[1], "");
	assert_true(b.terminal);
	zone_config_free(&a);
	zone_config_free(&b);

	/* A default root and a default directory stay what they are. */
	a.host_cwd = strdup("/var");
	assert_int_equal(zone_config_save(&a, fd, "config.json", &e), 0);
	assert_int_equal(zone_config_load(&b, fd, "config.json", &e), 0);
	assert_null(b.root);
	assert_null(b.cwd);
	assert_string_equal(b.host_cwd, "/var");
	zone_config_free(&a);
	zone_config_free(&b);
	close(fd);
	snprintf(path, sizeof(path), "%s/config.json", dir);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes),
		cmocka_unit_test(versions),
		cmocka_unit_test(refused),
		cmocka_unit_test(round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
