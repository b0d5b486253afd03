import { definePolicy } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { replay } from '@retry/core/failures';
import type { RunView, Times } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { viewRun } from '../../packages/worker/src/queue/views/run-view.ts';
import { instantWriter } from '../../packages/worker/src/queue/views/times.ts';
import { hearWarnings } from '../support/hear-warnings.ts';
import { refusalOf } from '../support/wrong-input.ts';
import type { Scene } from './scene.ts';
import { setScene, untilStopped } from './scene.ts';

const charge = defineTask({
  name: 'charge',
  version: '2',
  retry: { maxAttempts: 2, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
  run: ({ amount }: { amount: number }) => {
    if (amount < 0) throw new RangeError('negative');
    return `charged ${amount}`;
  },
});

/** One completed run since 0 s, one that failed at 11 s. */
async function chargeTwo({ clock, queue, startWorker }: Scene): Promise<void> {
  await queue.submit(charge, { amount: 5 }, { key: 'good' });
  startWorker({ tasks: [charge] });
  await clock.advance('10s');
  await queue.submit(charge, { amount: -5 }, { key: 'bad', retry: { maxAttempts: 2, ...STEADY } });
  await clock.advance('10s');
}

const STEADY = { backoff: { type: 'constant', base: '1s' }, jitter: 'none' } as const;

async function idsOf(runs: AsyncIterable<{ readonly id: string }>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of runs) ids.push(id);
  return ids;
}

describe('queue.get', () => {
  it('returns a run as people read it: task and version apart, payload, result and policy parsed', async () => {
    const scene = setScene();
    await chargeTwo(scene);

    expect(await scene.queue.get('charge@good')).toMatchObject({
      ...{ id: 'charge@good', task: 'charge', version: '2', lane: 'charge@2', state: 'completed' },
      ...{ attempt: 1, payload: { amount: 5 }, result: 'charged 5', errors: [] },
      ...{ epoch: 1, failures: 0, stalls: 0, releases: 0, rateLimits: 0, redrives: 0, carried: 0 },
      ...{ createdAt: 0, submittedAt: 0, firstStartedAt: 0, startedAt: 0, endedAt: 0 },
    });
    expect(await scene.queue.get('charge@bad')).toMatchObject({
      ...{ state: 'failed', attempt: 2, retry: { maxAttempts: 2 }, endedAt: 11_000 },
      errors: [
        { epoch: 1, at: 10_000, name: 'RangeError', message: 'negative' },
        { epoch: 2, at: 11_000 },
      ],
    });
  });

  it('has the types of the task that is given, and no run of another task', async () => {
    const scene = setScene();
    await chargeTwo(scene);
    const other = defineTask({ name: 'other', run: () => {} });
    const older = defineTask({ ...{ name: 'charge', version: '1' }, run: (_: { amount: number }) => '' });

    const run = await scene.queue.get(charge, 'charge@good');

    expectTypeOf(run).toEqualTypeOf<RunView<{ amount: number }, string> | undefined>();
    expect(run?.payload?.amount).toBe(5);
    expect(await scene.queue.get(other, 'charge@good')).toBeUndefined();
    expect((await scene.queue.get(older, 'charge@good'))?.version).toBe('2');
  });

  it('takes what submit returned, with the type of its result', async () => {
    const { queue } = setScene();
    const submitted = await queue.submit(charge, { amount: 5 });

    const run = await queue.get(submitted);

    expectTypeOf(run?.result).toEqualTypeOf<string | undefined>();
    expect(run).toMatchObject({ id: submitted.id, attempt: 1, state: 'submitted' });
  });

  it('writes instants as the queue says, or the call', async () => {
    const { clock, broker } = setScene(Date.UTC(2026, 10, 22));
    const queue = createQueue({ broker, clock, times: 'iso' });
    await queue.submit(charge, { amount: 5 }, { key: 'a' });

    const run = await queue.get('charge@a');
    const dated = await queue.get('charge@a', { times: 'date' });

    expectTypeOf(run?.createdAt).toEqualTypeOf<string | undefined>();
    expectTypeOf(dated?.createdAt).toEqualTypeOf<Date | undefined>();
    expect(run?.createdAt).toBe('2026-11-22T00:00:00.000Z');
    expect(dated?.createdAt).toEqual(new Date('2026-11-22'));
    expect((await queue.get('charge@a', { times: 'ms' }))?.createdAt).toBe(Date.UTC(2026, 10, 22));
  });

  it('marks stored text that cannot be read, and returns the rest', async () => {
    const { broker, queue } = setScene();
    const broken = { id: 'a', lane: 'strange', payload: '{"__proto__":{}}', retry: '{' };
    await broker.submit([broken]);

    const run = await queue.get('a');

    expect(run).toMatchObject({ task: 'strange', version: '', state: 'submitted' });
    expect(run?.unreadable).toEqual({
      payload: 'the payload has a key __proto__, which would pollute prototypes. Give it another name.',
      retry: 'the policy is not JSON text',
    });
    expect(run).not.toHaveProperty('payload');
    expect((await queue.list()).runs).toEqual([run]);
  });

  it('can be given to replay', async () => {
    const scene = setScene();
    await chargeTwo(scene);
    const run = await scene.queue.get('charge@bad');

    expect(run && replay(definePolicy({ maxAttempts: 5 }), run)).toMatchObject({
      isRetried: true,
      attempt: 2,
    });
  });
});

