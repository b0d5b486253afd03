import { randomBytes } from 'node:crypto';
import { computeDelay, isRetryError } from '@retry/core';
import type { Claim, ClaimedRun, ExchangeReply, Settlement } from '@retry/core/broker';
import { MAX_BATCH_BYTES, settlementBytes, TrustedExchange } from '@retry/core/broker/kit';
import { BROKER_RETRY, isRefused } from '../broker.ts';
import { wrongReply } from '../errors.ts';
import { halves } from '../halves.ts';
import { sleep } from '../sleep.ts';
import { MAX_PER_EXCHANGE } from './plan/plan.ts';
import type { Received } from './plan/worker-state.ts';
import type { QueuedSettlement, Sending } from './queued-settlement.ts';
import { settleAlone } from './queued-settlement.ts';
import type { WorkerContext } from './worker-context.ts';

/** What one exchange carries. */
interface ExchangeBatch {
  readonly settlements: readonly QueuedSettlement[];
  readonly claim: Claim | undefined;
}

type Unanswered = { readonly type: 'refused'; readonly error: unknown } | { readonly type: 'given-up' };
type Sent =
  | { readonly type: 'answered'; readonly reply: ExchangeReply; readonly times: Sending }
  | Unanswered;

/**
 * Sends settlements and claims to the broker.
 *
 * 1. An exchange that fails is sent again unchanged: the broker answers `already` to what it has written, and returns the
 *    same runs to the same claim.
 * 2. One that is refused for good is divided until the settlement or lane that causes it is alone; the others arrive.
 * 3. A settlement that is refused alone is replaced by a dead letter; a refused lane is paused.
 */
export class Exchanger {
  readonly #worker: WorkerContext;
  #pending: QueuedSettlement[] = [];
  /** Settlements of exchanges that are under way; a list, for the reason of `Roster`. */
  #sent: readonly (readonly QueuedSettlement[])[] = [];
  readonly #lone = new Set<QueuedSettlement>();
  readonly #givingUp = new AbortController();

  constructor(worker: WorkerContext) {
    this.#worker = worker;
  }

  /** The settlements that are queued or under way. */
  settling(): readonly Settlement[] {
    return [...this.#sent, this.#pending, ...this.#lone].flat().map(({ settlement }) => settlement);
  }

  /** Queues a settlement for the next exchange. */
  push(settlement: QueuedSettlement): void {
    this.#pending.push(settlement);
    this.#worker.state.queued += 1;
  }

  /** Sends one alone, whose run may be locked by the transaction of its handler. */
  pushAlone(settlement: QueuedSettlement): void {
    const { state } = this.#worker;
    state.unanswered += 1;
    this.#lone.add(settlement);
    void settleAlone(settlement, this.#worker, this.#givingUp.signal).then((answer) => {
      if (answer === 'others') this.push(settlement);
      this.#lone.delete(settlement);
      state.unanswered -= 1;
      this.#worker.wake();
    });
  }

  /** Stops resending every exchange that fails. */
  giveUp(): void {
    this.#givingUp.abort();
  }

  /** Sends queued settlements and the claim in one exchange; resolves with `undefined` when the claim was not answered. */
  async exchange(claim: Claim | undefined): Promise<Received | undefined> {
    const settlements = this.#takeBatch();
    const { length } = settlements;
    const { state } = this.#worker;
    state.queued -= length;
    state.unanswered += length;
    if (length > 0) this.#sent = [...this.#sent, settlements];
    const batch = { settlements, claim };
    const sent = await this.#send(batch, 'once');
    // Not by a function for both: each promise more costs every exchange.
    const received =
      sent.type === 'answered' ? this.#receive(batch, sent) : await this.#recover(batch, sent, 'once');
    if (length > 0) this.#sent = this.#sent.filter((sent) => sent !== settlements);
    state.unanswered -= length;
    return received;
  }

