import { keepableMs } from '@retry/core/broker/kit';

/**
 * The first arguments of scripts that forget runs: how many completed runs are kept (negative: all); then for how many milliseconds
 * names of forgotten ones stay taken, and after a space how many bytes of long texts are kept, if that is bounded.
 */
export type Retention = [keepCompleted: string, keepKeysMsAndBytes: string];

/** How many bytes of long texts of ended runs are kept on a server without `maxmemory`. */
const KEEP_BYTES = 64 * 2 ** 20;

/** The part of `maxmemory` that they may take. */
const MEMORY_PART = 4;

interface RetentionOptions {
  readonly keepCompleted: number;
  readonly keepBytes: number | undefined;
  readonly keepKeysMs: number;
  readonly partitions: number;
}

/** Returns the arguments, and what sets them anew when the memory of the server is known. */
export function createRetention({ keepCompleted, keepBytes, keepKeysMs, partitions }: RetentionOptions): {
  readonly retention: Retention;
  readonly noteMemory: (maxmemory: number) => void;
} {
  const keep = keepCompleted === Infinity ? '-1' : `${Math.floor(keepCompleted)}`;
  const second = (bytes: number): string => {
    const share = Math.floor(bytes / partitions);
    return Number.isFinite(share) ? `${keepableMs(keepKeysMs)} ${share}` : `${keepableMs(keepKeysMs)}`;
  };
  const retention: Retention = [keep, second(keepBytes ?? KEEP_BYTES)];
  return {
    retention,
    noteMemory: (maxmemory) => {
      if (keepBytes === undefined && maxmemory > 0) retention[1] = second(maxmemory / MEMORY_PART);
    },
  };
}
