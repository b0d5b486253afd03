import type { RunRecord, RunState } from '@retry/core/lifecycle';
import { boolean, expected, listOf, oneOf, text } from './case-schema.ts';
import { type Move, movesTo, pathTo, runIn, timestampsBetween } from './lifecycle-moves.ts';
import { pick, type Runner } from './runner.ts';

/** Our names of fluid's states. */
const STATES: Readonly<Record<string, RunState>> = {
  init: 'unsubmitted',
  queued: 'submitted',
  running: 'started',
  success: 'completed',
  failure: 'failed',
  aborted: 'cancelled',
  rate_limited: 'rateLimited',
  interrupted: 'stalled',
};

const TIMESTAMPS: Readonly<Record<string, string>> = {
  submittedAt: 'queued',
  firstStartedAt: 'start',
  endedAt: 'end',
};

export interface TransitionCase {
  readonly from: string;
  readonly to: string;
  readonly ok: boolean;
  readonly events?: readonly string[];
  readonly timestamps_set?: readonly string[];
}

/** The effect of one event, or of several in a row, in fluid's words. */
export interface FluidMove {
  readonly ok: boolean;
  readonly events?: readonly string[];
  readonly timestamps_set?: readonly string[];
  /** Our events with exactly this transition. */
  readonly by: readonly string[];
  /** The same transition by any number of events. */
  readonly path?: Omit<FluidMove, 'by'>;
}

/** Fluid sets a state and may skip others; returns whether one of our events does the same. */
export const transition: Runner = {
  schema: {
    from: oneOf(...Object.keys(STATES)),
    to: oneOf(...Object.keys(STATES)),
    ...expected({ ok: boolean, events: listOf(text), timestamps_set: listOf(text) }),
  },
  answer: ({ from, to }: TransitionCase): FluidMove => {
    const run = runIn(stateOf(from));
    const moves = movesTo(run, stateOf(to));
    const path = pathTo(run, stateOf(to));
    return {
      ...inFluidsWords(run, moves.slice(0, 1)),
      ok: moves.length > 0,
      by: [...new Set(moves.map(({ event }) => event.type))],
      ...(path !== undefined && { path: { ok: true, ...inFluidsWords(run, path) } }),
    };
  },
  expected: (given: TransitionCase) => pick(given, ['ok', 'events', 'timestamps_set']),
};

function inFluidsWords(run: RunRecord, moves: readonly Move[]): Pick<FluidMove, 'events' | 'timestamps_set'> {
  const nameOf = (state: RunState): string =>
    Object.keys(STATES).find((name) => STATES[name] === state) ?? state;
  return {
    events: moves.map((move) => nameOf(move.run.state)),
    timestamps_set: timestampsBetween(run, moves.at(-1)?.run ?? run).map((key) => TIMESTAMPS[key] ?? key),
  };
}

function stateOf(name: string): RunState {
  const state = STATES[name];
  if (state === undefined) throw new Error(`fluid's state ${name} has no counterpart.`);
  return state;
}
