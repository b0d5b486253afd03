import { isEnd, RUN_STATES, type RunRecord, transition } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';
import { EXPECTED_ARROWS } from './expected-arrows.ts';
import { type Exploration, explore, nodesLeadingTo, type Step } from './explore.ts';
import { LAWS } from './laws.ts';
import { eventsAt, type Limits } from './worker-events.ts';

/** What was found. */
export interface Findings extends Exploration {
  /** The first few steps that break each law, by its sentence. */
  readonly broken: ReadonlyMap<string, readonly string[]>;
  /** `from event to` of every move. */
  readonly arrows: ReadonlySet<string>;
  /** The moves of a worker that follows the decisions of core. */
  readonly sentArrows: ReadonlySet<string>;
  /** `state event` of every event that was tried. */
  readonly pairs: ReadonlySet<string>;
}

/** Tries every event on every run that can be reached within the limits. */
export function examine(limits: Limits): Findings {
  const broken = new Map<string, string[]>();
  const [arrows, sentArrows, pairs] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const exploration = explore(limits, (step) => {
    const { from, event, to, isSent } = step;
    pairs.add(`${from.run.state} ${event.type}`);
    if (to !== undefined) arrows.add(`${from.run.state} ${event.type} ${to.run.state}`);
    if (to !== undefined && isSent) sentArrows.add(`${from.run.state} ${event.type} ${to.run.state}`);
    for (const { sentence, holds } of LAWS) if (!holds(step, limits)) note(broken, sentence, step);
  });
  return { ...exploration, broken, arrows, sentArrows, pairs };
}

function note(broken: Map<string, string[]>, sentence: string, { from, event, answer }: Step): void {
  const steps = broken.get(sentence) ?? [];
  if (steps.length < 3) steps.push([from.run, event, answer].map((part) => JSON.stringify(part)).join(' + '));
  broken.set(sentence, steps);
}

/** The events of a run that is not cancelled, limited or dropped. */
function carryOut(run: RunRecord): RunRecord {
  const next = {
    unsubmitted: 'submit',
    scheduled: 'promote',
    submitted: 'start',
    started: 'complete',
  } as const;
  if (isEnd(run.state)) return run;
  const answer = transition(run, { type: next[run.state], at: 1_000_000 });
  return answer.type === 'moved' ? carryOut(answer.run) : run;
}

/** States what holds of every run within the limits. */
export function describeRuns(limits: Limits): void {
  const { maxAttempts, maxRedrives, carried } = limits;
  describe(`a run with ${maxAttempts} attempts and ${maxRedrives} redrives that carries ${carried ?? 0}`, () => {
    const findings = examine(limits);
    const { nodes, broken, arrows, sentArrows, pairs, tried } = findings;

    it.each(LAWS.map(({ sentence }) => sentence))('%s', (sentence) => {
      expect(broken.get(sentence) ?? []).toEqual([]);
    });

    it('reaches every arrow of the table and no other', () => {
      const expected = EXPECTED_ARROWS.map(([from, event, to]) => `${from} ${event} ${to}`);

      expect([...arrows].sort()).toEqual([...expected].sort());
    });

    it('can use up its attempts, and no more', () => {
      const charged = [...nodes.values()].map(({ run }) => run.carried + run.failures + run.stalls);

      expect(Math.max(...charged)).toBe(limits.maxAttempts);
    });

    it('can end from every state', () => {
      const leading = nodesLeadingTo(findings, (run) => isEnd(run.state));

      expect([...nodes.keys()].filter((key) => !leading.has(key))).toEqual([]);
    });

    it('can complete from every state that is not terminal', () => {
      const active = [...nodes.values()].map(({ run }) => run).filter(({ state }) => !isEnd(state));

      expect(active.map(carryOut).filter(({ state }) => state !== 'completed')).toEqual([]);
    });

    it('is explored completely', () => {
      expect(RUN_STATES).toHaveLength(10);
      expect(eventsAt(0)).toHaveLength(41);
      expect(pairs.size).toBe(170); // 10 states x 17 events
      expect(tried).toBe(nodes.size * 41);
      expect(nodes.size).toBeGreaterThan(1_000);
    });

    it('needs only the arrows that a worker takes by the decisions of core', () => {
      // With one attempt in all there is nothing to retry, and nothing to recover.
      const unused = [...arrows].filter((arrow) => !sentArrows.has(arrow));

      expect(unused.every((arrow) => limits.maxAttempts === 1 && /^\w+ (retry|recover) /.test(arrow))).toBe(
        true,
      );
    });
  });
}
