import type { Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';
import type { Note, NotesPage, Submission, SubmitAnswer } from '@retry/core/broker';
import { submissionBytes } from '@retry/core/broker/kit';
import { isRefused } from '../broker.ts';
import { WakeSignal } from '../engine/turns.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import { coalesce } from '../queue/coalesce.ts';
import { waitUntilReady } from '../session/broker-use.ts';
import { unlessAborted } from '../sleep.ts';
import type { KeptSchedule } from './record.ts';
import { DUE_PREFIX, dueAtOf, dueKey, movement, readSchedule } from './record.ts';
import { claimFires, dueAt, settleFires, submissionsOf, TAKE_OVER_MS } from './schedule.ts';
import { makeChanges } from './schedule-notes.ts';

/** How often a worker asks which schedule is due next, at least, in ms: another process may have made one. */
const POLL_MS = 60_000;

/** How many schedules a page has: when the last one had nothing due, and when all of it was due. */
const SHORT_PAGE = 16;
const LONG_PAGE = 150;

/** How long a worker waits that was not the first one to take schedules on, in ms, at least and at most. */
const CONTEST_MS = { least: 10, most: 50 } as const;

/** How long what was taken on may wait for its submission, in ms: after that, another worker may be submitting it. */
const SUBMIT_WITHIN_MS = TAKE_OVER_MS / 2;

/** When to ask a broker again that failed. */
const AFTER_ERROR: Policy = definePolicy({
  maxAttempts: Infinity,
  backoff: { type: 'exponential', base: '1s' },
  minDelay: '1s',
  maxDelay: POLL_MS,
});

/** The most notes that are remembered because they cannot be read. */
const MAX_UNREADABLE = 1_000;

type SchedulerSettings = Pick<WorkerSettings, 'broker' | 'clock' | 'random'>;

/**
 * Fires schedules, those of tasks that the worker does not know as well: it only submits. Any number of workers do so without a leader.
 *
 * 1. A worker reads the schedules that are due, by the broker's clock.
 * 2. It decides what they owe, and writes that if they are still as it read them. Of several workers one succeeds.
 * 3. It submits what is owed. The id of each run is made of the schedule's id and the instant, so that a second submission has no effect.
 * 4. It writes that nothing is owed any more.
 *
 * When it dies after 2, what it has taken on is due again within `TAKE_OVER_MS`, or when the schedule fires next, and the worker
 * that takes the schedule on then submits that as well.
 */
export class Scheduler {
  readonly #settings: SchedulerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #wakeSignal = new WakeSignal();
  readonly #submit: (submission: Submission) => Promise<SubmitAnswer>;
  readonly #unreadable = new Set<string>();
  #pageLength = SHORT_PAGE;

  constructor(settings: SchedulerSettings, emitter: WorkerEmitter) {
    const { broker } = settings;
    this.#settings = settings;
    this.#emitter = emitter;
    const submit = (submissions: readonly Submission[]) =>
      broker.submit(submissions, { whenLocked: 'answer' });
    this.#submit = coalesce<Submission, SubmitAnswer>(submit, {
      outstanding: 1,
      bytesOf: submissionBytes,
      isRefusal: (error) => isRefused(broker, error),
    });
  }

  /** Fires what is due until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#settings;
    const wake = (): void => this.#wakeSignal.notify();
    signal.addEventListener('abort', wake);
    const unlisten = listen(wake);
    await waitUntilReady(this.#settings, signal); // the engine reports why it cannot serve
    for (let failures = 0; !signal.aborted; ) {
      let restMs: number;
      try {
        ({ restMs } = await this.fireDue(signal));
        failures = 0;
      } catch (error) {
        failures += 1;
        restMs = computeDelay(AFTER_ERROR, failures, { random });
        if (!signal.aborted) this.#onError(error);
      }
      if (!signal.aborted) await this.#wakeSignal.sleep(clock, restMs);
    }
    unlisten();
    signal.removeEventListener('abort', wake);
  }

  /**
   * Fires what is due once, and leaves the rest to others when the signal aborts. Never rejects.
   *
   * @returns when the next schedule is due, in epoch milliseconds by the broker's clock; 0 when that is not known
   */
  async fireOnce(signal: AbortSignal): Promise<number> {
    if (signal.aborted) return 0;
    try {
      const { nextAt } = await unlessAborted<Pick<NextLook, 'nextAt'>>(this.fireDue(signal), signal, {
        nextAt: 0,
      });
      return nextAt;
    } catch (error) {
      if (!signal.aborted) this.#onError(error);
      return 0;
    }
  }

  /** Fires everything that is due, page by page, until the signal aborts: the pages that have been read by then. */
  async fireDue(signal: AbortSignal): Promise<NextLook> {
    const { broker, clock } = this.#settings;
    let wakeAt = clock.now() + POLL_MS;
    let firstAt = Infinity;
    let after: string | undefined;
    for (;;) {
      const sentAt = clock.now();
      const query = { prefix: DUE_PREFIX, limit: this.#pageLength };
      const reading = broker.notes.read(after === undefined ? query : { ...query, after });
      const page = await unlessAborted<NotesPage | undefined>(reading, signal, undefined);
      if (page === undefined) return { nextAt: 0, restMs: 0 };
      const { notes, now, next } = page;
      const readAt = clock.now();
      const due = notes.filter(({ key }) => dueAtOf(key) <= now);
      const waiting = notes.find(({ key }) => dueAtOf(key) > now);
      const nextAt = Math.min(
        await this.#fire(due, { now, sentAt }),
        waiting === undefined ? Infinity : dueAtOf(waiting.key),
      );
      firstAt = Math.min(firstAt, nextAt);
      wakeAt = Math.min(wakeAt, readAt + nextAt - now);
      const isAllDue = due.length === notes.length;
      this.#pageLength = due.length > 0 && isAllDue ? LONG_PAGE : SHORT_PAGE;
      if (!isAllDue || next === undefined || signal.aborted)
        return { nextAt: firstAt, restMs: Math.max(0, wakeAt - clock.now()) };
      after = next;
    }
  }

  /** @returns when to look again at the earliest, in epoch milliseconds by the broker's clock */
  async #fire(due: readonly Note[], asked: Asked): Promise<number> {
    const claims = due.flatMap((note) => this.#claimOf(note, asked.now));
    if (claims.length === 0) return Infinity;
    const made = await makeChanges(
      this.#settings.broker.notes,
      claims.map((claim) => ({ of: claim, writes: movement(claim.read, claim.claimed) })),
    );
    const taken = claims.flatMap((claim): KeptSchedule[] => {
      const version = made.get(claim)?.[0];
      return version === undefined
        ? []
        : [{ schedule: claim.claimed, note: { key: dueKey(claim.claimed), version } }];
    });
    const settledAt = await this.#submitAll(taken, asked);
    return taken.length === claims.length ? settledAt : asked.now + this.#contestMs();
  }

  /** Submits what was taken on, and writes that nothing is owed any more. @returns as `#fire` does */
  async #submitAll(taken: readonly KeptSchedule[], { now, sentAt }: Asked): Promise<number> {
    if (this.#settings.clock.now() - sentAt > SUBMIT_WITHIN_MS) return now + TAKE_OVER_MS;
    const submitted = await Promise.all(
      taken.map(async ({ schedule }) => {
        if (schedule.owed.length === 0) return true;
        try {
          await Promise.all(submissionsOf(schedule).map(this.#submit));
          return true;
        } catch (error) {
          this.#onError(error);
          return false;
        }
      }),
    );
    const done = taken.filter(({ schedule }, index) => submitted[index] === true && schedule.owed.length > 0);
    const settled = new Map(done.map((kept) => [kept, settleFires(kept.schedule)]));
    const made = await makeChanges(
      this.#settings.broker.notes,
      [...settled].map(([of, schedule]) => ({ of, writes: movement(of, schedule) })),
    );
    const nextAts = taken.map((kept) => {
      const isLost = settled.has(kept) && !made.has(kept); // another worker has taken it on meanwhile
      return isLost ? now + this.#contestMs() : dueAt(settled.get(kept) ?? kept.schedule);
    });
    return nextAts.reduce((least, at) => Math.min(least, at), Infinity);
  }

  #claimOf(note: Note, now: number): readonly Claim[] {
    try {
      const schedule = readSchedule(note);
      return [{ read: { schedule, note }, claimed: claimFires(schedule, now) }];
    } catch (error) {
      if (this.#unreadable.has(note.key)) return [];
      if (this.#unreadable.size >= MAX_UNREADABLE) this.#unreadable.clear();
      this.#unreadable.add(note.key);
      this.#onError(error);
      return [];
    }
  }

  #contestMs(): number {
    const { least, most } = CONTEST_MS;
    return least + this.#settings.random() * (most - least);
  }

  #onError(error: unknown): void {
    this.#emitter.emit('error', () => ({ error, doing: 'firing schedules' }));
  }
}

/** When to look again. */
interface NextLook {
  /** When the next schedule is due, in epoch milliseconds by the broker's clock; `Infinity`: none is. */
  readonly nextAt: number;
  /** How long a worker that lives on waits at most, in ms. */
  readonly restMs: number;
}

/** When the page was asked for, by the worker's clock, and what the broker's said. */
interface Asked {
  readonly now: number;
  readonly sentAt: number;
}

interface Claim {
  readonly read: KeptSchedule;
  readonly claimed: KeptSchedule['schedule'];
}

const LISTENERS = new Set<() => void>();

function listen(listener: () => void): () => void {
  LISTENERS.add(listener);
  return () => LISTENERS.delete(listener);
}

/**
 * Lets the workers of this process look which schedule is due next; those of others do within a minute. It notifies all of them, as
 * a queue and a worker may have a broker each, with a connection each, for the same runs.
 */
export function notifySchedulers(): void {
  for (const listener of LISTENERS) listener();
}