  #takeBatch(): readonly QueuedSettlement[] {
    let bytes = 0;
    let count = 0;
    let released = 0;
    for (const { settlement } of this.#pending) {
      bytes += settlementBytes(settlement);
      if (count > 0 && (count === MAX_PER_EXCHANGE || bytes > MAX_BATCH_BYTES)) break;
      count += 1;
      if (settlement.event === 'release') released += 1;
    }
    const batch = count === this.#pending.length ? this.#pending : this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    return released > 1 ? inOrderOfClaims(batch) : batch;
  }

  /** Delivers what it can of an exchange that was not answered. */
  async #recover(batch: ExchangeBatch, sent: Unanswered, times: Sending): Promise<Received | undefined> {
    if (sent.type === 'given-up') return undefined;
    // Parts of a divided exchange are refused for the same cause, which is reported once.
    if (times === 'once') this.#worker.emitError(sent.error, 'settling and claiming');
    const parts = divide(batch);
    if (parts !== undefined) return this.#deliverParts(parts);
    // An error may look permanent and not be: a single settlement, too, has to be refused twice.
    return times === 'once' ? this.#deliverAgain(batch) : this.#refuse(batch, sent.error);
  }

  async #deliverAgain(batch: ExchangeBatch): Promise<Received | undefined> {
    const sent = await this.#send(batch, 'again');
    return sent.type === 'answered' ? this.#receive(batch, sent) : this.#recover(batch, sent, 'again');
  }

  async #deliverParts(parts: readonly ExchangeBatch[]): Promise<Received | undefined> {
    let received: Received | undefined;
    for (const { settlements, claim } of parts) {
      const limit = (claim?.limit ?? 0) - (received?.claimed.length ?? 0);
      if (claim !== undefined && limit <= 0) continue;
      const part = { settlements, claim: claim && { ...claim, limit } };
      received = join(received, await this.#deliverAgain(part));
    }
    return received;
  }

  /** Handles a single settlement, or the claim from a single lane, that the broker refuses for good. */
  async #refuse({ settlements, claim }: ExchangeBatch, error: unknown): Promise<undefined> {
    for (const lane of claim?.lanes.keys() ?? []) {
      this.#worker.state.pauses.pause(lane, this.#worker.settings.clock.now());
      this.#worker.emitError(error, `claiming from the lane ${lane}`);
    }
    for (const settlement of settlements) await this.#replace(settlement, error);
  }

  async #replace(refused: QueuedSettlement, refusal: unknown): Promise<void> {
    let error = refusal;
    for (const replacement of refused.replacements?.(refusal) ?? []) {
      const batch: ExchangeBatch = { settlements: [replacement], claim: undefined };
      const sent = await this.#send(batch, 'again');
      if (sent.type === 'given-up') return;
      if (sent.type === 'answered') return void this.#receive(batch, sent);
      error = sent.error;
    }
    const { id, epoch } = refused.settlement;
    this.#worker.emitError(error, `settling run ${id}, epoch ${epoch}: its lease is left to expire`);
    refused.onAnswer('refused', 'again');
  }

  #receive(
    { settlements, claim }: ExchangeBatch,
    { reply, times }: { readonly reply: ExchangeReply; readonly times: Sending },
  ): Received | undefined {
    settlements.forEach((settlement, index) => {
      settlement.onAnswer(reply.settled[index] ?? 'gone', times);
    });
    if (claim === undefined) return undefined;
    const lanes = [...claim.lanes.keys()];
    this.#worker.state.pauses.end(lanes);
    const { claimed, now, nextRunAt } = reply;
    // In one piece: a key behind a spread makes V8 before version 12 give each such object a shape of its own.
    return nextRunAt === undefined ? { claimed, now, lanes } : { claimed, now, lanes, nextRunAt };
  }

  async #send({ settlements, claim }: ExchangeBatch, times: Sending): Promise<Sent> {
    const { broker, clock, random } = this.#worker.settings;
    const settle = settlements.map(({ settlement }) => settlement);
    const request = new TrustedExchange(settle, claim);
    for (let retry = 1; ; retry += 1) {
      const sentAt = clock.now();
      try {
        const reply = await broker.exchange(request);
        checkReply(reply);
        this.#worker.hasAnswer = true;
        const reading = { sentAt, receivedAt: clock.now(), serverAt: reply.now };
        this.#worker.serverClock.note(reading);
        this.#worker.watch.noteReading(reading);
        return { type: 'answered', reply, times: retry === 1 ? times : 'again' };
      } catch (error) {
        if (isRefused(broker, error)) {
          this.#worker.hasAnswer = true;
          return { type: 'refused', error };
        }
        this.#worker.startError = { error };
        this.#worker.emitError(error, 'settling and claiming');
        // A closed broker never opens again, so a stopping worker does not wait for it.
        const { signal } = isRetryError(error, 'BROKER_CLOSED') ? this.#worker.stopping : this.#givingUp;
        if (signal.aborted) return { type: 'given-up' };
        await sleep(clock, computeDelay(BROKER_RETRY, retry, { random }), signal);
      }
    }
  }
}

