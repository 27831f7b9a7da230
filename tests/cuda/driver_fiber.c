/* The threads of a block as fibers: they switch where they must wait for each other, and nowhere else. A thread
 * that never waits runs on the stack of the one before it. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda/machine.h"
#include "cuda/driver.h"

enum { MAX_THREADS = 1024, WARP = 32, STACK = 256 << 10, GUARD_PAGE = 64 << 10 };
enum { NOT_BEGUN, READY, AT_BARRIER, IN_WARP, EXITED };

typedef struct fiber {
    int           state;
    int           stack; /* its number; -1: none yet */
    int           line;  /* of the barrier it waits at */
    void         *context;
    sim_warp_call call;
    uint64_t      result;
} fiber;

static struct {
    fiber       threads[MAX_THREADS];
    sim_index   index[MAX_THREADS], shape; /* of the threads, made for this shape */
    int         count, begun, exited, waiting, in_warp, current;
    int         ready[MAX_THREADS], ready_from, ready_count; /* a ring */
    int         free_stacks[MAX_THREADS], free_count, made_stacks;
    char       *stacks;
    void       *outside;
    const void *argument;
    const char *name;
    void (*kernel)(const void *argument);
} block;

static void               barrier(int line);
static unsigned long long warp(const sim_warp_call *call);

sim_machine sim_now = { .barrier = barrier, .warp = warp };

/* ---- Changing stacks --------------------------------------------------------------------------------------------- */

/* Keep the registers that a function must keep, and the stack; go on with another's. */
void sim_switch(void **keep, void *other);
#if defined(__aarch64__)
__asm__(".text\n.globl sim_switch\n.hidden sim_switch\n.type sim_switch, %function\nsim_switch:\n"
        "sub sp, sp, #160\n"
        "stp x19, x20, [sp]\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\nstp x25, x26, [sp, #48]\n"
        "stp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "mov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp]\nldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\nldp x25, x26, [sp, #48]\n"
        "ldp x27, x28, [sp, #64]\nldp x29, x30, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
        "add sp, sp, #160\nret\n.size sim_switch, .-sim_switch\n");
enum { SAVED = 20, RETURN_AT = 11, ABOVE = 0 }; /* words; where the address to go to lies; words left above them */
#elif defined(__x86_64__)
__asm__(".text\n.globl sim_switch\n.hidden sim_switch\n.type sim_switch, @function\nsim_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\n"
        "ret\n.size sim_switch, .-sim_switch\n");
enum { SAVED = 7, RETURN_AT = 6, ABOVE = 1 };
#endif

