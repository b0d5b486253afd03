import type { Policy } from '@retry/core';
import { computeDelay, definePolicy, isRetryError } from '@retry/core';
import type { Beat, Claim, ClaimedRun, ExchangeReply, Settlement } from '@retry/core/broker';
import { MAX_BATCH_BYTES, runBytes } from '@retry/core/broker';
import { sleep } from '../sleep.ts';
import type { Cargo, Parcel, Times } from './cargo.ts';
import { divide } from './cargo.ts';
import { isRefused } from './is-refused.ts';
import { LanePauses } from './lane-pauses.ts';
import type { WorkerSettings } from './options.ts';
import { ServerClock } from './server-clock.ts';
import type { Room } from './slots.ts';

/** Settlements that travel at most in one exchange. */
const MAX_SETTLEMENTS = 500;

/** How to go on when the broker fails: a settlement must arrive, and its lease is running. */
const BROKER_RETRY: Policy = definePolicy({
  backoff: { type: 'exponential', base: '50ms' },
  minDelay: '5ms', // never in a busy loop, whatever the dice say
  maxDelay: '5s',
});

/** What a claim got. */
export interface Received extends Pick<ExchangeReply, 'claimed' | 'now' | 'nextRunAt'> {
  /** The lanes that answered. */
  readonly lanes: readonly string[];
}

type Sent =
  | { readonly type: 'answered'; readonly reply: ExchangeReply; readonly times: Times }
  | { readonly type: 'refused'; readonly error: unknown }
  | { readonly type: 'given-up' };

/**
 * Carries settlements and claims to the broker. An exchange that fails is sent again as it was: the broker answers
 * `already` to what it wrote, and the same claim gets the same runs. One that is refused for good is divided until the
 * settlement or lane that is to blame stands alone; the others arrive.
 */
export class Exchanger {
  readonly #settings: WorkerSettings;
  readonly #onError: (error: unknown, doing: string) => void;
  readonly #clock: ServerClock;
  readonly #pauses: LanePauses;
  #pending: Parcel[] = [];
  /** Those that are queued or on their way. */
  readonly #settling = new Set<Parcel>();
  readonly #stopping = new AbortController();
  readonly #givingUp = new AbortController();

  constructor(settings: WorkerSettings, onError: (error: unknown, doing: string) => void) {
    this.#settings = settings;
    this.#onError = onError;
    this.#clock = new ServerClock(settings.clock);
    this.#pauses = new LanePauses(settings.clock, { policy: BROKER_RETRY, random: settings.random });
  }

  /** The broker's clock, as near as its replies say. */
  now(): number {
    return this.#clock.now();
  }

  /** How many settlements wait for an exchange. */
  get pending(): number {
    return this.#pending.length;
  }

  /** Whether every settlement has been answered. */
  get isDone(): boolean {
    return this.#settling.size === 0;
  }

  /** The claims whose settlements are queued or on their way. */
  settling(): readonly Beat[] {
    return [...this.#settling].map(({ settlement }) => settlement);
  }

  /** The room without the lanes whose claims the broker has just refused. */
  open(room: Room | undefined): Room | undefined {
    if (room === undefined) return undefined;
    const lanes = this.#pauses.open(room.lanes);
    return lanes.size === 0 ? undefined : { ...room, lanes };
  }

  /** Milliseconds until a refused lane is tried again; `Infinity` when there is none. */
  opensIn(): number {
    return this.#pauses.opensIn();
  }

  /** Queues a settlement for the next exchange. */
  push(parcel: Parcel): void {
    this.#settling.add(parcel);
    this.#pending.push(parcel);
  }

  /** Ends the resending of what cannot succeed any more, such as an exchange with a closed broker. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Ends the resending of an exchange that fails. */
  giveUp(): void {
    this.#stopping.abort();
    this.#givingUp.abort();
  }

  /** One exchange of what is queued and the claim; `undefined` when the claim got no answer. */
  async exchange(claim: Claim | undefined): Promise<Received | undefined> {
    const parcels = this.#takeBatch();
    const received = await this.#deliver({ parcels, claim }, 'once');
    for (const parcel of parcels) this.#settling.delete(parcel);
    return received;
  }

  #takeBatch(): readonly Parcel[] {
    let bytes = 0;
    let count = 0;
    for (const { settlement } of this.#pending) {
      bytes += settlementBytes(settlement);
      if (count > 0 && (count === MAX_SETTLEMENTS || bytes > MAX_BATCH_BYTES)) break;
      count += 1;
    }
    const batch = this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    return batch;
  }

