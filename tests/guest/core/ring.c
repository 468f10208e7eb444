// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring: has a page of the kernel's mapped, a socket's ring, which is in no list of programs' pages; has it taken offline,
 * softly, again and again; and looks whether it is still its own when others have got what is free. Prints what the last
 * attempt ended with.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define PAGE	4096
#define OTHERS	4096
#define SOFT_OFFLINE 101	/* MADV_SOFT_OFFLINE */

int main(void)
{
	struct tpacket_req ring = {
		.tp_block_size = PAGE, .tp_block_nr = 1, .tp_frame_size = PAGE, .tp_frame_nr = 1,
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0), result = 0, i;
	unsigned char *page, *others;

	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring))) {
		perror("ring");
		return 2;
	}
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	others = mmap(NULL, OTHERS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || others == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	memset(page, 0x5a, PAGE);
	for (i = 0; i < 8; i++)
		result = madvise(page, PAGE, SOFT_OFFLINE) ? errno : 0;
	memset(others, 0xa5, OTHERS * PAGE);
	printf("%s\n", strerror(result));
	for (i = 0; i < PAGE; i++)
		if (page[i] != 0x5a) {
			fprintf(stderr, "byte %d is %#x\n", i, page[i]);
			return 1;
		}
	return 0;
}
