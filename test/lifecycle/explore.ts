import { NEW_RUN, type RunEvent, type RunRecord, type Transition, transition } from '@retry/core/lifecycle';
import { eventsAt, type Limits, wouldSend } from './worker-events.ts';

/** A run on one of its ways through the lifecycle. */
export interface Node {
  readonly run: RunRecord;
  /** It was completed or cancelled while started: a claim that no counter of the run shows. */
  readonly hasEndedStarted: boolean;
  /** When it came here. */
  readonly at: number;
}

/** One event tried on one run. */
export interface Step {
  readonly from: Node;
  readonly event: RunEvent;
  readonly answer: Transition;
  /** Where it led; absent when it was rejected. */
  readonly to?: Node;
  /** It was a move, and one that a worker which asks core first would make. */
  readonly isSent: boolean;
}

/** Everything that was met. */
export interface Exploration {
  /** Runs that differ in state, counters or in which timestamps they have. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** From where each node was reached, itself left out. */
  readonly origins: ReadonlyMap<string, ReadonlySet<string>>;
  readonly tried: number;
}

/** No exploration comes near it; a broken lifecycle may know no bound at all. */
const MAX_NODES = 100_000;
/** Time between two events. */
const STEP_MS = 1_000;

/** Tries every event on every run that can come about, breadth first, until nothing new comes. */
export function explore(limits: Limits, visit: (step: Step) => void): Exploration {
  const first: Node = { run: NEW_RUN, hasEndedStarted: false, at: 0 };
  const nodes = new Map([[keyOf(first), first]]);
  const origins = new Map<string, Set<string>>();
  let tried = 0;
  // A Map's iterator also gives what is added while it runs: it is the queue.
  for (const [key, node] of nodes) {
    if (nodes.size > MAX_NODES) break;
    for (const step of stepsFrom(node, limits)) {
      visit(step);
      tried += 1;
      if (step.to === undefined || !step.isSent) continue;
      const next = keyOf(step.to);
      if (!nodes.has(next)) nodes.set(next, step.to);
      if (next !== key) origins.set(next, (origins.get(next) ?? new Set()).add(key));
    }
  }
  return { nodes, origins, tried };
}

/** Nodes from which one of the goals can be reached, the goals included. */
export function nodesLeadingTo(
  { nodes, origins }: Exploration,
  isGoal: (run: RunRecord) => boolean,
): ReadonlySet<string> {
  const leading = new Set([...nodes].filter(([, { run }]) => isGoal(run)).map(([key]) => key));
  for (const key of leading) for (const origin of origins.get(key) ?? []) leading.add(origin);
  return leading;
}

function stepsFrom(from: Node, limits: Limits): readonly Step[] {
  return eventsAt(from.at + STEP_MS).map((event) => {
    const answer = transition(from.run, Object.freeze(event));
    if (answer.type === 'rejected') return { from, event, answer, isSent: false };
    const run = Object.freeze(answer.run);
    const isSent = wouldSend(limits, from.run, event);
    return {
      from,
      event,
      answer,
      isSent,
      to: { run, hasEndedStarted: endsStarted(from, run), at: event.at },
    };
  });
}

function endsStarted(from: Node, run: RunRecord): boolean {
  if (from.run.state !== 'started') return from.hasEndedStarted;
  return run.state === 'completed' || run.state === 'cancelled';
}

/** All but the times: instants only ever grow, so which ones there are is enough. */
function keyOf({ run, hasEndedStarted }: Node): string {
  const { epoch, resetEpoch, failures, stalls, releases, rateLimits, redrives } = run;
  const counts = [epoch, resetEpoch, failures, stalls, releases, rateLimits, redrives];
  const stamps = [
    run.submittedAt,
    run.firstStartedAt,
    run.startedAt,
    run.heartbeatAt,
    run.runAt,
    run.endedAt,
  ];
  const known = stamps.map((stamp) => (stamp === undefined ? '-' : '+')).join('');
  return `${run.state} ${counts.join(' ')} ${known} ${hasEndedStarted}`;
}
