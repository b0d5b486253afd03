import type { PolicyInput } from '@retry/core';
import { definePolicy } from '@retry/core';
import type { Timeline, WorldInput } from '@retry/core/simulate';
import { advise, renderTimeline, simulate } from '@retry/core/simulate';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sparkLine } from '../../../packages/core/src/simulate/spark-line.ts';
import { spreadOf } from '../../../packages/core/src/simulate/spread.ts';

/** Ten calls a second, and an outage of 2 s. */
const WORLD = {
  traffic: { perSecond: 10 },
  server: { type: 'capacity', perSecond: 100 },
  trouble: { type: 'outage', at: '4s', for: '2s' },
  duration: '40s',
} as const satisfies WorldInput;

/** A surge after which three attempts each are more than the server can do. */
const COLLAPSE = {
  traffic: { perSecond: 40 },
  server: { type: 'concurrency', latency: '1s', perRequest: 10 },
  trouble: { type: 'brown-out', for: '20s' },
  attemptTimeout: '3s',
  duration: '60s',
} as const satisfies WorldInput;

/** Nothing succeeds in it, with or without the outage. */
const DOWN = { ...WORLD, errorShare: 1 } as const satisfies WorldInput;

function run(input: PolicyInput, world: WorldInput = WORLD): Timeline {
  return simulate(definePolicy(input), world);
}

describe('renderTimeline', () => {
  it('draws load and goodput, and says the figures and what to do', () => {
    const constant = { maxAttempts: 2, backoff: { type: 'constant', base: '1s' }, jitter: 'none' } as const;

    expect(renderTimeline(run(constant), { width: 20 }).split('\n')).toEqual([
      'load      ▅▄▆▆▅▅▅▄▄▄▄▅▅▄▅▄▄▄▅▄',
      'goodput   ▅▅ ▆▅▄▅▄▄▄▄▅▅▄▅▄▄▄▅▄',
      '          a mark is 2s, the highest 19/s; outage from 4s to 6s',
      'calls     399, of which 97.6 % succeed',
      'attempts  417: 1.05 a call (p95 1.06), at the peak 2.10 times the normal load',
      'recovery  normal again after 0ms (median; p95 0ms); 0 of 30 seeds are down 30 s after the trigger',
      "advice    It recovers, but calls that failed together return together: use jitter: 'full'.",
      '          (median of 30 seeds)',
    ]);
  });

  it('says never where nothing recovers', () => {
    const text = renderTimeline(run({ maxAttempts: 3, backoff: { type: 'none' } }, COLLAPSE));

    expect(text).toContain('normal again after never (median; p95 never); 30 of 30 seeds are down');
  });

  it('has lines of at most so many marks as were asked for', () => {
    const [load = '', goodput = ''] = renderTimeline(run({}), { width: 7 }).split('\n');

    expect([load.length, goodput.length]).toEqual([17, 17]);
  });
});

describe('advise', () => {
  const AT_ONCE: PolicyInput = { maxAttempts: 3, backoff: { type: 'none' } };

  it.each<[string, PolicyInput, WorldInput, string]>([
    ['a policy without retries', { maxAttempts: 1 }, WORLD, 'does not retry'],
    ['a collapse without a budget', AT_ONCE, DOWN, 'add a retry budget'],
    ['a collapse in two layers', AT_ONCE, { ...DOWN, layers: 2 }, 'let the outermost of the 2 layers retry'],
    [
      'a collapse in spite of a budget',
      AT_ONCE,
      { ...DOWN, budget: { type: 'ratio' } },
      'in spite of its budget',
    ],
    ['a collapse without retries', { maxAttempts: 1 }, DOWN, 'in 30 of 30 seeds without any retry'],
    [
      'calls that return together',
      { maxAttempts: 2, backoff: { type: 'constant', base: '2s' }, jitter: 'none' },
      { ...WORLD, traffic: { perSecond: 40 }, errorShare: 0 },
      'jitter',
    ],
    [
      'clients that fail together',
      { maxAttempts: 3, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
      { ...DOWN, traffic: { type: 'closed', clients: 20 } },
      'clients that failed together',
    ],
    [
      'goodput that stays low',
      {},
      { ...WORLD, traffic: { perSecond: 40 }, trouble: { type: 'outage', at: '38s', for: '2s' } },
      'not normal again',
    ],
    ['open traffic that recovers', {}, WORLD, 'a retry budget keeps it so'],
    ['a budget', {}, { ...WORLD, budget: { type: 'ratio' } }, 'keep it as it is'],
  ])('has one sentence about %s', (_name, policy, world, words) => {
    const sentence = advise(run(policy, world));

    expect(sentence).toContain(words);
    expect(sentence.endsWith('.')).toBe(true);
  });
});

describe('sparkLine', () => {
  it('has the highest mark for the top, a space for 0, and never more marks than its width', () => {
    expect(sparkLine([0, 1, 4, 8], { width: 4, top: 8 })).toBe(' ▁▄█');
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 100 }), (numbers, width) => {
        expect(sparkLine(numbers, { width, top: 10 }).length).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('spreadOf', () => {
  it('has percentiles that are values of the list, in order, Infinity last', () => {
    expect(spreadOf([3, Infinity, 1])).toEqual({ mean: Infinity, p5: 1, median: 3, p95: Infinity });
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(), fc.constant(Infinity)), { minLength: 1 }), (values) => {
        const { p5, median, p95 } = spreadOf(values);

        expect([p5, median, p95].every((value) => values.includes(value))).toBe(true);
        expect(p5 <= median && median <= p95).toBe(true);
      }),
    );
  });
});