  async #deliver(cargo: Cargo, times: Times): Promise<Received | undefined> {
    const sent = await this.#send(cargo, times);
    if (sent.type === 'answered') return this.#receive(cargo, sent);
    if (sent.type === 'given-up') return undefined;
    // What it is divided into is about the same trouble: it is reported once.
    if (times === 'once') this.#onError(sent.error, 'exchanging');
    const parts = divide(cargo);
    if (parts !== undefined) return this.#deliverParts(parts);
    // An error is not always what it seems: alone, too, it has to be refused twice.
    return times === 'once' ? this.#deliver(cargo, 'again') : this.#refuse(cargo, sent.error);
  }

  async #deliverParts(parts: readonly Cargo[]): Promise<Received | undefined> {
    let received: Received | undefined;
    for (const { parcels, claim } of parts) {
      const limit = (claim?.limit ?? 0) - (received?.claimed.length ?? 0);
      if (claim !== undefined && limit <= 0) continue;
      const part = { parcels, claim: claim && { ...claim, limit } };
      received = join(received, await this.#deliver(part, 'again'));
    }
    return received;
  }

  /** One settlement, or the claim of one lane, that the broker refuses for good. */
  async #refuse({ parcels, claim }: Cargo, error: unknown): Promise<undefined> {
    for (const lane of claim?.lanes.keys() ?? []) {
      this.#pauses.pause(lane);
      this.#onError(error, `claiming from the lane ${lane}`);
    }
    for (const parcel of parcels) await this.#replace(parcel, error);
  }

  async #replace(parcel: Parcel, refusal: unknown): Promise<void> {
    let error = refusal;
    for (const other of parcel.instead?.(refusal) ?? []) {
      const cargo: Cargo = { parcels: [other], claim: undefined };
      const sent = await this.#send(cargo, 'again');
      if (sent.type === 'given-up') return;
      if (sent.type === 'answered') return void this.#receive(cargo, sent);
      error = sent.error;
    }
    const { id, epoch } = parcel.settlement;
    this.#onError(error, `settling run ${id}, epoch ${epoch}: its lease is left to run out`);
    parcel.onAnswer('refused', 'again');
  }

  #receive(
    { parcels, claim }: Cargo,
    { reply, times }: { readonly reply: ExchangeReply; readonly times: Times },
  ): Received | undefined {
    for (const [index, parcel] of parcels.entries()) {
      this.#settling.delete(parcel);
      parcel.onAnswer(reply.settled[index] ?? 'gone', times);
    }
    if (claim === undefined) return undefined;
    const lanes = [...claim.lanes.keys()];
    this.#pauses.end(lanes);
    return { ...reply, lanes };
  }

  async #send({ parcels, claim }: Cargo, times: Times): Promise<Sent> {
    const { broker, clock, random } = this.#settings;
    const settle = parcels.map(({ settlement }) => settlement);
    const request = { settle, ...(claim !== undefined && { claim }) };
    for (let retry = 1; ; retry += 1) {
      const sentAt = clock.now();
      try {
        const reply = await broker.settleAndClaim(request);
        this.#clock.note({ sentAt, receivedAt: clock.now(), serverAt: reply.now });
        return { type: 'answered', reply, times: retry === 1 ? times : 'again' };
      } catch (error) {
        if (isRefused(broker, error)) return { type: 'refused', error };
        this.#onError(error, 'exchanging');
        // A closed broker never opens again: a worker that stops waits for nothing from it.
        const { signal } = isRetryError(error, 'BROKER_CLOSED') ? this.#stopping : this.#givingUp;
        if (signal.aborted) return { type: 'given-up' };
        await sleep(clock, computeDelay(BROKER_RETRY, retry, { random }), signal);
      }
    }
  }
}

/** About what a settlement takes on its way: the payload stays where it is. */
function settlementBytes({ next }: Settlement): number {
  return runBytes(next) - next.payload.length;
}

function join(first: Received | undefined, second: Received | undefined): Received | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const claimed: readonly ClaimedRun[] = [...first.claimed, ...second.claimed];
  const nextRunAt = Math.min(first.nextRunAt ?? Infinity, second.nextRunAt ?? Infinity);
  const now = Math.max(first.now, second.now);
  return { claimed, now, nextRunAt, lanes: [...first.lanes, ...second.lanes] };
}
