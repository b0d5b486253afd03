import { nextTurn } from '../engine/answer-turns.ts';
import type { WorkerSettings } from '../options.ts';

/**
 * How long clients take to connect to a server that is back, at most, in ms: `redis` and `ioredis` pause for 2.2 s between two tries,
 * and a worker sends its heartbeats again every second.
 */
const RECONNECT_MS = 2_500;

/** An answer that takes longer than this part of the time between two heartbeats is late. */
const LATE_PART = 0.5;

/** When the server's clock was asked for, what it said, and when that arrived. */
interface Reading {
  readonly sentAt: number;
  readonly serverAt: number;
  readonly receivedAt: number;
}

type WatchSettings = Pick<WorkerSettings, 'broker' | 'clock' | 'heartbeatMs'>;

/**
 * Knows since when the server has answered without interruption. After an outage that was longer than a lease, every lease has expired
 * though no worker has died. So whatever concludes from silence that a worker is dead first gives the living ones the time to renew:
 * an interval of theirs and a reconnect, during which the server has answered.
 *
 * An interruption is
 *
 * 1. a call that failed, or that was not answered in time while this event loop turned;
 * 2. a jump of the server's clock, which leases end by;
 * 3. a time in which this worker asked nothing, because its event loop was blocked or its process suspended: the server may have been,
 *    too. Until the living workers have had their time since the first of them, further ones change nothing, so that a worker that
 *    blocks its loop again and again still cleans.
 *
 * A worker that starts does not know what was before: for it, the server has answered since its first answer.
 */
export class ServerWatch {
  readonly #settings: WatchSettings;
  /** By the worker's clock, as all instants here but `serverAt`. */
  #answersSince = Infinity;
  #latest: Reading | undefined;

  constructor(settings: WatchSettings) {
    this.#settings = settings;
  }

  /** Asks for the server's clock, which shows that it answers. Rejects as the broker does. */
  async ask(): Promise<void> {
    const { broker, clock, heartbeatMs } = this.#settings;
    const sentAt = clock.now();
    let isAnswered = false;
    const cancel = clock.setTimer(async () => {
      await nextTurn(); // an answer that has arrived meanwhile is read in this turn
      if (!isAnswered) this.noteFailure();
    }, LATE_PART * heartbeatMs);
    try {
      const { now: serverAt } = await broker.settleAndClaim({});
      isAnswered = true;
      this.#note({ sentAt, serverAt, receivedAt: clock.now() });
    } catch (error) {
      this.noteFailure();
      throw error;
    } finally {
      cancel();
    }
  }

  /** Notes that the server has answered the first call of a worker that starts. */
  begin(): void {
    this.#answersSince = Math.min(this.#answersSince, this.#settings.clock.now());
  }

  /** Notes that a call was not answered. */
  noteFailure(): void {
    this.#answersSince = Infinity;
    this.#latest = undefined;
  }

  /**
   * How long after this instant the living workers will have had the time for what each of them does every so often.
   *
   * @param everyMs - how often they do it
   * @returns milliseconds; ≤ 0 when they have had it, `Infinity` while the server does not answer
   */
  untilAllHad(everyMs: number, at: number): number {
    return this.#answersSince + everyMs + RECONNECT_MS - at;
  }

  #note(reading: Reading): void {
    const latest = this.#latest;
    this.#latest = reading;
    if (latest === undefined) this.#answersSince = Math.min(this.#answersSince, reading.receivedAt);
    else if (this.#isJump(latest, reading) || this.#isFirstGap(latest, reading))
      this.#answersSince = reading.receivedAt;
  }

  /** Whether the server's clock has jumped since: its offset lies between two bounds for each reading, which are apart. */
  #isJump(before: Reading, { sentAt, serverAt, receivedAt }: Reading): boolean {
    const toleranceMs = this.#settings.heartbeatMs;
    const isForward = serverAt - receivedAt > before.serverAt - before.sentAt + toleranceMs;
    return isForward || serverAt - sentAt < before.serverAt - before.receivedAt - toleranceMs;
  }

  #isFirstGap(before: Reading, { receivedAt }: Reading): boolean {
    const { heartbeatMs } = this.#settings;
    const isGap = receivedAt - before.receivedAt > (1 + LATE_PART) * heartbeatMs;
    return isGap && this.untilAllHad(heartbeatMs, before.receivedAt) <= 0;
  }
}
