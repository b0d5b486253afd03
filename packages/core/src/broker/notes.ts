/** The longest key of a note, in bytes of UTF-8: it has room for a name of 512 bytes, and more. */
export const MAX_NOTE_KEY_BYTES = 1_024;

/** The longest value of a note, in bytes of UTF-8. */
export const MAX_NOTE_BYTES = 65_536;

/** The most notes of one write. */
export const MAX_NOTE_WRITES = 500;

/** The most runs that are changed together with notes. */
export const MAX_CHANGES_WITH_NOTES = 500;

/**
 * Small versioned documents that all processes of a queue share. A broker only keeps them: what a value means is a rule above the port,
 * which reads notes, decides, and writes them if they are still what it read.
 */
export interface Notes {
  /**
   * Returns a page of the notes whose keys begin with a prefix, in the order of their keys, by the bytes of UTF-8. The note of the key
   * that equals the prefix comes first.
   *
   * A page takes a bounded time and holds at most `limit` notes and about 8 MiB. It may therefore be shorter, or empty: only a page
   * without `next` is the last. Of notes that are created or deleted while pages are read, some may be missing.
   */
  readonly read: (query: NotesQuery) => Promise<NotesPage>;
  /**
   * Writes notes if each of them is still what was seen: all of them in one atomic step, or none. Each key is written once, and there
   * are at most 500 writes with 8 MiB of values.
   */
  readonly write: (writes: readonly NoteWrite[]) => Promise<NotesWritten>;
}

/** A note as a broker keeps it. */
export interface Note {
  /** The note's name. */
  readonly key: string;
  /** Text that only its writers understand. */
  readonly value: string;
  /** The latest write of the note; an integer ≥ 1 that no other write of the broker has, or ever had. */
  readonly version: number;
  /** When that write was made, in epoch milliseconds by the broker's clock. */
  readonly writtenAt: number;
  /** The instant from which it is gone, unless it probes; epoch milliseconds by the broker's clock. Absent: until it is deleted. */
  readonly expiresAt?: number;
  /** Present where it probes: see `NoteWrite.probeMs`. */
  readonly probeMs?: number;
}

/** Which notes to read. */
export interface NotesQuery {
  /** What their keys begin with, at most 1 024 bytes; `''`: all notes. */
  readonly prefix: string;
  /** An integer, 1 to 1 000. */
  readonly limit: number;
  /** The `next` of the page before; absent: the first page. */
  readonly after?: string;
}

/** A page of notes. */
export interface NotesPage {
  /** The notes, at most `limit`; perhaps fewer, or none, though there is a `next`. */
  readonly notes: readonly Note[];
  /** The broker's clock, in epoch milliseconds. */
  readonly now: number;
  /** Where the next page begins, as `after` takes it; absent on the last page. */
  readonly next?: string;
}

/** What to write to one note. */
export interface NoteWrite {
  /** 1 to 1 024 bytes. */
  readonly key: string;
  /** The version that was read; 0: there is no note of this key. Absent: it is written, whatever is there. */
  readonly seen?: number;
  /** The new value, 1 to 65 536 bytes; `null` deletes the note. */
  readonly value: string | null;
  /**
   * The note is gone this many milliseconds after the write by the broker's clock, `0 < ttlMs < Infinity`; fractions are rounded up.
   * @default it is kept until it is deleted
   */
  readonly ttlMs?: number;
  /** When the note is gone, by the broker's clock; the later of this and `ttlMs` holds. One in the past leaves no note. */
  readonly expiresAt?: number;
  /**
   * Only of a hold of one lane that expires. It is not gone then: the next claim starts one run of the lane, which is marked as a probe, and
   * `expiresAt` becomes this many milliseconds from then, `0 < probeMs < Infinity`; and so on, until the note is deleted. That is no write: the
   * version stays.
   */
  readonly probeMs?: number;
}

/** The answer to a write. */
export type NotesWritten =
  | {
      /** All notes are written. */
      readonly outcome: 'written';
      /** The new version of each, in the order of the writes; 0 for one that was deleted. */
      readonly versions: readonly number[];
      /** When, in epoch milliseconds by the broker's clock. */
      readonly now: number;
    }
  | {
      /** Nothing is written: some notes are not what was seen. */
      readonly outcome: 'changed';
      /** Which, as indexes of the writes, in ascending order; never empty. */
      readonly changed: readonly number[];
      /** When, in epoch milliseconds by the broker's clock. */
      readonly now: number;
    };