describe('attempt of a view', () => {
  it.each<[string, Partial<Run>, number]>([
    ['waits for its first one', { state: 'submitted' }, 1],
    ['waits after two failures and a stall', { state: 'scheduled', epoch: 3, failures: 2, stalls: 1 }, 4],
    ['waits after a release', { state: 'submitted', epoch: 1, releases: 1 }, 1],
    ['runs again', { state: 'started', epoch: 2, failures: 1 }, 2],
    ['completed at its third', { state: 'completed', epoch: 3, failures: 2 }, 3],
    ['was completed by an operator', { state: 'completed', epoch: 2, failures: 2 }, 2],
    ['failed at its second', { state: 'failed', epoch: 2, failures: 2 }, 2],
    ['was failed before it started', { state: 'failed' }, 0],
    ['was cancelled while it ran', { state: 'cancelled', epoch: 1 }, 1],
    ['was redriven', { state: 'submitted', epoch: 4, resetEpoch: 4 }, 1],
  ])('of a run that %s', (_name, facts, attempt) => {
    const counters = {
      epoch: 0,
      resetEpoch: 0,
      failures: 0,
      stalls: 0,
      releases: 0,
      rateLimits: 0,
      carried: 0,
    };
    const run = { id: 'a', lane: 'l', payload: '1', errors: [], ...counters, ...facts } as unknown as Run; // all that a view reads

    expect(viewRun(run, { writeInstant: instantWriter('ms'), payloads: 'include' }).attempt).toBe(attempt);
  });
});

describe('instants of a view', () => {
  it('are the same instant in each form, to the millisecond', () => {
    const instant = fc.integer({ min: -8.64e15, max: 8.64e15 });
    fc.assert(
      fc.property(instant, (at) => {
        expect(Date.parse(instantWriter('iso')(at))).toBe(at);
        expect(instantWriter('date')(at).getTime()).toBe(at);
        expect(instantWriter('ms')(at)).toBe(at);
      }),
    );
  });
});

