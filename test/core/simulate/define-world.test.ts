import type { Problem } from '@retry/core';
import { definePolicy, InvalidOptionsError } from '@retry/core';
import type { WorldInput } from '@retry/core/simulate';
import { compare, renderTimeline, simulate } from '@retry/core/simulate';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineWorld } from '../../../packages/core/src/simulate/world/define-world.ts';

const POLICY = definePolicy();

const WORLD: WorldInput = { traffic: { perSecond: 1 }, server: { type: 'optimistic-lock' } };

function problemsOf(act: () => unknown): readonly Problem[] {
  try {
    act();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems;
    throw error;
  }
  return [];
}

function pathsOf(world: unknown): readonly string[] {
  return problemsOf(() => simulate(POLICY, world as WorldInput)).map(({ path }) => path);
}

describe('a world', () => {
  it.each<[string, object, readonly string[]]>([
    ['no traffic', { traffic: undefined }, ['traffic']],
    ['traffic of another kind', { traffic: { type: 'half-open', perSecond: 1 } }, ['traffic.type']],
    ['a negative rate', { traffic: { perSecond: -1 } }, ['traffic.perSecond']],
    ['no rate', { traffic: { perSecond: [] } }, ['traffic.perSecond']],
    [
      'rates out of order',
      {
        traffic: {
          perSecond: [
            { at: '2s', perSecond: 1 },
            { at: '1s', perSecond: 1 },
          ],
        },
      },
      ['traffic.perSecond'],
    ],
    [
      'a rate without its instant',
      { traffic: { perSecond: [{ perSecond: 1, when: 2 }] } },
      ['traffic.perSecond[0].when', 'traffic.perSecond[0].at'],
    ],
    ['no clients', { traffic: { type: 'closed', clients: 0 } }, ['traffic.clients']],
    [
      'a rate of clients that wait',
      { traffic: { type: 'closed', clients: 1, perSecond: 1 } },
      ['traffic.perSecond'],
    ],
    ['no server', { server: undefined }, ['server']],
    ['a server of another kind', { server: { type: 'fast' } }, ['server.type']],
    ['no capacity', { server: { type: 'capacity', perSecond: 0 } }, ['server.perSecond']],
    ['a server without latency', { server: { type: 'concurrency', perRequest: 1 } }, ['server.latency']],
    [
      'a deviation of nothing',
      { network: { type: 'constant', mean: 1, deviation: 1 } },
      ['network.deviation'],
    ],
    ['trouble without an end', { trouble: { type: 'outage' } }, ['trouble.for']],
    [
      'the capacity of an outage',
      { trouble: { type: 'outage', for: 1, capacity: 0.5 } },
      ['trouble.capacity'],
    ],
    ['a lock in a brown-out', { trouble: { type: 'brown-out', for: 1 } }, ['trouble']],
    ['a share over 1', { errorShare: 2 }, ['errorShare']],
    ['six layers', { layers: 6 }, ['layers']],
    ['no process', { processes: 0 }, ['processes']],
    ['more processes than there is room for', { processes: 2 ** 53 }, ['processes']],
    ['a wrong budget', { budget: { type: 'ratio', ratio: -1 } }, ['budget.ratio']],
    ['a wrong shared budget', { budget: { type: 'shared', ratio: -1 } }, ['budget.ratio']],
    ['an unknown key of a shared budget', { budget: { type: 'shared', ratio: 1, max: 1 } }, ['budget.max']],
    ['a wrong circuit breaker', { circuitBreaker: { failureRatio: 2 } }, ['circuitBreaker.failureRatio']],
    ['no time', { duration: 0 }, ['duration']],
    ['too many buckets', { bucket: '1ms', duration: '1h' }, ['bucket']],
    ['an unknown key', { capacity: 1 }, ['capacity']],
  ])('with %s is refused', (_name, wrong, paths) => {
    expect(pathsOf({ ...WORLD, ...wrong })).toEqual(paths);
  });

  it('is a typed error whatever is passed instead, wherever', () => {
    const keys = [
      'traffic',
      'server',
      'network',
      'trouble',
      'errorShare',
      'layers',
      'budget',
      'duration',
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom('', ...keys), fc.anything(), (key, value) => {
        const world = key === '' ? value : { traffic: { perSecond: 0 }, server: WORLD.server, [key]: value };

        expect(problemsOf(() => defineWorld(world as WorldInput)).every(({ cure }) => cure !== '')).toBe(
          true,
        );
      }),
    );
  });

  it('needs at least 30 seeds, and has room for 100 000', () => {
    for (const runs of [29, 100_001, 2 ** 53])
      expect(problemsOf(() => simulate(POLICY, WORLD, { runs }))).toMatchObject([
        { path: 'runs', value: runs, message: 'must be an integer from 30 to 100000' },
      ]);
    expect(problemsOf(() => simulate(POLICY, WORLD, { seed: 0.5 }))).toMatchObject([{ path: 'seed' }]);
  });

  it('needs a defined policy', () => {
    expect(problemsOf(() => simulate({ maxAttempts: 3 } as never, WORLD))).toMatchObject([
      { path: 'policy' },
    ]);
    expect(problemsOf(() => compare([{}] as never, WORLD))).toMatchObject([{ path: 'policy' }]);
    expect(problemsOf(() => compare([], WORLD))).toMatchObject([{ path: 'policies' }]);
  });

  it('is drawn on one mark at least', () => {
    const timeline = simulate(POLICY, WORLD);

    expect(problemsOf(() => renderTimeline(timeline, { width: 0 }))).toMatchObject([{ path: 'width' }]);
  });
});
