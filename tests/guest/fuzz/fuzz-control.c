// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-control: writes to the files of /sys/kernel/memsuite, and reads them, as
 * root. Its kinds are the directories there, and "control", which is any file,
 * those of debugfs among them.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "text.h"

#define ROOT	"/sys/kernel/memsuite"
#define DEBUGFS	"/sys/kernel/debug/memsuite"
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

#define REGIONS	"%r<~+%r~+%r+%r~=3+%r=1~=255+%r=%d+%r=1>"
#define OPTIONS	"<~~ children~ heat~ wear~ programs~ children programs~ heat wear~ move>"
#define FILES	"file:<~/tmp~/dev/shm~/proc/%p/fd/%d~/proc/%p/exe~/bin/busybox>"
#define WHO	"<%p~%p~%p~cgroup:%g~cgroup:/~machine>"
#define MARCH	"<mats~march-c-~march-ss~modulo-20~address-decoder~{c(w0);u(r0,w1);d(r1,w0)}" \
		"~{c(w0);del%d;c(r0)}~{u(w0,w1,r1);c(r1)}~{c(r0)}~{c(w0);u(r0,r0,r0,w1,r1)}>"

/* What commands look like; a "*" in a file's name is a directory. */
static const struct command {
	const char *kind, *file;
	const char *templates[7];
} commands[] = {
	{ "regions", "regions/add", {
		"%r %a-%a",
		"r%d 128M-256M",
		"<r0~r1~r2~r3~r4~r5> <64M-192M~128M-640M~256M-512M~0-1G~512M-768M>",
		"<r0~r1~r2~r3> 128M-640M map=%m banks=<0~0-1~1,3~0-3~%d-%d~2,2>",
		"<r0~r1~r2~r3~r4~r5> 64M-512M technology=<dram~pcm~optane~x> locator=<DIMM 0~b>"
			" read_latency_ns=%n idle_power_mw=%n",
		"%r 128M-256M <start~wear_budget_kib_per_day~write_power_mw~endurance_writes~pool_kib>=%n" } },
	{ "regions", "regions/remove", { "%r", "<r0~r1~r2~r3~r4~r5>" } },
	{ "regions", "regions/*/technology", { "<dram~ddr4~pcm~pram~optane~~%n>" } },
	{ "regions", "regions/*/pool_kib", { "<%n~0~512~4096~65536>" } },
	{ "regions", "regions/*/container_kib", { "<%n~0~64~4096~16384>" } },
	{ "regions", "regions/*/wear_budget_kib_per_day", { "%n", "<0~1~100000>" } },
	{ "regions", "bank_maps/add", {
		"%m xor=%h<~,%h~,%h,%h~,%h,%h,%h,%h> <~row=%h>",
		"%m xor=0x1000,0x2000 row=0x3fff0000",
		"%m xor=0x2000,0x44000,0x88000",
		"%m interleave=<4K~8K~64~%a>x<2~4~8~%n><~,1Mx2~,%ax%d>" } },
	{ "regions", "bank_maps/remove", { "%m" } },
	{ "vipzone", "vipzone/add", {
		WHO " region:" REGIONS OPTIONS,
		WHO " segment:<heap~stack~mmap~text~*>=" REGIONS "<~,*=" REGIONS "~,cache=%r>" OPTIONS,
		WHO " segment" OPTIONS,
		WHO " low-power-first:" REGIONS "<~,threshold_pct=%d><~,low_util=<threshold~high-power"
			"~most-free~low-power>><~,hint=<write~high~write+high>><~,kernel><~,write=" REGIONS ">"
			OPTIONS,
		WHO " bank:<percpu~perprocess~percgroup~random>=%r<~|%r~+%r|%r~|%r|%r|%r>" OPTIONS,
		"%p region:r%d programs children",
		FILES " region:" REGIONS } },
	{ "vipzone", "vipzone/remove", { WHO, FILES } },
	{ "vipzone", "vipzone/move", { "%p", FILES } },
	{ "vipzone", "vipzone/enabled", { "<0~1~1>" } },
	{ "vipzone", "vipzone/audit/interval_ms", { "<0~10~100~1000~%n>" } },
	{ "vipzone", "vipzone/audit/sample_accesses", { "<0~1>" } },
	{ "vipzone", "vipzone/accesses/source", { "<touches~pmu>" } },
	{ "vipzone", "vipzone/accesses/read_event", { "<%d:%n~0:3~3:0x10002~%n:%n:%n>" } },
	{ "memdiag", "memdiag/enabled", { "<0~1~1>" } },
	{ "memdiag", "memdiag/algorithm", { MARCH } },
	{ "memdiag", "memdiag/method", { "<auto~words~avx2~avx512~lines~page-lines~page-words>" } },
	{ "memdiag", "memdiag/test_lifetime_s", { "<1~2~180~%n>" } },
	{ "memdiag", "memdiag/retire", { "%a<~ restored>", "pfn=%n", "<%d>M" } },
	{ "memdiag", "memdiag/unretire", { "%a", "pfn=%n" } },
	{ "memdiag", "memdiag/range/run_test", { "%a-%a", "%dM-<100M~256M~1G>" } },
	{ "memdiag", "memdiag/range/cancel", { "1" } },
	{ "memdiag", "memdiag/control/policy", {
		"<adaptive~adaptive-fidelity~comet~fixed~user~ondemand>" } },
	{ "memdiag", "memdiag/control/user_config", { "<1~2~32~%n> <0~1~4~%n>" } },
	{ "memdiag", "memdiag/tests/add", { "t%d " MARCH " period_s=<0~1~%n>",
		"<t0~t1~t2> " MARCH " period_s=0" } },
	{ "memdiag", "memdiag/tests/remove", { "t%d", "<t0~t1~t2>" } },
	{ "memdiag", "memdiag/inject/add", {
		"<%a~%n>:<0~3~7~%d>:<sa0~sa1~tf~rdf~drdf~irf~sof~wdf~drf><~/0~/1~/%d>",
		"%a:%d:<cfin~cfid~cfst~cfds~cftr~cfwd~cfrd><~/0~/%d>@%a:<0~7~%d>" } },
	{ "memdiag", "memdiag/inject/clear", { "1" } },
	{ "memdiag", "memdiag/ahead/enabled", { "<0~1>" } },
	{ "memdiag", "memdiag/effectiveness/self_test", { "1" } },
	{ "memdiag", "memdiag/test_new_memory", { "<0~1>" } },
	{ "memdiag", "memdiag/control/*", { "<0~1~2~%d~%n>" } },
	{ "mrc", "mrc/add", { WHO, "%p<~ children>", "above:<%a~4M~64K>" } },
	{ "mrc", "mrc/remove", { WHO, "%p<~ children>", "above:<%a~4M~64K>" } },
	{ "mrc", "mrc/enabled", { "<0~1~1>" } },
	{ "mrc", "mrc/mode", { "<ladder~paper~samples>" } },
	{ "mrc", "mrc/accesses_per_s", { WHO " %n" } },
	{ "mrc", "mrc/ladder_ms", { "<10~100~1000~%n>" } },
	{ "mrc", "mrc/sample_event", { "<%d:%n~0:3>" } },
	{ "mrc", "mrc/division/enforce", { "<0~1~1>" } },
	{ "mrc", "mrc/division/total_kib", { "<0~10000~100000~%n>" } },
	{ "mrc", "mrc/division/utility", { "<ratio~misses~time>" } },
	{ "mrc", "mrc/division/set", { "%p <1~%n> <1024~%n>" } },
	{ "mrc", "mrc/division/*", { "<0~1~10~500~%n>" } },
	{ "mrc", "mrc/*", { "<0~1~10~64~%n>" } },
};

