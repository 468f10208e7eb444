# SPDX-License-Identifier: GPL-2.0-only
# What people run. What is built, and how, is in Kbuild.

VERSION := $(shell cat VERSION)
KDIR ?= /lib/modules/$(shell uname -r)/build
# A kernel that clang built, or ld.lld linked, needs the same of its modules; dkms sees to that by itself.
kbuild_tools = $(if $(shell grep -xs CONFIG_CC_IS_CLANG=y $(KDIR)/.config),CC=clang) \
	$(if $(shell grep -xs CONFIG_LD_IS_LLD=y $(KDIR)/.config),LD=ld.lld)
DKMS_SOURCE := /usr/src/memsuite-$(VERSION)
SOURCES := Kbuild VERSION dkms.conf include modules kmod-memdiag kmod-vipzone kmod-mrc

# Where make install puts things; modprobe.d, udev and systemd are in hooksdir. Below DESTDIR, for a package, dkms is left alone.
# What is said of prefix and libdir on the command line, the Makefile of libvip hears as well.
prefix := /usr/local
sbindir = $(prefix)/sbin
hooksdir := /etc
bashdir = $(prefix)/share/bash-completion/completions
zshdir = $(prefix)/share/zsh/site-functions
HOOKS = $(sbindir)/memsuite $(prefix)/share/memsuite $(hooksdir)

help:
	@echo "make demo          show the suite at work, in a virtual machine (about 5 minutes)"
	@echo "make test          run the tests (ONLY=REGEX for some of them)"
	@echo "make soak          run the long ones, and go on where they were stopped (FSTESTS=DIR: fstests, too)"
	@echo "make fuzz          calls and inputs at random, SECONDS for each kernel (600), from SEED (the date)"
	@echo "make campaign      faults of all kinds, at random, in memory of all classes: which of them memdiag finds (an hour or more)"
	@echo "make bench-fault   the page-fault path: the suite against the stock kernel"
	@echo "make bench-march   the test engine: GB/s on this machine, against others (not in a virtual machine)"
	@echo "make bench-neighbour what a tester does to a program on another core (not in a virtual machine)"
	@echo "make bench-size    what the suite costs by the size of memory: 1, 16 and 128 GiB"
	@echo "make bench-memdiag what memdiag costs gcc, sort, sqlite3, gzip and redis-server, which it installs"
	@echo "make bench-ablations what each part of memdiag is worth: the papers' tables and charts"
	@echo "make bench-vipzone energy, latency and row conflicts of placement: the papers' charts (goes on where stopped)"
	@echo "make bench-libvip  libvip's heaps against other allocators, and what hints cost (not in a virtual machine)"
	@echo "make bench-mrc     how far miss ratio curves are from exact ones, and what they cost (more than an hour)"
	@echo "make bench-mrc-energy energy of memory directed by miss ratio curves: paper 001's figures 5 and 6"
	@echo "make bench-mrc-mm  memory divided by miss ratio curves: paper 001's table 2 (half an hour)"
	@echo "make bench-mrc-harm mixes of programs that mrc was not tuned for, against the stock kernel and limits of cgroups"
	@echo "make bench-store   a database's requests on dm-vstore, dm-writecache and bcache before a slow disk (an hour or more), and a PRAM shared"
	@echo "make modules       build the modules for the running kernel (KDIR=...)"
	@echo "make install       dkms add, build and install, the memsuite command, and libvip"
	@echo "make uninstall     undo make install"
	@echo "make clean         remove what modules, demo and test left here"

tools:
	@scripts/install-tools

demo: tools
	@scripts/demo

# The makes that tests run have an ONLY of their own.
test: tools
	@env -u MAKEFLAGS -u ONLY tests/run $(if $(ONLY),--only '$(ONLY)')

soak: tools
	@tests/soak

SECONDS := 600
SEED := $(shell date +%Y%m%d)

fuzz: tools
	@echo "# SECONDS=$(SECONDS) SEED=$(SEED)"
	@failed=0; $(MAKE) -C tests/fuzzers fuzz SECONDS=$(SECONDS) SEED=$(SEED) || failed=1; \
	for kernel in $$(scripts/kernels names all); do \
		tests/fuzz --kernel $$kernel --seconds $(SECONDS) --seed $(SEED) || failed=1; done; exit $$failed

campaign: tools
	@failed=0; for kernel in $$(scripts/kernels names stock); do tests/campaign --results $$kernel || failed=1; done; exit $$failed

bench-fault: tools
	@for kernel in $$(scripts/kernels names benched); do echo "# kernel $$kernel"; \
		tests/bench-fault $$kernel && tests/bench-lines $$kernel || exit 1; done

bench-march: tools
	@tests/bench-march

bench-neighbour: tools
	@tests/bench-neighbour

