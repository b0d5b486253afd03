import type { RetentionSettings } from '@retry/core/broker/kit';
import { KEEP_BYTES, keepableMs } from '@retry/core/broker/kit';

/**
 * The first arguments of scripts that forget runs. Each is a number, which another may follow after a space:
 *
 * 1. how many completed runs are kept (negative: all), and for how many milliseconds, if that is bounded
 * 2. for how many milliseconds names of forgotten runs stay taken, and how many bytes of long texts are kept, if that is bounded
 */
export type Retention = [keepCompleted: string, keepKeysMsAndBytes: string];

/** The part of `maxmemory` that long texts of ended runs may take. */
const MEMORY_PART = 4;

/** Returns the arguments, and what sets them anew when the memory of the server is known. */
export function createRetention(
  { keepCount, keepForMs, keepBytes, keepKeysMs }: RetentionSettings,
  partitions: number,
): {
  readonly retention: Retention;
  readonly noteMemory: (maxmemory: number) => void;
} {
  const count = keepCount === Infinity ? '-1' : `${keepCount}`;
  const first = keepForMs === Infinity ? count : `${count} ${keepableMs(keepForMs)}`;
  const second = (bytes: number): string => {
    const share = Math.floor(bytes / partitions);
    return Number.isFinite(share) ? `${keepableMs(keepKeysMs)} ${share}` : `${keepableMs(keepKeysMs)}`;
  };
  const retention: Retention = [first, second(keepBytes ?? KEEP_BYTES)];
  return {
    retention,
    noteMemory: (maxmemory) => {
      if (keepBytes === undefined && maxmemory > 0) retention[1] = second(maxmemory / MEMORY_PART);
    },
  };
}