/** A broker may not be one of ours. @throws {RetryError} `WRONG_REPLY` */
function checkReply(reply: unknown): void {
  const { settled, claimed, now } = Object(reply) as Partial<ExchangeReply>; // each value is checked
  const missing = [
    ...(Array.isArray(settled) ? [] : ['settled']),
    ...(Array.isArray(claimed) ? [] : ['claimed']),
    ...(Number.isFinite(now) ? [] : ['now']),
  ];
  if (missing.length > 0) throw wrongReply(missing);
}

function join(first: Received | undefined, second: Received | undefined): Received | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const claimed: readonly ClaimedRun[] = [...first.claimed, ...second.claimed];
  const nextRunAt = Math.min(first.nextRunAt ?? Infinity, second.nextRunAt ?? Infinity);
  const now = Math.max(first.now, second.now);
  return { claimed, now, nextRunAt, lanes: [...first.lanes, ...second.lanes] };
}

/**
 * Divides an exchange that was refused: first settlements from the claim, then either into halves. `undefined` when it is a
 * single settlement, or a claim from a single lane.
 */
function divide({ settlements, claim }: ExchangeBatch): readonly ExchangeBatch[] | undefined {
  if (settlements.length > 0 && claim !== undefined) {
    return [
      { settlements, claim: undefined },
      { settlements: [], claim: withLanes(claim, [...claim.lanes]) },
    ];
  }
  if (settlements.length > 1)
    return halves(settlements).map((half) => ({ settlements: half, claim: undefined }));
  if (claim === undefined || claim.lanes.size <= 1) return undefined;
  return halves([...claim.lanes]).map((lanes) => ({ settlements: [], claim: withLanes(claim, lanes) }));
}

/**
 * Moves runs that are given back behind the others, in the order in which they were claimed: so they return to the front of their
 * lane, where those of a later exchange come before them.
 */
function inOrderOfClaims(settlements: readonly QueuedSettlement[]): readonly QueuedSettlement[] {
  const isRelease = ({ settlement }: QueuedSettlement): boolean => settlement.event === 'release';
  const released = settlements.filter(isRelease).sort((one, other) => (one.order ?? 0) - (other.order ?? 0));
  return [...settlements.filter((settlement) => !isRelease(settlement)), ...released];
}

/** Has a new request id: the broker may have stored the refused claim under the old one. */
function withLanes(claim: Claim, lanes: readonly (readonly [string, number])[]): Claim {
  return { ...claim, requestId: newRequestId(), lanes: new Map(lanes) };
}

/** The ids of this process begin with it; 12 characters. */
const PROCESS = randomBytes(9).toString('base64url');

let count = 0;

/** Returns an id that no other claim has. A third as long as a UUID: brokers keep it with each claim, Postgres in an index, too. */
export function newRequestId(): string {
  count += 1;
  return `${PROCESS}${count.toString(36)}`;
}