/* One of the names in a directory. */
static bool any_name(const char *path, char *name)
{
	DIR *directory = opendir(path);
	unsigned int seen = 0;
	struct dirent *entry;

	if (!directory)
		return false;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && !fuzz_below(++seen))
			snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
	closedir(directory);
	return seen;
}

static bool is_directory(const char *path)
{
	struct stat status;

	return !lstat(path, &status) && S_ISDIR(status.st_mode);
}

/* Fills in @path a file below @root, any. */
static void any_file(const char *root, char *path)
{
	char name[NAME_MAX + 1];
	size_t length;

	snprintf(path, PATH_MAX, "%s", root);
	while (is_directory(path) && any_name(path, name)) {
		length = strlen(path);
		snprintf(path + length, PATH_MAX - length, "/%s", name);
	}
}

/* Fills in @path the file of a command: in any directory, or any file, for a "*". */
static void command_file(const char *file, char *path)
{
	const char *behind = strchr(file, '*');
	int length = behind ? behind - file : (int)strlen(file), tries = 8;
	char parent[128], name[NAME_MAX + 1] = "none";

	snprintf(parent, sizeof(parent), ROOT "/%.*s", length, file);
	if (!behind) {
		snprintf(path, PATH_MAX, "%s", parent);
		return;
	}
	do {
		any_name(parent, name);
		snprintf(path, PATH_MAX, "%s%s", parent, name);
	} while (behind[1] && !is_directory(path) && --tries);
	snprintf(path, PATH_MAX, "%s%s%s", parent, name, behind + 1);
}

