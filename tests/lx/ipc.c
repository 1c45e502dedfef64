/* ipc, through which i386 programs reach System V semaphores, queues and shared memory.
 * lxtest: --set kernel-version=4.4.0
 */
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "tests/lib/guest.h"

#ifdef __i386__
enum { SEMOP = 1, SEMGET = 2, SEMCTL = 3, SHMAT = 21, SHMDT = 22, SHMGET = 23, SHMCTL = 24 };

static void check_sem(void)
{
	struct sembuf *op = (struct sembuf *)edge(sizeof(*op));
	long id = CALL(SYS_ipc, SEMGET, IPC_PRIVATE, 1, IPC_CREAT | 0600, 0, 0), zero = 0;

	ok(id >= 0, "semget");
	*op = (struct sembuf){ 0, 1, IPC_NOWAIT };
	eq(CALL(SYS_ipc, SEMOP, id, 1, 0, op, 0), 0, "semop up");
	op->sem_op = -2;
	eq(CALL(SYS_ipc, SEMOP, id, 1, 0, op, 0), -EAGAIN, "semop down by more than there is");
	eq(CALL(SYS_ipc, SEMOP, id, 1, 0, 0x100, 0), -EFAULT, "semop at an unmapped page");
	eq(CALL(SYS_ipc, SEMCTL, id, 0, IPC_RMID, &zero, 0), 0, "semctl removes");
}

static void check_shm(void)
{
	long id = CALL(SYS_ipc, SHMGET, IPC_PRIVATE, 4096, IPC_CREAT | 0600, 0, 0);
	unsigned long at = 0;

	ok(id >= 0, "shmget");
	eq(CALL(SYS_ipc, SHMAT, id, 0, &at, 0, 0), 0, "shmat");
	if (at) {
		*(char *)at = 1;
		eq(CALL(SYS_ipc, SHMDT, 0, 0, 0, at, 0), 0, "shmdt");
	}
	eq(CALL(SYS_ipc, SHMCTL, id, IPC_RMID, 0, 0, 0), 0, "shmctl removes");
	eq(CALL(SYS_ipc, 1000, 0, 0, 0, 0, 0), -ENOSYS, "function 1000");
}
#endif

int main(void)
{
#ifdef __i386__
	check_sem();
	check_shm();
#else
	ok(true, "an i386 matter");
#endif
	return done();
}
