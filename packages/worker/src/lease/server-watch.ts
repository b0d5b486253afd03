import type { ClockReading } from '../engine/server-clock.ts';
import { nextTurn } from '../engine/turns.ts';
import type { WorkerSettings } from '../options.ts';

/**
 * How long clients take to connect to a server that is back, at most, in ms: `redis` and `ioredis` pause for 2.2 s between two tries,
 * and a worker sends its heartbeats again every second.
 */
const RECONNECT_MS = 2_500;

/** An answer that takes longer than this part of the time between two heartbeats is late. */
const LATE_PART = 0.5;

/** How much later than the time between two heartbeats the next one may come, as a part of it: timers are late. */
const TIMER_PART = 0.1;

type WatchSettings = Pick<WorkerSettings, 'broker' | 'clock' | 'heartbeatMs' | 'cleanerMs'>;

/**
 * Knows since when the server has answered without interruption. After an outage that was longer than a lease, every lease has expired
 * though no worker has died. So whatever concludes from silence that a worker is dead first gives the living ones the time to renew:
 * an interval of theirs and a reconnect, during which the server has answered.
 *
 * An interruption is
 *
 * 1. a call that failed, or that was not answered in time while this event loop turned;
 * 2. a jump of the server's clock, which leases end by;
 * 3. a time without any answer that is so long that leases may have expired in it: this worker's event loop was blocked or its process
 *    suspended, and the server may have been, too. Until the living workers have had their time since the first of them, further ones
 *    change nothing, so that a worker that blocks its loop again and again still cleans.
 *
 * Answers to whatever the worker calls show that the server answers. It asks for its clock only when there are too few of them, so that an
 * idle worker costs the server nothing more.
 *
 * A worker that starts does not know what was before: for it, the server has answered since its first answer.
 */
export class ServerWatch {
  readonly #settings: WatchSettings;
  /** Since when the server has answered, by the worker's clock, as all instants here but `serverAt`. */
  #answersSince = Infinity;
  /** Whether that is since a time without any answer, and not since another interruption. */
  #isSinceSilence = false;
  #latest: ClockReading | undefined;
  /** When the latest answer arrived. */
  #answeredAt = Infinity;
  /**
   * How long there may be no answer. A lease lasts for three heartbeats and may be one old, so within less than two, and the time to
   * reconnect, none of a living worker expires. For short leases it is what a worker that asks with each heartbeat can keep.
   */
  readonly #maxSilenceMs: number;
  /** Until the broker has answered, however late. */
  #asking: Promise<boolean> | undefined;
  readonly #cancelTimers = new Set<() => void>();

  constructor(settings: WatchSettings) {
    const { heartbeatMs } = settings;
    this.#settings = settings;
    this.#maxSilenceMs = Math.max(2 * heartbeatMs - RECONNECT_MS, (1 + LATE_PART) * heartbeatMs);
  }

