import type { Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';
import type {
  Beat,
  Claim,
  ExchangeReply,
  ExchangeRequest,
  SettleAnswer,
  Settlement,
} from '@retry/core/broker';
import { sleep } from '../sleep.ts';
import type { WorkerSettings } from './options.ts';

/** Settlements that travel at most in one exchange. */
const MOST_SETTLEMENTS = 500;

/** How to go on when the broker fails: a settlement must arrive, and its lease is running. */
const BROKER_RETRY: Policy = definePolicy({ backoff: { type: 'exponential', base: '50ms' }, maxDelay: '5s' });

/** How often an exchange was sent: the answer to one sent again may be about an earlier sending. */
type Times = 'once' | 'again';

type Listener = (answer: SettleAnswer, sent: Times) => void;

/**
 * Carries settlements and claims to the broker. An exchange that fails is sent again as it was: the broker answers `already` to what it wrote, and the same claim gets the same runs.
 */
export class Exchanger {
  readonly #settings: WorkerSettings;
  readonly #onError: (error: unknown) => void;
  #pending: { readonly settlement: Settlement; readonly onAnswer: Listener }[] = [];
  /** Those that are queued or on their way. */
  readonly #settling = new Set<Settlement>();
  readonly #givingUp = new AbortController();
  #clockOffsetMs = 0;

  constructor(settings: WorkerSettings, onError: (error: unknown) => void) {
    this.#settings = settings;
    this.#onError = onError;
  }

  /** The broker's clock, as near as the last reply told. */
  now(): number {
    return this.#settings.clock.now() + this.#clockOffsetMs;
  }

  /** How many settlements wait for an exchange. */
  get pending(): number {
    return this.#pending.length;
  }

  /** Whether every settlement has been answered. */
  get isDone(): boolean {
    return this.#settling.size === 0;
  }

  /** Whether the claim's settlement is queued or on its way. */
  isSettling(claim: Beat): boolean {
    for (const { id, epoch } of this.#settling) if (id === claim.id && epoch === claim.epoch) return true;
    return false;
  }

  /** Queues a settlement for the next exchange. */
  push(settlement: Settlement, onAnswer: Listener): void {
    this.#settling.add(settlement);
    this.#pending.push({ settlement, onAnswer });
  }

  /** Ends the resending of an exchange that fails. */
  giveUp(): void {
    this.#givingUp.abort();
  }

  /** One exchange of what is queued and the claim; `undefined` when it failed and there is no more time. */
  async exchange(claim: Claim | undefined): Promise<ExchangeReply | undefined> {
    const sent = this.#pending.slice(0, MOST_SETTLEMENTS);
    this.#pending = this.#pending.slice(MOST_SETTLEMENTS);
    const settle = sent.map(({ settlement }) => settlement);
    const answer = await this.#send({ settle, ...(claim !== undefined && { claim }) });
    for (const settlement of settle) this.#settling.delete(settlement);
    if (answer === undefined) return undefined;

    const { reply, times } = answer;
    this.#clockOffsetMs = reply.now - this.#settings.clock.now();
    for (const [index, { onAnswer }] of sent.entries()) onAnswer(reply.settled[index] ?? 'gone', times);
    return reply;
  }

  async #send(
    request: ExchangeRequest,
  ): Promise<{ readonly reply: ExchangeReply; readonly times: Times } | undefined> {
    const { broker, clock, random } = this.#settings;
    for (let retry = 1; ; retry += 1) {
      try {
        return { reply: await broker.exchange(request), times: retry === 1 ? 'once' : 'again' };
      } catch (error) {
        this.#onError(error);
        if (this.#givingUp.signal.aborted) return undefined;
        const delayMs = computeDelay(BROKER_RETRY, retry, { random });
        await sleep(clock, delayMs, this.#givingUp.signal);
      }
    }
  }
}
