import type { Audit, Run, Submission } from '@retry/core/broker';
import { longBytes, transitionRun, trimmedRun } from '@retry/core/broker/kit';
import type { RunEvent, RunState } from '@retry/core/lifecycle';
import { createHolds } from './holds.ts';
import { createNotes } from './notes.ts';

/** How long a storage keeps what has ended. */
export interface Retention {
  readonly keepCompleted: number;
  readonly keepKeysMs: number;
  readonly keepForMs?: number;
  readonly keepBytes?: number;
  readonly keepDeadForMs?: number;
}

/** A run and what the broker alone knows of it. */
export interface Kept {
  run: Run;
  readonly submission: Submission;
  /** Its order among the runs of its lane. */
  seq: number;
  /** Whether it has the turn of its fairness key, or is behind the run that has it. */
  turn: 'has' | 'behind' | 'none';
  leaseUntil: number;
  takesSlot: boolean;
  /** Whether it takes a slot of its lane, too. */
  takesLane: boolean;
  /** The limit of its lane, for which it waits. */
  laneLimit?: number | undefined;
  /** Until when a result that was not collected is kept. */
  awaitedUntil: number;
}

const WAITING: readonly RunState[] = ['submitted', 'scheduled'];

/** Where the runs are, and the moves that change them. */
export type Storage = ReturnType<typeof createStorage>;

export const ENDED: readonly RunState[] = [
  'completed',
  'failed',
  'cancelled',
  'stalled',
  'dropped',
  'rateLimited',
];
export const DEAD_LETTERS: readonly RunState[] = ['failed', 'stalled', 'rateLimited'];

