import type { Clock } from '@retry/core';
import type { Notes, NotesPage } from '@retry/core/broker';
import type { BudgetEvent, RetryBudget } from '@retry/core/budget';
import type {
  Renewal,
  RenewalEnd,
  SharedBucket,
  SharedBudget,
  SharedBudgetInput,
} from '@retry/core/budget/fleet';
import {
  HeldLease,
  localBudgetOf,
  openBucket,
  readSharedBudget,
  refillBucket,
  renewLease,
  SHARED_BUDGET_KEYS,
} from '@retry/core/budget/fleet';
import { A_CLOCK, A_FUNCTION, hasMethods, readOptions } from '@retry/core/fields';
import { callHook } from '../call/hooks.ts';
import { SYNCHRONOUS } from '../call/option-rules.ts';
import { backgroundClock, systemClock } from '../time/clock.ts';
import { guardedClock } from '../time/guard-clock.ts';

/** Where a shared budget keeps its tokens: any broker of a queue, or its notes alone. */
export interface SharedBudgetStore {
  /** Versioned documents; one of them is the budget's. */
  readonly notes: Pick<Notes, 'read' | 'write'>;
}

/** Options of a shared budget. `ratio`, `perSecond` or both are required. */
export interface SharedBudgetOptions extends SharedBudgetInput {
  /** Where its tokens are kept, for all processes. */
  readonly broker: SharedBudgetStore;
  /** Names the budget, 1 to 300 characters: processes that give the same name share it. */
  readonly key: string;
  /** Called when the store has not answered, and when it answers again; it is not awaited. */
  readonly onModeChange?: ((event: ModeChangeEvent) => unknown) | undefined;
  /** @default the runtime's own clock, whose timers keep the process alive only while a call waits for tokens */
  readonly clock?: Clock | undefined;
  /** Draws when to try again what another process came before, in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined;
  /** Receives what the hook threw. @default globalThis.reportError, or console.error where there is none */
  readonly reportError?: ((error: unknown) => unknown) | undefined;
}

/** A change of where a shared budget takes its tokens from. */
export interface ModeChangeEvent {
  /** `'local'`: the store does not answer, so that this process grants its own share; `'shared'`: it does again. */
  readonly to: 'local' | 'shared';
  /** Why the store could not be asked; absent when it answers again. */
  readonly error?: unknown;
}

/** A retry budget that processes share. Made by `createSharedBudget`. */
export interface SharedRetryBudget extends RetryBudget {
  /** Whether the store answers: while it does not, this process grants its own share. */
  readonly mode: 'shared' | 'local';
}

/** How long the store may take for a renewal, in ms. */
const STORE_MS = 1_000;

/** How often a renewal is tried that other processes come before, and how long it waits before the second time, in ms, at most. */
const CONTEST = { tries: 6, restMs: 4 } as const;

/** How long a budget of first attempts alone is kept that nobody uses, in ms: it then begins anew. */
const UNUSED_MS = 86_400_000;

/** The shortest time for which a budget is kept, in ms. */
const LEAST_KEPT_MS = 60_000;

/** Which form the value of the note has. */
const FORM = 1;

const KEYS: readonly (keyof SharedBudgetOptions)[] = [
  ...(['broker', 'key'] as const),
  ...SHARED_BUDGET_KEYS,
  ...(['onModeChange', 'clock', 'random', 'reportError'] as const),
];

/**
 * Creates a retry budget for the calls of all processes to one dependency: each takes tokens in advance, a lease of them, so that a retry
 * waits for the store only while it has none and an answer is to come soon, for up to a second. In any time all processes together make at
 * most `perSecond` times its seconds and `ratio` times its first attempts, those of 6 s before it included, and `burst` retries more,
 * whichever of them die. Each process that cannot reach the store grants `localShare` of that by itself, on top of it.
 *
 * @throws {InvalidOptionsError} listing every wrong option
 */
