import { NEW_RUN, type RunEvent, type RunRecord, type Transition, transition } from '@retry/core/lifecycle';
import { eventsAt, type Limits, wouldSend } from './worker-events.ts';

/** A run that was reached by some sequence of events. */
export interface Node {
  readonly run: RunRecord;
  /** It was completed or cancelled while started: that claim is in no counter of the run. */
  readonly hasEndedStarted: boolean;
  /** When it reached this state. */
  readonly at: number;
}

/** One event that was applied to one run. */
export interface Step {
  readonly from: Node;
  readonly event: RunEvent;
  readonly answer: Transition;
  /** The run after it; absent if it was rejected. */
  readonly to?: Node;
  /** It was accepted, and a worker that follows the decisions of core would send it. */
  readonly isSent: boolean;
}

/** Everything that was reached. */
export interface Exploration {
  /** Runs that differ in state, counters or in which timestamps they have. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** The nodes from which each node was reached, without itself. */
  readonly origins: ReadonlyMap<string, ReadonlySet<string>>;
  readonly tried: number;
}

/** Far above the size of any exploration; a broken lifecycle may be infinite. */
const MAX_NODES = 100_000;
/** Time between two events. */
const STEP_MS = 1_000;

/** Applies every event to every reachable run, breadth first, until there are no new runs. */
export function explore(limits: Limits, visit: (step: Step) => void): Exploration {
  const run = { ...NEW_RUN, carried: limits.carried ?? 0 };
  const first: Node = { run, hasEndedStarted: false, at: 0 };
  const nodes = new Map([[keyOf(first), first]]);
  const origins = new Map<string, Set<string>>();
  let tried = 0;
  // A Map's iterator also yields entries that are added while it runs: it serves as the queue.
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

/** The identity of a run without its instants: they only grow, so it matters only which are set. */
function keyOf({ run, hasEndedStarted }: Node): string {
  const { epoch, resetEpoch, failures, stalls, releases, rateLimits, redrives, carried } = run;
  const counts = [epoch, resetEpoch, failures, stalls, releases, rateLimits, redrives, carried];
  const stamps = [
    run.createdAt,
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
