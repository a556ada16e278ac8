// Exchanges two directory entries as fast as it can, each time in one step, until it is told to stop or its parent dies.
// Every 64 times it says that it goes on.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif

static volatile sig_atomic_t stopped = 0;

static void stop(int signal_number) {
  (void)signal_number;
  stopped = 1;
}

static int exchange(const char *first, const char *second) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s <entry> <entry>\n", argv[0]);
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGTERM, stop);
  if (exchange(argv[1], argv[2]) != 0) {
    fprintf(stderr, "cannot exchange: %s\n", strerror(errno));
    return 1;
  }
  printf("ready\n");
  fflush(stdout);
  // A random pause between swaps, so that no rhythm of the victim can stay out of step with it for long.
  unsigned long swaps = 1;
  unsigned int seed = (unsigned int)getpid();
  while (!stopped) {
    if (exchange(argv[1], argv[2]) == 0 && ++swaps % 64 == 0 && write(1, "going on\n", 9) < 0) return 1;
    for (volatile int pause = rand_r(&seed) % 4000; pause > 0; pause--) {
    }
  }
  printf("swaps %lu\n", swaps);
  return 0;
}