/** Creates an empty storage. `onResult` is called when a run with `keepResultMs` ends. */
export function createStorage(
  {
    keepCompleted,
    keepKeysMs,
    keepForMs = Infinity,
    keepBytes = Infinity,
    keepDeadForMs = Infinity,
  }: Retention,
  onResult: () => void,
) {
  const runs = new Map<string, Kept>();
  const notes = createNotes();
  const holds = createHolds(notes);
  const knownKeys = new Map<string, number>();
  let created = 0;
  let forgotten = 0;
  let front = 0;
  let back = 0;

  /** Keeps a run that was just submitted. */
  function add(kept: Kept): void {
    runs.set(kept.run.id, kept);
    knownKeys.delete(kept.run.id);
    created += 1;
  }

  function move(kept: Kept, event: RunEvent, end: 'front' | 'back' = 'back'): void {
    const moved = transitionRun(kept.run, event);
    if (moved.type === 'rejected') throw new Error(`no ${event.type} from ${moved.from}`);
    kept.run = moved.run;
    finishMove(kept, end);
  }

  /** Puts a run that has moved at the back of its lane, where it comes by turn; ends its slot and starts its retention. */
  function finishMove(kept: Kept, end: 'front' | 'back' = 'back'): void {
    const keepsSlot = kept.run.concurrency?.holdWhileRetrying === true && WAITING.includes(kept.run.state);
    if (kept.run.state !== 'started' && !keepsSlot) kept.takesSlot = false;
    if (kept.run.state !== 'started') kept.takesLane = false;
    kept.laneLimit = undefined;
    passTurn(kept);
    kept.seq = ++back;
    if (kept.run.state === 'submitted' && end === 'back') takeTurn(kept);
    if (!ENDED.includes(kept.run.state)) return;
    const { keepResultMs } = kept.submission;
    kept.awaitedUntil = (kept.run.endedAt ?? 0) + (keepResultMs ?? 0);
    if (keepResultMs !== undefined) onResult();
  }

  function takeTurn(kept: Kept): void {
    const { fairnessKey, lane } = kept.run;
    if (fairnessKey === undefined) return;
    const others = [...runs.values()].filter((other) => isOfTurn(other, lane, fairnessKey));
    kept.turn = others.some(({ turn }) => turn === 'has') ? 'behind' : 'has';
  }

  /** Puts the first run behind this one at the back of the lane, if this one has the turn; returns it. */
  function passTurn(kept: Kept): readonly Kept[] {
    const { turn } = kept;
    kept.turn = 'none';
    const { fairnessKey, lane } = kept.run;
    if (turn !== 'has' || fairnessKey === undefined) return [];
    const behind = [...runs.values()].filter(
      (other) => other.turn === 'behind' && isOfTurn(other, lane, fairnessKey),
    );
    const next = behind.sort((left, right) => left.seq - right.seq).slice(0, 1);
    for (const first of next) Object.assign(first, { turn: 'has', seq: ++back });
    return next;
  }

  /** Puts released runs at the front of their lanes, in their order. */
  function moveToFront(released: Kept[]): void {
    for (const kept of released.reverse()) kept.seq = --front;
  }

  function forget({ run, submission }: Kept, now: number): void {
    const until = (run.endedAt ?? 0) + keepKeysMs;
    if (submission.keyed && until > now) knownKeys.set(run.id, until);
    runs.delete(run.id);
    forgotten += 1;
  }

  function forgetOld(now: number): void {
    const ended = [...runs.values()].filter(({ run }) => ENDED.includes(run.state));
    const isDead = ({ run }: Kept): boolean => DEAD_LETTERS.includes(run.state) && !run.isDisposable;
    for (const kept of ended)
      if (isDead(kept) && (kept.run.endedAt ?? 0) + keepDeadForMs <= now) forget(kept, now);
    const old = ended.filter((kept) => !isDead(kept) && kept.awaitedUntil <= now);
    old.sort((left, right) => right.seq - left.seq);
    let bytes = 0;
    for (const [index, kept] of old.entries()) {
      if (index >= keepCompleted || (kept.run.endedAt ?? 0) + keepForMs <= now) forget(kept, now);
      bytes += longBytes(kept.run);
      if (bytes > keepBytes && longBytes(kept.run) > 0) kept.run = trimmedRun(kept.run);
    }
  }

  function slotsTaken(key: string): number {
    const kept = [...runs.values()];
    const own = kept.filter(({ run, takesSlot }) => takesSlot && run.concurrency?.key === key);
    return own.length + kept.filter(({ run, takesLane }) => takesLane && run.lane === key).length;
  }

  /** When a lane has work next by time alone. */
  function nextDueAt(lanes: readonly string[], now: number): number | undefined {
    const instants = [...runs.values()].flatMap(({ run }) => {
      if (!lanes.includes(run.lane)) return [];
      const until = holds.heldUntil(run.lane, now);
      if (run.state === 'submitted') return until > now ? [until] : [];
      return run.state === 'scheduled' ? [Math.max(until, run.runAt ?? 0)] : [];
    });
    const next = Math.min(Infinity, ...instants);
    return next === Infinity ? undefined : next;
  }

  function audit(): Audit {
    const count = (state: RunState): number =>
      [...runs.values()].filter(({ run }) => run.state === state).length;
    return {
      created,
      submitted: count('submitted'),
      scheduled: count('scheduled'),
      started: count('started'),
      ended: {
        completed: count('completed'),
        failed: count('failed'),
        cancelled: count('cancelled'),
        stalled: count('stalled'),
        dropped: count('dropped'),
        rateLimited: count('rateLimited'),
      },
      forgotten,
      unbalanced: Math.abs(created - runs.size - forgotten),
    };
  }

  return {
    runs,
    ...{ notes, holds },
    knownKeys,
    add,
    move,
    finishMove,
    passTurn,
    moveToFront,
    forget,
    forgetOld,
    slotsTaken,
    nextDueAt,
    audit,
  };
}

function isOfTurn({ run }: Kept, lane: string, fairnessKey: string): boolean {
  return run.lane === lane && run.fairnessKey === fairnessKey;
}
