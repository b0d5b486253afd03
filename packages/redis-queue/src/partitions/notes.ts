import type { Notes } from '@retry/core/broker';
import { HOLD_PREFIX } from '@retry/core/broker/kit';
import type { Parts } from './operations.ts';

/**
 * Joins the notes of several partitions. All are in the first one, so that a write of several is atomic. Holds are in each, where claims see
 * them, and have been written to all before a write is answered; each partition lets through a run of its own where a hold probes.
 */
export function joinNotes([home, ...others]: Parts): Notes {
  return {
    read: home.notes.read,
    write: async (writes) => {
      const written = await home.notes.write(writes);
      const holds = writes.filter(({ key }) => key.startsWith(HOLD_PREFIX));
      if (written.outcome === 'changed' || holds.length === 0) return written;
      const copies = holds.map(({ seen: _, ...hold }) => hold);
      await Promise.all(others.map((part) => part.notes.write(copies)));
      return written;
    },
  };
}
