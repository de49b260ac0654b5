# spinbench: which spinlock and which shared-memory message queue is fastest
#
#	make && make install	build and install for the server of PG_CONFIG
#	make installcheck		pg_regress and TAP tests, against a running server
#	make installcheck-all	the same, going on after failures and showing their logs
#	make selftest			test the locks as a plain program, without a server
#	make selftest-module	the same, and the locks of the module have these instructions
#	make selftest-cross		the same for other architectures, under emulation
#	make warnings			compile with gcc and clang, where every warning counts
#	make indent				lay out the sources as pgindent does
#	make indent-check		fail if that would change anything
#
# contrib_spinbench/check builds and runs every test by itself, and
# contrib_spinbench/with-server make installcheck needs no server to be running.

MODULE_big = spinbench
OBJS = \
	src/spinbench.o \
	src/catalog.o \
	src/environment.o \
	src/guc.o \
	src/sweep.o \
	src/cpu/cost.o \
	src/cpu/load.o \
	src/cpu/machine.o \
	src/cpu/model.o \
	src/cpu/pin.o \
	src/lock/control.o \
	src/lock/instructions.o \
	src/lock/label.o \
	src/lock/server.o \
	src/lock/spin.o \
	src/lock/variants.o \
	src/lock/waiting.o \
	src/patch/counters.o \
	src/patch/known.o \
	src/patch/message_queue.o \
	src/patch/patch.o \
	src/patch/redirect.o \
	src/patch/server_lock.o \
	src/patch/server_queue.o \
	src/patch/slow_path.o \
	src/queue/peer.o \
	src/queue/queue.o \
	src/queue/server.o \
	src/queue/spsc.o \
	src/queue/stream.o \
	src/run/deadline.o \
	src/run/launch.o \
	src/run/memory.o \
	src/run/participant.o \
	src/run/result.o \
	src/run/run.o \
	src/run/worker.o \
	src/workload/arguments.o \
	src/workload/check_queue.o \
	src/workload/gather.o \
	src/workload/ring.o \
	src/workload/touch.o \
	src/workload/workload.o

EXTENSION = spinbench

# The script that CREATE EXTENSION runs, put together from these, in this order.
SCRIPT = runs server sweeps plan sweep statistics compare describe report exchange live
DATA_built = spinbench--1.0.sql

REGRESS = $(sort $(basename $(notdir $(wildcard $(srcdir)/sql/*.sql))))
REGRESS_OPTS = --load-extension=spinbench
TAP_TESTS = 1

PG_CPPFLAGS = -I$(srcdir)/src
# libpq is not used, and nothing here is worth inlining into a query: bitcode
# would only ask for the compiler that the server's JIT was built with.
override with_llvm = no

# With SANITIZE=yes, AddressSanitizer and UndefinedBehaviorSanitizer watch over
# the module; the server must be started with their runtimes preloaded, as
# contrib_spinbench/with-server --sanitize does.  A checked memcpy() is not seen.
ifneq ($(SANITIZE),)
SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=undefined
OBJS += src/sanitize.o
PG_CPPFLAGS += -DSPB_SANITIZE
PG_CFLAGS = $(SANITIZERS) -O1 -fno-omit-frame-pointer
PG_LDFLAGS = $(SANITIZERS)
endif

PG_CONFIG ?= pg_config

# Not the default goal, whatever comes first in what is included.
all:

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

ifneq ($(SANITIZE),)
override CPPFLAGS += -U_FORTIFY_SOURCE
all: sanitize_first.so
sanitize_first.so: $(srcdir)/contrib_spinbench/sanitize_first.c
	$(CC) $(PG_CFLAGS) -fPIC -shared -Wl,-z,initfirst -o $@ $<
endif

# A build outside of the source tree looks there for sources only: VPATH would
# also find objects, which may be for another PostgreSQL.
VPATH =
vpath %.c $(srcdir)
vpath %.control $(srcdir)

# Nor has it a src/ to put objects into.
$(shell mkdir -p $(sort $(dir $(OBJS))))

spinbench--1.0.sql: $(SCRIPT:%=$(srcdir)/install/%.sql) $(firstword $(MAKEFILE_LIST))
	cat $(filter %.sql,$^) >$@

# What spinbench_environment() says about this build.
src/environment.o: private override CPPFLAGS += '-DSPB_CFLAGS="$(subst ",\",$(CFLAGS))"'

# PGXS does not track headers.
$(OBJS): $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)

# The servers of TAP tests do not run as root.
PROVE := $(abspath $(srcdir)/contrib_spinbench/unprivileged) $(PROVE)

# Where whoever reads the output cannot look into files, and each kind of test is
# due whatever became of the other.
installcheck-all:
	@status=0; \
	$(MAKE) -f $(firstword $(MAKEFILE_LIST)) installcheck TAP_TESTS= || \
		{ status=1; cat regression.diffs; }; \
	$(MAKE) -f $(firstword $(MAKEFILE_LIST)) installcheck REGRESS= PROVE_FLAGS=--verbose || \
		{ status=1; tail -n 20 tmp_check/log/regress_log_*; }; \
	exit $$status

selftest:
	$(or $(srcdir),.)/contrib_spinbench/selftest/run native

# What is measured is what the server's compiler and flags made.
selftest-module: all
	CC='$(CC)' CFLAGS='$(CFLAGS)' $(or $(srcdir),.)/contrib_spinbench/selftest/run \
		--module=$(CURDIR)/$(shlib)

selftest-cross:
	$(or $(srcdir),.)/contrib_spinbench/selftest/run cross

#
# For developers.
#

COMPILERS = gcc clang

# PostgreSQL's own set of warnings and more, without those that its idioms raise:
# callbacks take arguments that are for others, lengthof() is unsigned, and
# pg_attribute_printf() was configured for gcc, whichever compiler sees it now.
WARNINGS = -Wall -Wextra -Wmissing-prototypes -Wpointer-arith \
	-Wdeclaration-after-statement -Wvla -Wformat-security \
	-Wmissing-format-attribute -Wendif-labels -Wimplicit-fallthrough -Wundef \
	-Wno-unused-parameter -Wno-sign-compare -Wno-ignored-attributes -Werror
# The server's headers are not ours to mend.
WARNINGS_FLAGS = -O2 -fPIC -fno-strict-aliasing -fwrapv $(WARNINGS) \
	$(patsubst -I$(includedir_server)%,-isystem $(includedir_server)%,$(CPPFLAGS))

warnings: $(foreach compiler,$(COMPILERS),$(OBJS:%=build/warnings/$(compiler)/%))

define warnings_of
build/warnings/$(1)/%.o: %.c $$(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)
	@mkdir -p $$(@D)
	$(1) $$(WARNINGS_FLAGS) -c -o $$@ $$<
endef
$(foreach compiler,$(COMPILERS),$(eval $(call warnings_of,$(compiler))))

indent: $(OBJS)
	$(srcdir)/contrib_spinbench/indent $(OBJS)

indent-check: $(OBJS)
	$(srcdir)/contrib_spinbench/indent --check $(OBJS)

.PHONY: installcheck-all selftest selftest-module selftest-cross warnings indent indent-check