export function createSharedBudget(options: SharedBudgetOptions): SharedRetryBudget {
  return readOptions(options, { subject: 'shared budget', keys: KEYS }, (fields) => {
    const hooks = {
      onModeChange: fields.optional('onModeChange', A_FUNCTION) as Hooks['onModeChange'], // checked
      reportError: fields.optional('reportError', A_FUNCTION) as Hooks['reportError'], // checked
    };
    const clock = guardedClock(fields.optional('clock', A_CLOCK), hooks.reportError);
    const store = fields.value('broker');
    if (!hasNotes(store))
      fields.fail(
        'broker',
        'must be a broker',
        'Use createRedisBroker, createPostgresBroker or createMemoryBroker.',
      );
    const key = fields.value('key');
    if (typeof key !== 'string' || key.length === 0 || key.length > MAX_KEY)
      fields.fail(
        'key',
        `must be text of 1 to ${MAX_KEY} characters`,
        "Use the dependency's name: 'payments'.",
      );
    return new Budget(readSharedBudget(fields), {
      notes: (store as SharedBudgetStore | undefined)?.notes as Notes, // checked
      key: `budget/${String(key)}`,
      clock: clock ?? backgroundClock,
      clockOfWaits: clock ?? systemClock,
      random: (fields.optional('random', SYNCHRONOUS) as (() => number) | undefined) ?? Math.random, // checked
      hooks,
    });
  });
}

/** The longest key of a budget, in characters: with its prefix, as much as the key of a note has room for, whatever characters they are. */
const MAX_KEY = 300;

function hasNotes(store: unknown): boolean {
  return (
    typeof store === 'object' && store !== null && hasMethods(Reflect.get(store, 'notes'), ['read', 'write'])
  );
}

type Hooks = Pick<SharedBudgetOptions, 'onModeChange' | 'reportError'>;

interface Parts {
  readonly notes: SharedBudgetStore['notes'];
  readonly key: string;
  readonly clock: Clock;
  /** Its timers keep the process alive. */
  readonly clockOfWaits: Clock;
  readonly random: () => number;
  readonly hooks: Hooks;
}

class Budget implements SharedRetryBudget {
  readonly #budget: SharedBudget;
  readonly #parts: Parts;
  readonly #lease: HeldLease;
  readonly #local: SharedBudget;
  /** This process's own share: time fills it up, whether or not the store answers. */
  #bucket: SharedBucket;
  mode: 'shared' | 'local' = 'shared';