/* What the documents call it: without names that come and go. */
static void print_result(const char *how, const char *path, int error)
{
	char label[PATH_MAX];

	snprintf(label, sizeof(label), "%s:%s", how, path);
	for (char *c = label; *c; c++)
		if (isspace((unsigned char)*c) || *c == '=')
			*c = '_';
	fuzz_result(label, error, 1);
}

static void write_file(const char *path, const struct fuzz_text *text)
{
	int fd, error = 0;

	fuzz_does(path, text->bytes, text->length);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		print_result("open", path, errno);
		return;
	}
	if (write(fd, text->bytes, text->length) < 0)
		error = errno;
	close(fd);
	print_result("write", path, error);
}

static void read_file(const char *path)
{
	static char bytes[1 << 16];
	size_t most = 1 << 20, all = 0;
	ssize_t length;
	int fd;

	fuzz_does(path, "read", 4);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		print_result("open", path, errno);
		return;
	}
	do {
		length = pread(fd, bytes, fuzz_one_in(8) ? fuzz_below(5) : sizeof(bytes), all);
		all += length;
	} while (length > 0 && all < most);
	print_result("read", path, length < 0 ? errno : 0);
	close(fd);
}

/* mrc/plan: what is written tells what is read. */
static void ask_plan(void)
{
	static const char *const templates[] = { "%n<~ %p~ %p %p>", "0" };
	const char *path = DEBUGFS "/mrc/plan";
	struct fuzz_text text;
	char answer[4096];
	int fd;

	fuzz_text(&text, templates, NR(templates));
	fuzz_does(path, text.bytes, text.length);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		print_result("open", path, errno);
		return;
	}
	print_result("write", path, write(fd, text.bytes, text.length) < 0 ? errno : 0);
	print_result("read", path, pread(fd, answer, sizeof(answer), 0) < 0 ? errno : 0);
	close(fd);
}

/* Commands go by themselves to the files that they are for; numbers to any. */
static void control_step(void)
{
	static const char *const numbers[] = { "%n", "<0~1~2>" };
	struct fuzz_text text;
	char path[PATH_MAX];

	if (fuzz_one_in(8)) {
		ask_plan();
		return;
	}
	any_file(fuzz_one_in(5) ? DEBUGFS : ROOT, path);
	if (!fuzz_one_in(4)) {
		read_file(path);
		return;
	}
	fuzz_text(&text, numbers, NR(numbers));
	write_file(path, &text);
}

static void command_step(void)
{
	const struct command *command = NULL, *c;
	char path[PATH_MAX], root[64];
	unsigned int seen = 0, nr = 0;
	struct fuzz_text text;

	for (c = commands; c < commands + NR(commands); c++)
		if (!strcmp(c->kind, fuzz.kind) && !fuzz_below(++seen))
			command = c;
	if (fuzz_one_in(8)) {
		snprintf(root, sizeof(root), ROOT "/%s", fuzz.kind);
		any_file(root, path);
		read_file(path);
		return;
	}
	command_file(command->file, path);
	while (nr < NR(command->templates) && command->templates[nr])
		nr++;
	fuzz_text(&text, command->templates, nr);
	write_file(path, &text);
	/* Not so fast that nothing is there for long. */
	if (fuzz_one_in(4))
		usleep(fuzz_below(100000));
}

int main(int argc, char **argv)
{
	bool known = false;

	fuzz_begin(argc, argv);
	if (!strcmp(fuzz.kind, "control")) {
		fuzz_run(control_step);
		return 0;
	}
	for (size_t i = 0; i < NR(commands); i++)
		known |= !strcmp(commands[i].kind, fuzz.kind);
	if (!known) {
		errno = EINVAL;
		fuzz_die("kind");
	}
	fuzz_run(command_step);
	return 0;
}
