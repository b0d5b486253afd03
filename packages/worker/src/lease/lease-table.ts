import type { HeartbeatRequest } from '@retry/core/broker';

/** Before the id of a slot: its length as an int32, 0 while the slot is free, and the epoch as a float64. */
const HEAD_BYTES = 16;

/** UTF-16 units of the ids that queues make. A worker writes into hundreds of slots, so most of them are small and near each other. */
const SHORT_ID = 48;

/** UTF-16 units of the longest id that a queue accepts. */
const LONG_ID = 512;

/** How many leases one piece of memory holds, unless ids are longer than these. */
const CHUNK_SLOTS = 64;

/** A piece of memory with slots for leases, which two threads share. */
export interface LeaseChunk {
  readonly memory: SharedArrayBuffer;
  readonly slotBytes: number;
}

/** Where a lease is written: indices into its chunk, whose views all slots share. */
export interface LeaseSlot {
  readonly lengths: Int32Array;
  readonly lengthAt: number;
  readonly epochs: Float64Array;
  readonly epochAt: number;
  readonly units: Uint16Array;
  readonly unitsAt: number;
  readonly maxLength: number;
}

/**
 * The leases of a worker, in memory that another thread can read while the event loop is blocked. A message for each claim would cost
 * a third of the throughput of short runs; this costs a copy of the id.
 */
export class LeaseTable {
  readonly #onChunk: (chunk: LeaseChunk) => void;
  readonly #chunks: LeaseChunk[] = [];
  /** For ids of each length, and for longer ones. */
  readonly #free: readonly LeaseSlot[][] = [[], [], []];

  /** @param onChunk - called with each further piece of memory, before a lease is written to it */
  constructor(onChunk: (chunk: LeaseChunk) => void) {
    this.#onChunk = onChunk;
  }

  /** The memory; it only grows. */
  get chunks(): readonly LeaseChunk[] {
    return this.#chunks;
  }

  /** Writes a lease. @returns where it is, by which it is removed */
  add({ id, epoch }: HeartbeatRequest): LeaseSlot {
    const slot = this.#take(id);
    const { units, unitsAt } = slot;
    // A loop takes half of the time that a call into the runtime takes for the few characters of an id.
    for (let index = 0; index < id.length; index += 1) units[unitsAt + index] = id.charCodeAt(index);
    slot.epochs[slot.epochAt] = epoch;
    Atomics.store(slot.lengths, slot.lengthAt, id.length);
    return slot;
  }

  /** Removes the lease of a slot, which may have another one from then on. */
  remove(slot: LeaseSlot): void {
    Atomics.store(slot.lengths, slot.lengthAt, 0);
    this.#free[classOf(slot.maxLength)]?.push(slot);
  }

  #take(id: string): LeaseSlot {
    const lengths = classOf(id.length);
    const free = this.#free[lengths] ?? [];
    const slot = free.pop();
    if (slot !== undefined && id.length <= slot.maxLength) return slot;
    if (slot !== undefined) free.unshift(slot);
    free.push(...this.#grow([SHORT_ID, LONG_ID, id.length][lengths] ?? id.length));
    return free.pop() as LeaseSlot; // as it has grown
  }

  #grow(idLength: number): readonly LeaseSlot[] {
    const slots = idLength > LONG_ID ? 1 : CHUNK_SLOTS;
    const slotBytes = HEAD_BYTES + Math.ceil(idLength / 4) * 8;
    const chunk = { memory: new SharedArrayBuffer(slots * slotBytes), slotBytes };
    this.#chunks.push(chunk);
    this.#onChunk(chunk);
    return slotsOf(chunk);
  }
}

/** Which slots ids of a length are written into. */
function classOf(idLength: number): 0 | 1 | 2 {
  if (idLength <= SHORT_ID) return 0;
  return idLength <= LONG_ID ? 1 : 2;
}

/**
 * Returns the leases that are written. It may be read in any thread, at any time: while the other one writes, a lease may have the id of
 * one and the epoch of another, whose heartbeat is answered `gone` or `fenced`, and changes nothing.
 */
export function readLeases(chunks: readonly LeaseChunk[]): readonly HeartbeatRequest[] {
  return chunks.flatMap(slotsOf).flatMap(({ lengths, lengthAt, epochs, epochAt, units, unitsAt }) => {
    const length = Atomics.load(lengths, lengthAt);
    if (length === 0) return [];
    const id = String.fromCharCode(...units.subarray(unitsAt, unitsAt + length));
    return [{ id, epoch: epochs[epochAt] ?? 0 }];
  });
}

function slotsOf({ memory, slotBytes }: LeaseChunk): readonly LeaseSlot[] {
  const lengths = new Int32Array(memory);
  const epochs = new Float64Array(memory);
  const units = new Uint16Array(memory);
  return Array.from({ length: memory.byteLength / slotBytes }, (_, index) => {
    const at = index * slotBytes;
    // No spread: V8 before version 12 gives each such object a shape of its own, and writing a lease takes five times as long.
    return {
      lengths,
      lengthAt: at / lengths.BYTES_PER_ELEMENT,
      epochs,
      epochAt: (at + HEAD_BYTES / 2) / epochs.BYTES_PER_ELEMENT,
      units,
      unitsAt: (at + HEAD_BYTES) / units.BYTES_PER_ELEMENT,
      maxLength: (slotBytes - HEAD_BYTES) / units.BYTES_PER_ELEMENT,
    };
  });
}