static void take_stack(fiber *f, void (*entry)(void))
{
    if (block.stacks == NULL) {
        block.stacks =
            mmap(NULL, (size_t)MAX_THREADS * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (block.stacks == MAP_FAILED) sim_die("no memory for stacks");
    }
    if (block.free_count > 0) {
        f->stack = block.free_stacks[--block.free_count];
    } else {
        f->stack = block.made_stacks++;
        if (mprotect(block.stacks + (size_t)f->stack * STACK + GUARD_PAGE, STACK - GUARD_PAGE,
                     PROT_READ | PROT_WRITE) != 0)
            sim_die("no memory for a stack");
    }
    void **top = (void **)(void *)(block.stacks + (size_t)(f->stack + 1) * STACK) - ABOVE - SAVED;
    memset(top, 0, SAVED * sizeof *top);
    *(void (**)(void))(void *)(top + RETURN_AT) = entry;
    f->context = top;
}

/* ---- Who is next ------------------------------------------------------------------------------------------------- */

static void make_ready(int thread)
{
    block.threads[thread].state = READY;
    block.ready[(block.ready_from + block.ready_count++) % MAX_THREADS] = thread;
}

static int in_order(int k) { return sim_is_reverse() ? block.count - 1 - k : k; }

void sim_describe_thread(char *text, size_t size)
{
    (void)snprintf(text, size, "block (%u,%u,%u), thread (%u,%u,%u)", sim_now.block.x, sim_now.block.y, sim_now.block.z,
                   sim_now.thread.x, sim_now.thread.y, sim_now.thread.z);
}

static int first_in(int state)
{
    int t = 0;
    while (t < block.count && block.threads[t].state != state) t++;
    return t;
}

/* All that are left wait at barriers; they must be at the same one. */
static void release_barrier(void)
{
    const int first = first_in(AT_BARRIER);
    for (int t = first; t < block.count; t++) {
        const fiber *f = &block.threads[t];
        if (f->state == AT_BARRIER && f->line != block.threads[first].line)
            sim_die("kernel %s: threads %d and %d of a block wait at different barriers, lines %d and %d", block.name,
                    first, t, block.threads[first].line, f->line);
    }
    block.waiting = 0;
    for (int k = 0; k < block.count; k++)
        if (block.threads[in_order(k)].state == AT_BARRIER) make_ready(in_order(k));
}

static _Noreturn void die_of_deadlock(void)
{
    const int lane = first_in(IN_WARP), other = first_in(AT_BARRIER);
    sim_die(
        "kernel %s: thread %d waits in line %d for the lanes %08x of its warp, some of which never come%s (thread %d)",
        block.name, lane, block.threads[lane].call.line, block.threads[lane].call.mask,
        other < block.count ? ": others wait at a barrier" : "", other);
}

/* A thread that can go on, or one that has not begun, or -1: all have left. */
static int next_thread(void)
{
    for (;;) {
        if (block.ready_count > 0) {
            const int t = block.ready[block.ready_from];
            block.ready_from = (block.ready_from + 1) % MAX_THREADS;
            block.ready_count--;
            return t;
        }
        if (block.begun < block.count) return in_order(block.begun++);
        if (block.exited == block.count) return -1;
        if (block.waiting + block.exited < block.count) die_of_deadlock();
        release_barrier();
    }
}

static void complete_warp(int thread);

/* Runs kernels for thread after thread, until the next one has a stack of its own. */
static void work(void)
{
    for (;;) {
        const int self = block.current;
        block.kernel(block.argument);
        block.threads[self].state = EXITED;
        block.exited++;
        if (block.in_warp > 0) complete_warp(self);
        const int next = next_thread();
        block.current = next;
        if (next >= 0) sim_now.thread = block.index[next];
        if (next >= 0 && block.threads[next].stack < 0) {
            block.threads[next].stack = block.threads[self].stack;
            continue;
        }
        block.free_stacks[block.free_count++] = block.threads[self].stack;
        void *never = NULL;
        sim_switch(&never, next >= 0 ? block.threads[next].context : block.outside);
    }
}

/* The running thread waits, as its state says; others run until it is ready. */
static void suspend(void)
{
    const int self = block.current, next = next_thread();
    if (next == self) return;
    fiber *f = &block.threads[next];
    if (f->stack < 0) take_stack(f, work);
    block.current = next;
    sim_now.thread = block.index[next];
    sim_switch(&block.threads[self].context, f->context);
}

static void barrier(int line)
{
    fiber *f = &block.threads[block.current];
    f->state = AT_BARRIER;
    f->line = line;
    block.waiting++;
    suspend();
}

/* ---- Warps ------------------------------------------------------------------------------------------------------- */

/* The lane that a shuffle reads, as CUDA defines it for parts of a warp. */
static int source_lane(int lane, const sim_warp_call *call)
{
    const int width = (int)call->width, part = lane / width * width, in_part = lane - part;
    const int argument = (int)call->argument;
    switch (call->kind) {
    case SIM_SHFL: return part + (int)(call->argument % call->width);
    case SIM_SHFL_UP: return in_part - argument >= 0 ? lane - argument : lane;
    case SIM_SHFL_DOWN: return in_part + argument < width ? lane + argument : lane;
    default: return (lane ^ argument) < part + width ? lane ^ argument : lane;
    }
}

static uint64_t result_of(const fiber *lanes, int lane, uint32_t present)
{
    const sim_warp_call *call = &lanes[lane].call;
    if (call->kind <= SIM_SHFL_XOR) {
        const int source = source_lane(lane, call);
        if ((present >> source & 1) == 0) return 0xA5A5A5A5A5A5A5A5u; /* CUDA: undefined */
        return lanes[source].call.value;
    }
    uint64_t bits = 0;
    for (int k = 0; k < WARP; k++) {
        if ((present >> k & 1) == 0) continue;
        const bool same = call->kind == SIM_MATCH ? lanes[k].call.value == call->value : lanes[k].call.value != 0;
        bits |= (uint64_t)same << k;
    }
    return bits;
}

static void check_same_call(const fiber *lanes, int first, int lane)
{
    const sim_warp_call *a = &lanes[first].call, *b = &lanes[lane].call;
    if (a->kind == b->kind && a->mask == b->mask && a->line == b->line) return;
    sim_die("kernel %s: lanes %d and %d of a warp meet in different calls, lines %d and %d, masks %08x and %08x",
            block.name, first, lane, a->line, b->line, a->mask, b->mask);
}

/* Give the lanes that wait together with this thread their results, if none of them is missing. */
static void complete_call(int thread)
{
    const int      first = thread / WARP * WARP, size = block.count - first < WARP ? block.count - first : WARP;
    fiber         *lanes = &block.threads[first];
    const uint32_t mask = lanes[thread - first].call.mask;
    uint32_t       present = 0;
    for (int k = 0; k < size; k++) {
        if ((mask >> k & 1) == 0 || lanes[k].state == EXITED) continue;
        if (lanes[k].state != IN_WARP) return;
        present |= 1u << k;
    }
    for (int k = 0; k < size; k++)
        if ((present >> k & 1) != 0) {
            check_same_call(lanes, thread - first, k);
            lanes[k].result = result_of(lanes, k, present);
        }
    for (int k = 0; k < size; k++) {
        const int lane = sim_is_reverse() ? size - 1 - k : k;
        if ((present >> lane & 1) == 0) continue;
        make_ready(first + lane);
        block.in_warp--;
    }
}

/* A thread has left: others may have waited for it alone. */
static void complete_warp(int thread)
{
    const int first = thread / WARP * WARP;
    for (int t = first; t < first + WARP && t < block.count; t++)
        if (block.threads[t].state == IN_WARP && (block.threads[t].call.mask >> (thread - first) & 1) != 0)
            complete_call(t);
}

static unsigned long long warp(const sim_warp_call *call)
{
    const int lane = block.current % WARP;
    fiber    *f = &block.threads[block.current];
    if ((call->mask >> lane & 1) == 0)
        sim_die("kernel %s, line %d: lane %d calls with the mask %08x, which does not hold it", block.name, call->line,
                lane, call->mask);
    f->call = *call;
    f->state = IN_WARP;
    block.in_warp++;
    complete_call(block.current);
    suspend();
    return f->result;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static void number_threads(void)
{
    const sim_index shape = sim_now.block_size;
    if (memcmp(&shape, &block.shape, sizeof shape) == 0) return;
    block.shape = shape;
    block.count = (int)(shape.x * shape.y * shape.z);
    for (unsigned int t = 0; t < (unsigned int)block.count; t++)
        block.index[t] = (sim_index){ t % shape.x, t / shape.x % shape.y, t / shape.x / shape.y };
}

void sim_run_block(void (*kernel)(const void *argument), const void *argument, const char *name)
{
    number_threads();
    for (int t = 0; t < block.count; t++) {
        block.threads[t].state = NOT_BEGUN;
        block.threads[t].stack = -1;
    }
    block.begun = block.exited = block.waiting = block.in_warp = block.ready_count = block.ready_from = 0;
    block.kernel = kernel;
    block.argument = argument;
    block.name = name;
    const int first = next_thread();
    take_stack(&block.threads[first], work);
    block.current = first;
    sim_now.thread = block.index[first];
    sim_switch(&block.outside, block.threads[first].context);
}