describe('queue.list', () => {
  /** One run a state, and two versions of a task that fails. */
  async function fill(scene: Scene): Promise<void> {
    hearWarnings(); // of a lane that nobody works on
    const { clock, queue, startWorker } = scene;
    await chargeTwo(scene);
    const silent = defineTask({ name: 'silent', run: untilStopped });
    const [one, two] = ['1', '2'].map((version) =>
      defineTask({
        ...{ name: 'mail', version },
        retry: { maxAttempts: 1 },
        run: () => Promise.reject(version),
      }),
    );
    if (one === undefined || two === undefined) return;
    await queue.submit(silent, null, { key: 'a' });
    await queue.submit(one, null, { key: 'one' });
    await queue.submit(two, null, { key: 'two' });
    startWorker({ tasks: [silent, one, two] });
    await clock.advance('10s');
    await queue.submit(charge, { amount: 1 }, { key: 'later', delay: '1d' });
    await queue.submit(defineTask({ name: 'unknown', run: () => {} }), null, { key: 'waits' });
  }

  it.each([
    [
      'nothing: dead letters first',
      {},
      'charge@bad mail@one mail@two silent@a charge@later unknown@waits charge@good',
    ],
    ['a state', { state: 'scheduled' }, 'charge@later'],
    ['several states', { state: ['submitted', 'started'] }, 'silent@a unknown@waits'],
    ['a task', { task: charge }, 'charge@bad charge@later charge@good'],
    ['the name of a task: all versions', { task: 'mail' }, 'mail@one mail@two'],
    ['a name and a version', { task: 'mail', version: '2' }, 'mail@two'],
    ['another version of a task', { task: charge, version: '1' }, ''],
    ['an attempt', { attempt: 2 }, 'charge@bad'],
    ['the name of the latest error', { errorName: 'RangeError' }, 'charge@bad'],
    ['an end before', { endedBefore: 11_000 }, 'charge@good'],
    ['an end at or after', { endedAfter: 11_000 }, 'charge@bad mail@one mail@two'],
    [
      'ends as text and as an object',
      { endedAfter: '1970-01-01T00:00:11Z', endedBefore: new Date(11_001) },
      'charge@bad',
    ],
  ] as const)('filters by %s', async (_name, filter, ids) => {
    const scene = setScene();
    await fill(scene);

    const all = await idsOf(scene.queue.list(filter));
    const paged: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await scene.queue.list({ ...filter, limit: 1, after });
      expect(page.next ?? '').toMatch(/^[\w-]*$/); // as shells and URLs take it
      paged.push(...page.runs.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }

    expect(all.join(' ')).toBe(ids);
    expect(paged).toEqual(all);
  });

  it('has the types of the task that is given, and the times of the call', async () => {
    const scene = setScene();
    await chargeTwo(scene);

    for await (const { payload, result, endedAt } of scene.queue.list({ task: charge, times: 'iso' })) {
      expectTypeOf(payload).toEqualTypeOf<{ amount: number } | undefined>();
      expectTypeOf(result).toEqualTypeOf<string | undefined>();
      expectTypeOf(endedAt).toEqualTypeOf<string | undefined>();
      expect(endedAt).toMatch(/^1970-01-01T00:00:/);
    }
  });

  it('reads no payload on request, and no page before it is needed', async () => {
    const scene = setScene();
    for (let index = 0; index < 5; index += 1) await scene.queue.submit(charge, { amount: index });
    const list = vi.fn(scene.broker.list);
    const queue = createQueue({ broker: { ...scene.broker, list }, clock: scene.clock });

    for await (const run of queue.list({ state: 'submitted', payloads: 'omit', limit: 2 })) {
      expect(run).not.toHaveProperty('payload');
      expect(run).not.toHaveProperty('unreadable');
      break;
    }

    expect(list.mock.calls).toMatchObject([[{ state: 'submitted', limit: 2, payloads: 'omit' }]]);
  });

  it.each([
    ['next', { after: 'next' }],
    ['{', { after: '{' }],
    ['the place of another state', { state: 'failed', after: cursorOf('started', null) }],
    ['a place that the broker refuses', { state: 'started', after: cursorOf('started', 'x') }],
  ] as const)('refuses an after that is %s', async (_name, options) => {
    const { queue } = setScene();

    const refused = await refusalOf(() => queue.list(options));

    expect(refused.problems).toMatchObject([{ path: 'after', value: options.after }]);
    expect(refused.message).toMatch(
      /^invalid list\n- after must be the next of a page with the same filter, got/,
    );
  });

  it.each([
    [{ state: 'unsubmitted' }, 'state must be a state, or a list of states'],
    [{ state: [] }, 'state must be a state, or a list of states'],
    [{ task: 'mail@1' }, 'task must be a task, or the name of one'],
    [{ version: '2' }, 'task is required with version'],
    [{ attempt: 1.5 }, 'attempt must be an integer ≥ 0'],
    [{ endedBefore: 'yesterday' }, 'endedBefore must be an instant'],
    [{ endedBefore: '2026-11-22T10:00:00' }, 'endedBefore must be an instant'],
    [{ endedBefore: '2026-02-30T00:00Z' }, 'endedBefore must be an instant'],
    [{ endedAfter: '2025-02-29T00:00:00+01:00' }, 'endedAfter must be an instant'],
    [{ endedAfter: '2026-04-31T23:59:59.999Z' }, 'endedAfter must be an instant'],
    [{ endedAfter: new Date(Number.NaN) }, 'endedAfter must be an instant'],
    [{ times: 'seconds' }, 'times is not one of the choices'],
    [{ limit: 1_001 }, 'limit must be an integer from 1 to 1000'],
  ])('refuses %o', async (options, problem) => {
    const { queue } = setScene();

    const refused = await refusalOf(() => queue.list(options as never));

    expect(refused.message).toContain(problem);
  });
});

