import type { Concurrency, ErrorGroupName, Run, Submission } from '@retry/core/broker';
import type { RetentionSettings } from '@retry/core/broker/kit';
import {
  heldUntil,
  holdsOn,
  isKeptLetter,
  longBytes,
  movedRun,
  nextWorkAt,
  trimmedRun,
} from '@retry/core/broker/kit';
import type { RunEvent, RunState } from '@retry/core/lifecycle';
import { isEnd } from '@retry/core/lifecycle';
import { createGroups } from './groups.ts';
import { createNotes } from './notes.ts';

/** A run and what the broker alone knows of it. */
export interface Kept {
  run: Run;
  readonly submission: Submission;
  /** Its order among the runs of its lane. */
  seq: number;
  /** Whether it has the turn of its fairness key, or is behind the run that has it. */
  turn: 'has' | 'behind' | 'none';
  leaseUntil: number;
  /** The keys of which it takes a slot: its own one first. */
  slots: readonly string[];
  /** The full limit that a claim left it waiting for. */
  waitsFor: Concurrency | undefined;
  /** Until when a result that was not collected is kept. */
  awaitedUntil: number;
}

/** Where a run comes to in its lane, and what it is counted under if it is a dead letter. */
interface Place {
  readonly end?: 'front' | 'back';
  readonly group?: ErrorGroupName | undefined;
}

/** Where the runs are, and the moves that change them. */
export type Storage = ReturnType<typeof createStorage>;

/** Creates an empty storage. `onResult` is called when a run with `keepResultMs` ends. */
export function createStorage(retention: RetentionSettings, onResult: () => void) {
  const runs = new Map<string, Kept>();
  const notes = createNotes();
  const groups = createGroups(runs);
  const knownKeys = new Map<string, number>();
  const counts = { created: 0, forgotten: 0 };
  let front = 0;
  let back = 0;

  /** Keeps a run that was just submitted. */
  function add(submission: Submission, run: Run): void {
    const never = { leaseUntil: 0, awaitedUntil: 0, waitsFor: undefined };
    const kept: Kept = { run, submission, seq: 0, turn: 'none', slots: [], ...never };
    runs.set(run.id, kept);
    knownKeys.delete(run.id);
    counts.created += 1;
    put(kept, run);
  }

  function move(kept: Kept, event: RunEvent, end: 'front' | 'back' = 'back'): void {
    put(kept, movedRun(kept.run, event), { end });
  }

  /** Makes of a run what it is from now on: its place, its slots, its group and how long it is kept follow. */
  function put(kept: Kept, next: Run, { end = 'back', group }: Place = {}): void {
    const { state, concurrency, endedAt = 0 } = next;
    groups.leave(kept.run);
    kept.run = isEnd(state) ? groups.join(next, group) : next;
    const keepsSlot = concurrency?.holdWhileRetrying === true && isWaiting(next);
    if (state !== 'started') kept.slots = keepsSlot ? kept.slots.slice(0, 1) : [];
    kept.waitsFor = undefined;
    passTurn(kept);
    kept.seq = ++back;
    if (state === 'submitted' && end === 'back') takeTurn(kept);
    const { keepResultMs } = kept.submission;
    kept.awaitedUntil = endedAt + (keepResultMs ?? 0);
    if (isEnd(state) && keepResultMs !== undefined) onResult();
  }

  function takeTurn(kept: Kept): void {
    const isTaken = [...runs.values()].some((other) => other.turn === 'has' && isOfOneTurn(other, kept));
    if (kept.run.fairnessKey !== undefined) kept.turn = isTaken ? 'behind' : 'has';
  }

  /** Puts the first run behind this one at the back of the lane, if this one has the turn; returns it. */
  function passTurn(kept: Kept): readonly Kept[] {
    const { turn } = kept;
    kept.turn = 'none';
    if (turn !== 'has') return [];
    const behind = [...runs.values()].filter((other) => other.turn === 'behind' && isOfOneTurn(other, kept));
    const next = behind.sort((left, right) => left.seq - right.seq).slice(0, 1);
    for (const first of next) Object.assign(first, { turn: 'has', seq: ++back });
    return next;
  }

  /** Puts runs at the front of their lanes, in their order. */
  function moveToFront(moved: readonly Kept[]): void {
    for (const kept of [...moved].reverse()) kept.seq = --front;
  }

  function forget({ run, submission }: Kept, now: number): void {
    const until = (run.endedAt ?? 0) + retention.keepKeysMs;
    if (submission.keyed && until > now) knownKeys.set(run.id, until);
    groups.leave(run);
    runs.delete(run.id);
    counts.forgotten += 1;
  }

  function forgetOld(now: number): void {
    const { keepCount, keepForMs, keepBytes = Infinity, keepDeadForMs } = retention;
    const isOver = ({ run }: Kept, keepMs: number): boolean => (run.endedAt ?? 0) + keepMs <= now;
    const ended = [...runs.values()].filter(({ run }) => isEnd(run.state));
    for (const kept of ended) if (isKeptLetter(kept.run) && isOver(kept, keepDeadForMs)) forget(kept, now);
    const old = ended.filter((kept) => !isKeptLetter(kept.run) && kept.awaitedUntil <= now);
    let bytes = 0;
    for (const [index, kept] of old.sort((left, right) => right.seq - left.seq).entries()) {
      if (index >= keepCount || isOver(kept, keepForMs)) forget(kept, now);
      bytes += longBytes(kept.run);
      if (bytes > keepBytes && longBytes(kept.run) > 0) kept.run = trimmedRun(kept.run);
    }
  }

  function slotsTaken(key: string): number {
    return [...runs.values()].filter(({ slots }) => slots.includes(key)).length;
  }

  /** The runs of a lane in this state, in their order; those behind turns included. */
  function inLane(lane: string, state: RunState): Kept[] {
    const found = [...runs.values()].filter(({ run }) => run.lane === lane && run.state === state);
    return found.sort((left, right) => left.seq - right.seq);
  }

  function laneHeldUntil(lane: string, now: number): number {
    return heldUntil(holdsOn(notes.all, lane), now);
  }

  /** When one of the lanes has work next by time alone. */
  function workAt(lanes: readonly string[], now: number): number {
    const instants = lanes.map((lane) => {
      const dueAt = Math.min(Infinity, ...inLane(lane, 'scheduled').map(({ run }) => run.runAt ?? 0));
      const isReady = inLane(lane, 'submitted').length > 0;
      return nextWorkAt({ heldUntil: laneHeldUntil(lane, now), dueAt, isReady }, now);
    });
    return Math.min(Infinity, ...instants);
  }

  return {
    ...{ runs, notes, groups, knownKeys, counts, inLane, slotsTaken, laneHeldUntil, workAt },
    ...{ add, move, put, passTurn, moveToFront, forget, forgetOld },
  };
}

/** Whether a run waits in its lane or until it is due. */
export function isWaiting({ state }: Run): boolean {
  return state === 'submitted' || state === 'scheduled';
}

function isOfOneTurn({ run: left }: Kept, { run: right }: Kept): boolean {
  return left.lane === right.lane && left.fairnessKey === right.fairnessKey;
}
