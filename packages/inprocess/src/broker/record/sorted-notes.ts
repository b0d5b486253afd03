import type { Note, NotesQuery } from '@retry/core/broker';
import { compareUtf8, isNoteKept } from '@retry/core/broker/kit';

/** Notes in the order of their keys: a page of very many costs what it has. */
export class SortedNotes {
  readonly #notes = new Map<string, Note>();
  /** The keys in the order of their bytes. */
  readonly #keys: string[] = [];
  /** No note expires before. */
  #nextEnd = Infinity;

  get(key: string): Note | undefined {
    return this.#notes.get(key);
  }

  set(key: string, note: Note): void {
    if (!this.#notes.has(key)) this.#keys.splice(this.#firstFrom(key), 0, key);
    this.#notes.set(key, note);
    this.#nextEnd = Math.min(this.#nextEnd, note.expiresAt ?? Infinity);
  }

  /** @returns whether there was one */
  delete(key: string): boolean {
    if (!this.#notes.delete(key)) return false;
    this.#keys.splice(this.#firstFrom(key), 1);
    return true;
  }

  /** Deletes the notes that have expired. */
  forget(now: number): void {
    if (now < this.#nextEnd) return;
    this.#nextEnd = Infinity;
    for (const note of [...this.#notes.values()]) {
      if (!isNoteKept(note, now)) this.delete(note.key);
      else if (note.probeMs === undefined)
        this.#nextEnd = Math.min(this.#nextEnd, note.expiresAt ?? Infinity);
    }
  }

  /** Returns the notes of a page, and one more if there are more. */
  page({ prefix, limit, after }: NotesQuery, now: number): readonly Note[] {
    const found: Note[] = [];
    const from = after === undefined || compareUtf8(after, prefix) < 0 ? prefix : after;
    for (let at = this.#firstFrom(from); at < this.#keys.length && found.length <= limit; at += 1) {
      const key = this.#keys[at] ?? '';
      if (!key.startsWith(prefix)) break;
      const note = this.#notes.get(key);
      if (key !== after && note !== undefined && isNoteKept(note, now)) found.push(note);
    }
    return found;
  }

  /** Returns where the first key is that is not before this one. */
  #firstFrom(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareUtf8(this.#keys[middle] ?? '', key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