bench-size: tools
	@tests/bench-size

bench-memdiag:
	@scripts/install-tools redis-server
	@tests/bench-memdiag

bench-ablations: tools
	@tests/bench-ablations

bench-mrc:
	@scripts/install-tools redis-server
	@tests/bench-mrc
	@tests/bench-mrc-cost
	@tests/bench-mrc-reclaim

bench-vipzone:
	@scripts/install-tools redis-server $$(python3 tests/programs.py)
	@tests/bench-placed
	@tests/bench-vipzone --log out/bench-vipzone.log
	@tests/bench-libvip

bench-libvip: tools
	@tests/bench-malloc
	@tests/bench-libvip

bench-mrc-energy:
	@scripts/install-tools $$(python3 tests/programs.py)
	@tests/bench-mrc-energy --traces out/mrc-energy

bench-mrc-mm:
	@scripts/install-tools $$(python3 tests/mrc_mm.py)
	@tests/bench-mrc-mm

bench-mrc-harm:
	@tests/bench-mrc-harm

bench-store:
	@scripts/install-tools postgresql bcache-tools
	@tests/bench-store --results --log out/store/log
	@tests/bench-store-shared

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(kbuild_tools) modules

install:
ifeq ($(DESTDIR),)
	scripts/dkms-version aside $(VERSION)
endif
	find $(SOURCES) -type f '(' -name '*.[ch]' ! -name '*.mod.c' -o -name 'Kbuild*' -o -name VERSION -o -name dkms.conf ')' \
		-exec install -D -m 644 '{}' '$(DESTDIR)$(DKMS_SOURCE)/{}' ';'
	install -D -m 755 -t $(DESTDIR)$(sbindir) scripts/memsuite
	cd lib && find memsuite '(' -name '*.py' -o -name '*.json' ')' -exec install -D -m 644 '{}' '$(DESTDIR)$(prefix)/share/memsuite/{}' ';'
	install -D -m 644 -t $(DESTDIR)$(prefix)/share/memsuite VERSION
	install -D -m 644 -t $(DESTDIR)$(prefix)/share/memsuite/ABI Documentation/ABI/testing/*
	$(MAKE) -C tools/bankmap
	install -D -m 755 -t $(DESTDIR)$(sbindir) out/bankmap/memsuite-bankmap
	install -D -m 644 -t $(DESTDIR)$(prefix)/share/memsuite/bank_maps tools/bankmap/maps/*
	install -D -m 644 -t $(DESTDIR)$(prefix)/share/memsuite/profiles profiles/*.profile
	rm -rf out/man && scripts/man-pages out/man
	install -D -m 644 -t $(DESTDIR)$(prefix)/share/man/man5 out/man/man5/*
	install -D -m 644 -t $(DESTDIR)$(prefix)/share/man/man8 Documentation/man/*.8 out/man/man8/*
	install -D -m 644 -t $(DESTDIR)$(bashdir) completion/memsuite
	install -D -m 644 -t $(DESTDIR)$(zshdir) completion/_memsuite
	install -D -m 644 -t $(DESTDIR)$(prefix)/share/memsuite/monitoring monitoring/*
	find ansible -name '*.yml' -exec install -D -m 644 '{}' '$(DESTDIR)$(prefix)/share/memsuite/{}' ';'
	scripts/install-hooks '$(DESTDIR)' $(HOOKS)
	$(MAKE) -C lib/libvip install
ifeq ($(DESTDIR),)
	ldconfig
	scripts/dkms-version install $(VERSION)
endif

uninstall:
ifeq ($(DESTDIR),)
	-scripts/dkms-version uninstall $(VERSION)
endif
	rm -rf $(addprefix $(DESTDIR),$(DKMS_SOURCE) $(prefix)/share/memsuite)
	rm -f $(addprefix $(DESTDIR),$(sbindir)/memsuite $(sbindir)/memsuite-bankmap $(bashdir)/memsuite $(zshdir)/_memsuite)
	rm -f $(addprefix $(DESTDIR)$(prefix)/share/man/man8/,memsuite.8 $(addprefix memsuite-,bankmap.8 diag.8 fleet.8 mrc.8 store.8 zone.8))
	rm -f $(DESTDIR)$(prefix)/share/man/man5/memsuite.conf.5
	scripts/install-hooks --remove '$(DESTDIR)' $(HOOKS)
	$(MAKE) -C lib/libvip uninstall
ifeq ($(DESTDIR),)
	ldconfig
endif

clean:
	-$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	rm -rf out

.PHONY: help tools demo test soak fuzz campaign bench-fault bench-march bench-neighbour bench-size bench-memdiag bench-ablations bench-vipzone bench-libvip \
	bench-mrc bench-mrc-energy bench-mrc-mm bench-mrc-harm bench-store modules install uninstall clean