  constructor(budget: SharedBudget, parts: Parts) {
    const { clock } = parts;
    this.#budget = budget;
    this.#parts = parts;
    this.#local = localBudgetOf(budget);
    this.#bucket = openBucket(this.#local, clock.now());
    this.#lease = new HeldLease(budget, {
      now: () => clock.now(),
      after: (delayMs, act) => void clock.setTimer(act, delayMs),
      send: (renewal) => void this.#renew(renewal),
    });
  }

  allowsRetry(_: unknown): boolean {
    const now = this.#parts.clock.now();
    if (this.#tokens(now) >= 1) return true;
    this.#lease.noteRetry({ isGranted: false, nowAt: now });
    return false;
  }

  record({ type }: BudgetEvent): number {
    if (type === 'retry') return this.spend();
    if (type === 'request') {
      const now = this.#parts.clock.now();
      this.#lease.noteRequest(now);
      if (this.mode === 'local') this.#refill(1, now);
    }
    return 0;
  }

  spend(_?: unknown): number {
    const now = this.#parts.clock.now();
    const isGranted = this.#tokens(now) >= 1;
    if (isGranted && this.#lease.tokensAt(now) < 1)
      this.#bucket = { ...this.#bucket, tokens: this.#bucket.tokens - 1 };
    this.#lease.noteRetry({ isGranted, nowAt: now });
    return isGranted ? 1 : 0;
  }

  ready(): Promise<void> | undefined {
    const now = this.#parts.clock.now();
    if (this.#tokens(now) >= 1 || !this.#lease.isAnswerComing(now)) return undefined;
    return new Promise((resolve) => {
      const endWait = this.#lease.wait(() => {
        cancel();
        resolve();
      });
      const cancel = this.#parts.clockOfWaits.setTimer(endWait, STORE_MS);
    });
  }

  state(): { readonly tokens: readonly number[]; readonly steppedAt: number } {
    const now = this.#parts.clock.now();
    return { tokens: [this.#tokens(now)], steppedAt: now };
  }

  #tokens(now: number): number {
    return this.#lease.tokensAt(now) + this.#localTokens(now);
  }

  #localTokens(now: number): number {
    if (this.mode === 'shared') return 0;
    this.#refill(0, now);
    return Math.floor(this.#bucket.tokens);
  }

  #refill(requests: number, nowAt: number): void {
    this.#bucket = refillBucket(this.#local, this.#bucket, { requests, nowAt });
  }

  /** Never rejects. */
  async #renew(renewal: Renewal): Promise<void> {
    let end: RenewalEnd = { type: 'lost' };
    try {
      end = await withinTime(this.#parts.clock, this.#askStore(renewal));
      this.#changeMode({ to: 'shared' });
    } catch (error) {
      this.#changeMode({ to: 'local', error });
    }
    this.#lease.endRenewal(end, renewal, this.#localTokens(this.#parts.clock.now()));
  }

  /** Reads the bucket, and writes it if no other process has meanwhile. */
  async #askStore(renewal: Renewal): Promise<RenewalEnd> {
    const { notes, key, clock, random } = this.#parts;
    const begunAt = clock.now();
    for (let attempt = 1; attempt <= CONTEST.tries; attempt += 1) {
      const sentAt = clock.now();
      const page = await notes.read({ prefix: key, limit: 1 });
      // It counts as lost: told now, its first attempts would pay for retries of a time that they are too old for.
      if (clock.now() - begunAt >= STORE_MS) break;
      const read = bucketOf(page, key) ?? { bucket: openBucket(this.#budget, page.now), seen: 0 };
      const { bucket, taken } = renewLease(this.#budget, read.bucket, { renewal, nowAt: page.now });
      const value = JSON.stringify({ form: FORM, ...bucket });
      const ttlMs = keptMs(this.#budget);
      const { outcome } = await notes.write([{ key, seen: read.seen, value, ttlMs }]);
      if (outcome === 'written') return { type: 'renewed', held: { taken, slice: bucket.slice }, sentAt };
      await rest(clock, random() * CONTEST.restMs * 2 ** attempt);
    }
    return { type: 'lost' };
  }

  #changeMode(event: ModeChangeEvent): void {
    if (this.mode === event.to) return;
    this.mode = event.to;
    const { onModeChange, reportError } = this.#parts.hooks;
    callHook(onModeChange, event, reportError);
  }
}

/** @throws {Error} for a note that another version of this library wrote in another form */
function bucketOf(
  { notes: [note] }: NotesPage,
  key: string,
): { readonly bucket: SharedBucket; readonly seen: number } | undefined {
  if (note?.key !== key) return undefined;
  const { form, ...bucket }: { readonly form: unknown } & SharedBucket = JSON.parse(note.value);
  if (form !== FORM)
    throw new Error(`its form is ${String(form)}, and this version of the library reads ${FORM}`);
  return { bucket, seen: note.version };
}

/** A bucket that nobody has used for this long is full again, or that of first attempts forgotten. */
function keptMs({ ratio, perSecond, burst, leaseMs }: SharedBudget): number {
  const filledMs = perSecond > 0 ? (burst / perSecond) * 1_000 + 2 * leaseMs : UNUSED_MS;
  return ratio > 0 ? Math.max(filledMs, UNUSED_MS) : Math.max(filledMs, LEAST_KEPT_MS);
}

function withinTime<Answer>(clock: Clock, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const late = new Error(`the store of the shared budget has not answered within ${STORE_MS} ms`);
    const cancel = clock.setTimer(() => reject(late), STORE_MS);
    answer.then(resolve, reject).finally(cancel);
  });
}

function rest(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, delayMs));
}
