/** The lease of a claim; the cleaner comes twice a lease, as by default. In ms. */
export const LEASE_MS = 5_000;
export const CLEANER_MS = LEASE_MS / 2;

/** For how long a handler computes without a pause, in ms. */
export const BLOCK_MS = 12_000;

/** Pairs of worker processes that share a queue each, and blocks of each pair, one after another. */
export const PAIRS = 10;
export const BLOCKS_PER_PAIR = 5;

/** The same of what they are compared with, whose blocks take several times as long. */
export const COMPARED_PER_PAIR = 1;

/** How long a pair has worked before its first block, in ms: threads of many processes that start at once start late. */
export const START_MS = 5_000;

/** Endless loops, each in a pair of its own, and the `maxBlock` that ends them: shorter than the default, to save time. */
export const ENDLESS_LOOPS = 4;
export const MAX_BLOCK_MS = 6_000;

/** Runs that are worked off for one sample of the throughput: short ones, so that a machine of changing speed disturbs both of a round. */
export const SAMPLE_RUNS = 10_000;
export const FILLED_AT_ONCE = 1_000;
export const SAMPLE_CONCURRENCY = 100;

/**
 * Pairs of processes, one with and one without the thread, and rounds of one sample of each of a pair. Of two processes with the same code
 * one may be faster for all of its life, by how that was compiled: hence several. The first samples of a process are not counted.
 */
export const RATED_PAIRS = 6;
export const WARM_UPS = 10;
export const ROUNDS_PER_PAIR = 30;

/** Processes with and as many without the thread, whose memory and processor time are compared, and for how long, in ms. */
export const IDLE_PROCESSES = 5;
export const SETTLE_MS = 20_000; // V8 collects garbage when nothing has happened for a while
export const IDLE_MS = 40_000;

/** What the issue promises. */
export const BARS = { throughput: 0.98, memoryMb: 12, idlePercent: 0.3 } as const;