/** What a page that ends there has as its `next`. */
function cursorOf(...parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

describe('queue.search', () => {
  it.each([
    ['an id', { text: 'BAD' }, 'charge@bad'],
    ['the message of an error', { text: 'negative' }, 'charge@bad'],
    ['the name of an error', { text: 'rangeerror' }, 'charge@bad'],
    ['a payload', { text: '"amount":5' }, 'charge@good'],
    ['text that none has', { text: 'nowhere' }, ''],
    ['a state', { text: 'charge', state: 'completed' }, 'charge@good'],
    ['a time', { from: 0, to: 11_000 }, 'charge@good'],
    ['a time from its first to before its last instant', { from: 11_000, to: 11_001 }, 'charge@bad'],
    ['an attempt', { task: 'charge', attempt: 1 }, 'charge@good'],
    ['the name of the latest error', { errorName: 'RangeError', text: 'charge' }, 'charge@bad'],
    ['the name of an error that none has', { errorName: 'TypeError', text: 'charge' }, ''],
  ] as const)('finds runs by %s', async (_name, options, ids) => {
    const scene = setScene();
    await chargeTwo(scene);

    const page = await scene.queue.search(options);

    expect(page.runs.map(({ id }) => id).join(' ')).toBe(ids);
    expect(page).toMatchObject({ isComplete: true });
    expect(page).not.toHaveProperty('next');
    expect(await idsOf(scene.queue.search({ ...options, limit: 1 }))).toEqual(page.runs.map(({ id }) => id));
  });

  it('refuses a time that ends before it begins', async () => {
    const { queue } = setScene();

    const search = queue.search({ from: 2_000, to: 1_000 });

    await expect(search).rejects.toMatchObject({ problems: [{ path: 'to', value: 1_000 }] });
  });

  it('says how many it looked at, and that there are more', async () => {
    const scene = setScene();
    for (let index = 0; index < 5; index += 1) await scene.queue.submit(charge, { amount: index });

    const page = await scene.queue.search({ task: charge, state: 'submitted', text: 'amount', limit: 2 });

    expect(page.runs).toHaveLength(2);
    expect(page).toMatchObject({ searched: 2, isComplete: false, next: expect.any(String) });
    expectTypeOf(page.runs[0]?.payload).toEqualTypeOf<{ amount: number } | undefined>();
  });
});

describe('queue.result', () => {
  it('writes the instants of errors as the queue says', async () => {
    const scene = setScene();
    await chargeTwo(scene);
    const times: Times = 'date';

    const result = await createQueue({ broker: scene.broker, times }).result('charge@bad');

    expect(result?.errors.map(({ at }) => at)).toEqual([new Date(10_000), new Date(11_000)]);
  });
});
