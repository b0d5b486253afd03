import { ARROWS } from '@retry/core/lifecycle';
import { type Deviation, ruleFor, unlike } from './deviation.ts';
import type { FluidMove, TransitionCase } from './fluid-transitions.ts';
import { meantMoves, type StepTransitionsCase } from './tasker-moves.ts';

const FLUID = { system: 'aio-fluid', kind: 'transition' };

/** The events that move a run where fluid creates a copy, or does nothing. */
const ONLY_HERE: Readonly<Record<string, readonly string[]>> = {
  'running to queued': ['retry', 'release'],
  'failure to queued': ['redrive'],
  'rate_limited to queued': ['redrive'],
  'interrupted to queued': ['recover', 'redrive'],
  'interrupted to failure': ['giveUp'],
};

/** The rules by which our lifecycle deviates from those of fluid and Tasker. */
export const moveDeviations: readonly Deviation[] = [
  ruleFor<TransitionCase, FluidMove>(FLUID, {
    name: 'takes no event that leads where the run is',
    reason:
      'docs/lifecycle.md: what is not in the table is rejected, and the run is as it was. fluid says yes and does ' +
      'nothing. (Only a heartbeat keeps a run where it is, and moves it nowhere.)',
    applies: ({ from, to }) => from === to,
    instead: (_, answer) =>
      unlike(answer, { ok: false, by: [], path: { ok: true, events: [], timestamps_set: [] } }),
  }),
  ruleFor<TransitionCase, FluidMove>(FLUID, {
    name: 'cancels and limits a run without starting it',
    reason:
      'docs/lifecycle.md: a run that waits is cancelled or limited where it stands. fluid notes a start that never ' +
      'was, as its states are in a row.',
    applies: ({ to, ok, events = [] }) =>
      ok && events.includes('running') && (to === 'aborted' || to === 'rate_limited'),
    instead: ({ from, events = [], timestamps_set = [] }, { ok, path }) =>
      unlike(
        { ok, ...path },
        {
          ok: true,
          events: events.filter((name) => name !== 'running'),
          timestamps_set: timestamps_set.filter((name) => name !== 'start'),
        },
      ) ?? unlike({ isOneEvent: ok }, { isOneEvent: from !== 'init' }),
  }),
  ruleFor<TransitionCase, FluidMove>(FLUID, {
    name: 'passes through no state in silence',
    reason:
      'docs/lifecycle.md: each move is an event of its own. fluid fills in the states that were skipped; here the ' +
      'same events, one by one, leave the same states and timestamps.',
    applies: ({ ok, events = [] }) => ok && events.length > 1,
    instead: ({ events, timestamps_set }, answer) =>
      unlike(answer, { ok: false, by: [], path: { ok: true, events, timestamps_set } }),
  }),
  ruleFor<TransitionCase, FluidMove>(FLUID, {
    name: 'goes on with the same run',
    reason:
      'SEEDS 10 and docs/lifecycle.md: a retry, a redrive and the recovery of a stalled run are moves of the run ' +
      'itself. fluid ends it and queues a copy.',
    applies: ({ from, to, ok }) => !ok && ONLY_HERE[`${from} to ${to}`] !== undefined,
    instead: ({ from, to }, answer) =>
      unlike(answer, { ok: true, by: ONLY_HERE[`${from} to ${to}`], events: [to] }),
  }),
  ruleFor<{ readonly to: string }>(
    { system: 'jobbers', kind: 'diagram_transition' },
    {
      name: 'goes back to its lane in one move',
      reason:
        'SEEDS 3.4 and 3.5: between UNSUBMITTED and the queue a crash, or a shutdown, would lose the run.',
      applies: ({ to }) => to === 'unsubmitted',
      instead: (_, answer) => unlike(answer, { to: 'submitted' }),
    },
  ),
  ruleFor<{ readonly to: string }>(
    { system: 'jobbers', kind: 'set_status' },
    {
      name: 'is unsubmitted only before it is submitted',
      reason: 'SEEDS 3.4: set_status has no guard there. Here no event leads back to unsubmitted.',
      applies: ({ to }) => to === 'unsubmitted',
      instead: (_, answer) =>
        unlike(answer, { rejected: true }) ??
        unlike(
          ARROWS.filter(({ to }) => (to as string) === 'unsubmitted'),
          [],
        ),
    },
  ),
  ruleFor<StepTransitionsCase, { readonly allowed: Readonly<Record<string, string>> }>(
    { system: 'tasker', kind: 'step_transitions' },
    {
      name: 'moves a run, not a step between queues and operators',
      reason:
        'docs/lifecycle.md: there are no queues between worker and orchestration, as a claim and its settlement are ' +
        'one write; an operator redrives or discards, and cannot say that a run completed; only a started run fails.',
      applies: (given) => meantMoves(given) !== undefined,
      instead: (given, answer) => {
        const meant = meantMoves(given);
        return unlike(answer, { allowed: meant, count: Object.keys(meant ?? {}).length });
      },
    },
  ),
];
