import { Buffer } from 'node:buffer';
import type { HeartbeatRequest } from '@retry/core/broker';

/** How many leases one piece of memory holds. */
const CHUNK_LEASES = 64;

/** Bytes for the ids of a chunk, at least: those that queues make, and some more. */
const LEAST_TEXT_BYTES = 3_072;

/** Ends each id of a chunk; no id has this character. */
const END = '\0';
const END_CODE = END.charCodeAt(0);

/** Where the parts of a chunk begin, in bytes: how many bytes of ids follow, epochs, which leases are held, ids. */
const EPOCHS_AT = 8;
const HELD_AT = EPOCHS_AT + CHUNK_LEASES * Float64Array.BYTES_PER_ELEMENT;
const TEXT_AT = HELD_AT + CHUNK_LEASES;

/** A piece of memory for leases, which two threads share. */
export interface LeaseChunk {
  readonly memory: SharedArrayBuffer;
}

/** What holds a lease. */
export interface LeaseHolder {
  readonly run: HeartbeatRequest;
  /** Where its lease is written; absent while it is not. */
  leaseChunk: WrittenChunk | undefined;
  /** Which lease of the chunk that is. */
  leaseIndex: number;
}

/**
 * The leases of a worker, in memory that another thread can read while the event loop is blocked. A message for each claim would cost
 * a third of the throughput of short runs. The ids of a claim are written as one text, which takes a third of the time of one after
 * another; a lease is removed by one byte.
 */
export class LeaseTable {
  readonly #onChunk: (chunk: LeaseChunk) => void;
  readonly #chunks: LeaseChunk[] = [];
  /** Chunks without leases. */
  readonly #free: WrittenChunk[] = [];
  /** The chunk that the next leases are added to. */
  #open: WrittenChunk | undefined;

  /** @param onChunk - called with each further piece of memory, before a lease is written to it */
  constructor(onChunk: (chunk: LeaseChunk) => void) {
    this.#onChunk = onChunk;
  }

  /** The memory; it only grows. */
  get chunks(): readonly LeaseChunk[] {
    return this.#chunks;
  }

  /** Writes the leases of these, none of which is written yet. */
  add(holders: readonly LeaseHolder[]): void {
    for (let from = 0; from < holders.length; ) {
      const most = this.#open?.left || CHUNK_LEASES;
      const part = from === 0 && holders.length <= most ? holders : holders.slice(from, from + most);
      const text = part.map(idOf).join(END);
      this.#chunkFor(Buffer.byteLength(text) + END.length).add(part, text);
      from += part.length;
    }
  }

  /** Removes the lease of one, if it is written. */
  remove(holder: LeaseHolder): void {
    const chunk = holder.leaseChunk;
    if (chunk === undefined) return;
    holder.leaseChunk = undefined;
    chunk.remove(holder.leaseIndex);
    if (chunk.leases === 0 && chunk !== this.#open) this.#free.push(chunk);
  }

  /** Returns the open chunk, or opens another one, if ids of that many bytes do not fit into it. */
  #chunkFor(bytes: number): WrittenChunk {
    const open = this.#open;
    if (open !== undefined && open.left > 0 && open.bytesLeft >= bytes) return open;
    if (open?.leases === 0) this.#free.push(open);
    const index = this.#free.findIndex(({ bytesLeft }) => bytesLeft >= bytes);
    const [chunk = this.#grow(bytes)] = index === -1 ? [] : this.#free.splice(index, 1);
    this.#open = chunk;
    return chunk;
  }

  #grow(bytes: number): WrittenChunk {
    const chunk = { memory: new SharedArrayBuffer(TEXT_AT + Math.max(bytes, LEAST_TEXT_BYTES)) };
    this.#chunks.push(chunk);
    this.#onChunk(chunk);
    return new WrittenChunk(chunk);
  }
}

/** A chunk, as its writer sees it. Leases are added one behind another until it is full; it begins anew when none is left. */
class WrittenChunk {
  /** How many leases it has, and for how many more it has room. */
  leases = 0;
  left: number = CHUNK_LEASES;
  readonly #textBytes: Int32Array;
  readonly #epochs: Float64Array;
  readonly #held: Uint8Array;
  readonly #text: Buffer;
  #bytes = 0;

  constructor({ memory }: LeaseChunk) {
    const { textBytes, epochs, held } = viewsOf(memory);
    this.#textBytes = textBytes;
    this.#epochs = epochs;
    this.#held = held;
    this.#text = Buffer.from(memory, TEXT_AT);
  }

  /** Bytes of ids that it has room for. */
  get bytesLeft(): number {
    return this.#text.length - this.#bytes;
  }

  /** Writes leases for which it has room. @param text - their ids, with an end between them */
  add(holders: readonly LeaseHolder[], text: string): void {
    for (const holder of holders) {
      const index = CHUNK_LEASES - this.left;
      this.#epochs[index] = holder.run.epoch;
      this.#held[index] = 1;
      holder.leaseChunk = this;
      holder.leaseIndex = index;
      this.left -= 1;
    }
    this.leases += holders.length;
    this.#bytes += this.#text.write(text, this.#bytes);
    this.#text[this.#bytes] = END_CODE;
    this.#bytes += END.length;
    this.#publish();
  }

  /** Removes a lease. */
  remove(index: number): void {
    this.#held[index] = 0;
    this.leases -= 1;
    if (this.leases > 0) return;
    this.left = CHUNK_LEASES;
    this.#bytes = 0;
    this.#publish();
  }

  /** Lets the other thread read what was written before. */
  #publish(): void {
    Atomics.store(this.#textBytes, 0, this.#bytes);
  }
}

/**
 * Returns the leases that are written. It may be read in any thread, at any time: while the other one writes, a lease may have the id of
 * one and the epoch of another, whose heartbeat is answered `gone` or `fenced`, and changes nothing.
 */
export function readLeases(chunks: readonly LeaseChunk[]): readonly HeartbeatRequest[] {
  return chunks.flatMap(({ memory }) => {
    const { textBytes, epochs, held } = viewsOf(memory);
    const text = Buffer.from(memory, TEXT_AT, Atomics.load(textBytes, 0)).toString();
    const ids = text.split(END).slice(0, -1);
    return ids.flatMap((id, index) =>
      Atomics.load(held, index) === 0 ? [] : [{ id, epoch: epochs[index] ?? 0 }],
    );
  });
}

function idOf({ run }: LeaseHolder): string {
  return run.id;
}

function viewsOf(memory: SharedArrayBuffer) {
  return {
    textBytes: new Int32Array(memory, 0, 1),
    epochs: new Float64Array(memory, EPOCHS_AT, CHUNK_LEASES),
    held: new Uint8Array(memory, HELD_AT, CHUNK_LEASES),
  };
}