  /** Whether the server has to be asked now, as too little else would show before the next heartbeat that it answers. */
  get isAnswerNeeded(): boolean {
    const { clock, heartbeatMs, cleanerMs } = this.#settings;
    if (this.#latest === undefined) return true;
    const now = clock.now();
    const isAnsweredOften = cleanerMs < this.#maxSilenceMs && this.untilAllHad(heartbeatMs, now) <= 0;
    return (
      now - this.#answeredAt > this.#maxSilenceMs - (isAnsweredOften ? 0 : (1 + TIMER_PART) * heartbeatMs)
    );
  }

  /**
   * Asks for the server's clock, which shows that it answers. Does not wait for a late answer, as leases have to be renewed meanwhile:
   * they may have a connection of their own, while this call waits for one of a pool that handlers have taken. There is one such call
   * at a time. Rejects as the broker does.
   *
   * @returns whether it was answered in time
   */
  ask(): Promise<boolean> {
    this.#asking ??= this.#ask();
    return this.#asking;
  }

  /** Notes it if a call is not answered in time: a client may keep it until the server is back, and then answer as if nothing had been. */
  async time<Answer>(call: Promise<Answer>): Promise<Answer> {
    const cancel = this.#onLate(() => {});
    try {
      return await call;
    } finally {
      cancel();
    }
  }

  /** Leaves no timer behind. */
  close(): void {
    for (const cancel of this.#cancelTimers) cancel();
  }

  #ask(): Promise<boolean> {
    let cancel = (): void => {};
    const late = new Promise<boolean>((resolve) => {
      cancel = this.#onLate(() => resolve(false));
    });
    const answered = this.#read().finally(() => {
      this.#asking = undefined;
      cancel();
    });
    return Promise.race([answered, late]);
  }

  /** Calls back, and notes an interruption, unless the call that is being sent is answered in time. @returns what to call then */
  #onLate(callBack: () => void): () => void {
    const { clock, heartbeatMs } = this.#settings;
    let isAnswered = false;
    const cancelTimer = clock.setTimer(async () => {
      await nextTurn(); // an answer that has arrived meanwhile is read in this turn
      if (isAnswered) return;
      this.noteFailure();
      callBack();
    }, LATE_PART * heartbeatMs);
    const cancel = (): void => {
      isAnswered = true;
      cancelTimer();
      this.#cancelTimers.delete(cancel);
    };
    this.#cancelTimers.add(cancel);
    return cancel;
  }

  async #read(): Promise<true> {
    const { broker, clock } = this.#settings;
    const sentAt = clock.now();
    try {
      const { now: serverAt } = await broker.exchange({});
      this.noteReading({ sentAt, serverAt, receivedAt: clock.now() });
      return true;
    } catch (error) {
      this.noteFailure();
      throw error;
    }
  }

  /** Notes that the server has answered the first call of a worker that starts. */
  begin(): void {
    this.#answersSince = Math.min(this.#answersSince, this.#settings.clock.now());
  }

  /** Notes that a call was not answered. */
  noteFailure(): void {
    this.#answersSince = Infinity;
    this.#isSinceSilence = false;
    this.#latest = undefined;
    this.#answeredAt = Infinity;
  }

  /** Notes that a call has just been answered with the time of the server's clock. */
  noteReading(reading: ClockReading): void {
    const { sentAt, receivedAt } = reading;
    const latest = this.#latest;
    // A slow answer says too little about the clock.
    if (latest === undefined || receivedAt - sentAt <= LATE_PART * this.#settings.heartbeatMs)
      this.#latest = reading;
    if (latest === undefined) this.#answersSince = Math.min(this.#answersSince, receivedAt);
    else if (this.#isJump(latest, reading)) {
      this.#answersSince = receivedAt;
      this.#isSinceSilence = false;
    }
    this.noteAnswer(receivedAt);
  }

  /** Notes that a call has just been answered. After an interruption only a reading ends it: clocks are compared with that one. */
  noteAnswer(now: number = this.#settings.clock.now()): void {
    if (this.#latest === undefined) return;
    if (now - this.#answeredAt > this.#maxSilenceMs && !this.#isTimeAfterSilence) {
      this.#answersSince = now;
      this.#isSinceSilence = true;
    }
    this.#answeredAt = now;
  }

  /** Whether the living workers still had their time since the first of several silences when the latest answer arrived. */
  get #isTimeAfterSilence(): boolean {
    return this.#isSinceSilence && this.untilAllHad(this.#settings.heartbeatMs, this.#answeredAt) > 0;
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

  /** Whether the server's clock has jumped since: its offset lies between two bounds for each reading, which are apart. */
  #isJump(before: ClockReading, { sentAt, serverAt, receivedAt }: ClockReading): boolean {
    const toleranceMs = this.#settings.heartbeatMs;
    const isForward = serverAt - receivedAt > before.serverAt - before.sentAt + toleranceMs;
    return isForward || serverAt - sentAt < before.serverAt - before.receivedAt - toleranceMs;
  }
}
