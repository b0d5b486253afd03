import { deepStrictEqual } from 'node:assert/strict';
import { NEW_RUN, type RunEvent, type RunRecord, type RunState, transition } from '@retry/core/lifecycle';
import type fc from 'fast-check';

/** A run as the model counts it. */
export interface Model {
  state: RunState;
  claims: number;
  failures: number;
  stalls: number;
  releases: number;
  rateLimits: number;
  redrives: number;
  carried: number;
}

/** The run of the lifecycle under test, and the number of its events. */
export interface Real {
  run: RunRecord;
  now: number;
  moves: number;
  rejections: number;
}

/** A run before its submission, in the model and in the lifecycle. */
export function newPair(carried = 0): { model: Model; real: Real } {
  const counts = { carried, claims: 0, failures: 0, stalls: 0, releases: 0, rateLimits: 0, redrives: 0 };
  return {
    model: { state: 'unsubmitted', ...counts },
    real: { run: { ...NEW_RUN, carried }, now: 0, moves: 0, rejections: 0 },
  };
}

/** One event: the model determines whether it is accepted and what it counts; the lifecycle must agree. */
export abstract class EventCommand implements fc.Command<Model, Real> {
  /** The states that accept the event. */
  abstract readonly takenIn: readonly RunState[];
  /** How long after the event a run that waits again is due; absent if it does not wait again. */
  readonly delayMs: number | undefined;
  /** It is sent in any state; the others are sent only in a state that accepts them. */
  readonly isStray: boolean;

  constructor(isStray: boolean, delayMs?: number) {
    this.isStray = isStray;
    this.delayMs = delayMs;
  }

  /** The event at an instant. */
  abstract eventAt(at: number): RunEvent;

  /** Counts the event. */
  abstract count(model: Model): void;

  check({ state }: Readonly<Model>): boolean {
    return this.isStray || this.takenIn.includes(state);
  }

  run(model: Model, real: Real): void {
    real.now += 1_000;
    // Run and event are frozen: a transition that changed one of them would throw.
    const event = Object.freeze(this.eventAt(real.now));
    const answer = transition(real.run, event);

    if (!this.takenIn.includes(model.state)) {
      deepStrictEqual(answer, { type: 'rejected', from: model.state, event: event.type });
      real.rejections += 1;
      return;
    }
    this.count(model);
    if (answer.type === 'rejected') throw new Error(`${answer.from} rejects ${answer.event}`);
    real.run = Object.freeze(answer.run);
    real.moves += 1;
    deepStrictEqual(countsOf(real.run), model);
  }

  toString(): string {
    return JSON.stringify(this.eventAt(0));
  }

  /** The state of a run that waits again. */
  protected back(): RunState {
    return (this.delayMs ?? 0) > 0 ? 'scheduled' : 'submitted';
  }

  /** When a run that waits again is due. */
  protected dueAt(at: number): { readonly runAt: number } {
    return { runAt: at + (this.delayMs ?? 0) };
  }
}

/** Starts the next run after the previous one has ended finally. */
export class Next implements fc.Command<Model, Real> {
  check({ state }: Readonly<Model>): boolean {
    return ['completed', 'cancelled', 'dropped'].includes(state);
  }

  run(model: Model, real: Real): void {
    Object.assign(model, newPair().model);
    real.run = NEW_RUN;
  }

  toString(): string {
    return 'next run';
  }
}

/** The run in the form of the model. */
function countsOf(run: RunRecord): Model {
  const { state, epoch, failures, stalls, releases, rateLimits, redrives, carried } = run;
  return { state, claims: epoch, failures, stalls, releases, rateLimits, redrives, carried };
}
