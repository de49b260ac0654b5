# spinbench: which spinlock and which shared-memory message queue is fastest
#
#	make && make install	build and install for the server of PG_CONFIG
#	make installcheck		pg_regress and TAP tests, against a running server
#
# contrib_spinbench/check builds and runs every test by itself.

MODULE_big = spinbench
OBJS = \
	src/spinbench.o \
	src/guc.o \
	src/cpu/load.o \
	src/cpu/pin.o \
	src/lock/control.o \
	src/lock/label.o \
	src/lock/server.o \
	src/lock/spin.o \
	src/lock/waiting.o \
	src/queue/queue.o \
	src/queue/server.o \
	src/run/deadline.o \
	src/run/launch.o \
	src/run/participant.o \
	src/run/result.o \
	src/run/run.o \
	src/run/worker.o \
	src/workload/arguments.o \
	src/workload/ring.o \
	src/workload/workload.o

EXTENSION = spinbench
DATA = spinbench--1.0.sql

PG_CPPFLAGS = -I$(srcdir)/src
# libpq is not used, and nothing here is worth inlining into a query: bitcode
# would only ask for the compiler that the server's JIT was built with.
override with_llvm = no

PG_CONFIG ?= pg_config

# Not the default goal, whatever comes first in what is included.
all:

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# A build outside of the source tree has no src/ to put objects into.
$(shell mkdir -p $(sort $(dir $(OBJS))))

# PGXS does not track headers.
$(OBJS): $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)
