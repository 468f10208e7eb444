// SPDX-License-Identifier: GPL-2.0-only
/*
 * gzip as SPEC CPU2000 has it: what it compresses, what comes of that, and what comes of that again are in memory.
 *
 * zipper FILE MIB LEVEL...	fills a buffer of so many MiB with the file, over and over; at each level compresses it
 *				into another, expands that into a third, and compares
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static unsigned char *fill(const char *path, size_t size)
{
	unsigned char *buffer = malloc(size);
	FILE *file = fopen(path, "rb");
	size_t have, n;

	if (!buffer || !file)
		return NULL;
	have = fread(buffer, 1, size, file);
	fclose(file);
	if (!have)
		return NULL;
	for (n = have; n < size; n++)
		buffer[n] = buffer[n - have];
	return buffer;
}

int main(int argc, char **argv)
{
	size_t size = argc > 3 ? strtoul(argv[2], NULL, 10) << 20 : 0;
	unsigned char *in = size ? fill(argv[1], size) : NULL;
	unsigned char *packed = malloc(compressBound(size)), *out = malloc(size);

	if (!in || !packed || !out) {
		fprintf(stderr, "usage: zipper FILE MIB LEVEL...\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		uLongf length = compressBound(size), again = size;

		if (compress2(packed, &length, in, size, atoi(argv[i])) != Z_OK ||
		    uncompress(out, &again, packed, length) != Z_OK || again != size || memcmp(in, out, size)) {
			fprintf(stderr, "zipper: level %s does not come out as it went in\n", argv[i]);
			return 1;
		}
		printf("level %s: %lu of %zu\n", argv[i], length, size);
	}
	return 0;
}
