import type { HeartbeatRequest } from '@retry/core/broker';

/** Before the id of a slot: its length in bytes as an int32, 0 while the slot is free, and the epoch as a float64. */
const HEAD = { length: 0, epoch: 8, bytes: 16 } as const;

/** Bytes of the longest id that a queue accepts. */
const ID_BYTES = 512;

/** How many leases one piece of memory holds, unless ids are longer than that. */
const CHUNK_SLOTS = 64;

/** A piece of memory with slots for leases, which two threads share. */
export interface LeaseChunk {
  readonly memory: SharedArrayBuffer;
  readonly slotBytes: number;
}

interface Slot {
  readonly text: Buffer;
  readonly epoch: Float64Array;
  readonly length: Int32Array;
}

/**
 * The leases of a worker, in memory that another thread can read while the event loop is blocked. A message for each claim would cost
 * a third of the throughput of short runs; this costs a copy of the id.
 */
export class LeaseTable {
  readonly #onChunk: (chunk: LeaseChunk) => void;
  readonly #chunks: LeaseChunk[] = [];
  readonly #free: Slot[] = [];
  readonly #taken = new Map<object, Slot>();

  /** @param onChunk - called with each further piece of memory, before a lease is written to it */
  constructor(onChunk: (chunk: LeaseChunk) => void) {
    this.#onChunk = onChunk;
  }

  /** The memory; it only grows. */
  get chunks(): readonly LeaseChunk[] {
    return this.#chunks;
  }

  /** Writes a lease. @param holder - by which it is removed */
  add(holder: object, { id, epoch }: HeartbeatRequest): void {
    const slot = this.#take(id);
    slot.epoch[0] = epoch;
    Atomics.store(slot.length, 0, slot.text.write(id));
    this.#taken.set(holder, slot);
  }

  /** Removes a lease; nothing if its holder has none. */
  remove(holder: object): void {
    const slot = this.#taken.get(holder);
    if (slot === undefined) return;
    this.#taken.delete(holder);
    Atomics.store(slot.length, 0, 0);
    this.#free.push(slot);
  }

  #take(id: string): Slot {
    const slot = this.#free.pop();
    if (slot !== undefined && fits(id, slot)) return slot;
    if (slot !== undefined) this.#free.unshift(slot);
    this.#grow(id.length <= ID_BYTES / 3 ? ID_BYTES : Math.max(Buffer.byteLength(id), ID_BYTES));
    return this.#free.pop() as Slot; // as it has grown
  }

  #grow(idBytes: number): void {
    const slots = idBytes > ID_BYTES ? 1 : CHUNK_SLOTS;
    const slotBytes = HEAD.bytes + Math.ceil(idBytes / 8) * 8;
    const chunk = { memory: new SharedArrayBuffer(slots * slotBytes), slotBytes };
    this.#chunks.push(chunk);
    this.#free.push(...slotsOf(chunk));
    this.#onChunk(chunk);
  }
}

/**
 * Returns the leases that are written. It may be read in any thread, at any time: while the other one writes, a lease may have the id of
 * one and the epoch of another, whose heartbeat is answered `gone` or `fenced`, and changes nothing.
 */
export function readLeases(chunks: readonly LeaseChunk[]): readonly HeartbeatRequest[] {
  return chunks.flatMap(slotsOf).flatMap(({ text, epoch: [epoch = 0], length }) => {
    const bytes = Atomics.load(length, 0);
    return bytes === 0 ? [] : [{ id: text.toString('utf8', 0, bytes), epoch }];
  });
}

function slotsOf({ memory, slotBytes }: LeaseChunk): readonly Slot[] {
  return Array.from({ length: memory.byteLength / slotBytes }, (_, index) => {
    const at = index * slotBytes;
    return {
      text: Buffer.from(memory, at + HEAD.bytes, slotBytes - HEAD.bytes),
      epoch: new Float64Array(memory, at + HEAD.epoch, 1),
      length: new Int32Array(memory, at + HEAD.length, 1),
    };
  });
}

/** A character of a string is at most three bytes, so that most ids need not be measured. */
function fits(id: string, { text }: Slot): boolean {
  return id.length * 3 <= text.length || Buffer.byteLength(id) <= text.length;
}
