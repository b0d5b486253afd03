import { figuresBy } from '@retry/core/broker/kit';
import { fingerprint } from '@retry/core/failures';
import { createQueue, defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { figuresOf } from '../../packages/broker-contract/src/insight/figures-of.ts';
import type { Scene } from './scene.ts';
import { setScene } from './scene.ts';

const retry = { maxAttempts: 2, backoff: { type: 'none' }, jitter: 'none' } as const;

/** Fails with the error that its payload names. */
function failing(name: string, version = '1') {
  return defineTask({
    ...{ name, version, retry },
    run: (kind: string, { attempt }) => Promise.reject(new TypeError(`no ${kind} ${attempt}`)),
  });
}

const mail = failing('mail');
const mailTwo = failing('mail', '2');
const image = failing('image');

const idOf = (kind: string): string => fingerprint(new TypeError(`no ${kind} 1`)).id;

/** Three causes in three lanes, one after the other: 3, 1 and 2 dead letters of `mail@1`, `mail@2` and `image@1`. */
async function bury(scene: Scene): Promise<void> {
  const { clock, queue, startWorker } = scene;
  const worker = startWorker({ tasks: [mail, mailTwo, image] });
  for (const [task, kind, count] of [
    [mail, 'route', 2],
    [mail, 'paper', 1],
    [mailTwo, 'route', 1],
    [image, 'light', 2],
  ] as const)
    for (let index = 0; index < count; index += 1) {
      await queue.submit(task, kind, { key: `${kind}-${task.version}-${index}` });
      await clock.advance('1s');
    }
  await worker.stop();
}

describe('deadLetters.groups', () => {
  it('returns the dead letters by cause, the largest first', async () => {
    const scene = setScene();
    await bury(scene);

    const { groups, deadLetters, next } = await scene.queue.deadLetters.groups({ times: 'iso' });

    expect(deadLetters).toBe(6);
    expect(next).toBeUndefined();
    expect(groups.map(({ lane, title, count }) => [lane, title, count])).toEqual([
      ['image@1', 'TypeError: no light #', 2],
      ['mail@1', 'TypeError: no route #', 2],
      ['mail@1', 'TypeError: no paper #', 1],
      ['mail@2', 'TypeError: no route #', 1],
    ]);
    expect(groups[1]).toEqual({
      ...{ id: idOf('route'), title: 'TypeError: no route #', lane: 'mail@1', task: 'mail', version: '1' },
      ...{ count: 2, share: 2 / 6, attempts: 4, isOther: false, sampleId: 'mail@route-1-1' },
      ...{ firstSeenAt: '1970-01-01T00:00:00.000Z', lastSeenAt: '1970-01-01T00:00:01.000Z' },
    });
    expectTypeOf(groups).items.toHaveProperty('firstSeenAt').toEqualTypeOf<string>();
  });

  it.each([
    ['a task', { task: mail }, ['mail@1 2', 'mail@1 1'], 3],
    ['the name of a task: all versions', { task: 'mail' }, ['mail@1 2', 'mail@1 1', 'mail@2 1'], 6],
    ['a name and a version', { task: 'mail', version: '2' }, ['mail@2 1'], 1],
    ['a task that has none', { task: 'sms' }, [], 6],
  ] as const)('filters by %s', async (_name, filter, expected, deadLetters) => {
    const scene = setScene();
    await bury(scene);

    const page = await scene.queue.deadLetters.groups(filter);

    expect(page.groups.map(({ lane, count }) => `${lane} ${count}`)).toEqual(expected);
    expect(page.deadLetters).toBe(deadLetters);
  });

  it('returns every group once, by pages of any size, whose shares add up', async () => {
    const scene = setScene();
    await bury(scene);

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(undefined, 'mail', 'image', 'sms'),
        async (limit, task) => {
          const shares: number[] = [];
          const seen: string[] = [];
          for (let after: string | undefined; ; ) {
            const { groups, next } = await scene.queue.deadLetters.groups({ task, limit, after });
            expect(groups.length).toBeLessThanOrEqual(limit);
            seen.push(...groups.map(({ lane, id }) => `${lane} ${id}`));
            shares.push(...groups.map(({ share }) => share));
            after = next;
            if (after === undefined) break;
          }
          const all = (await scene.queue.deadLetters.groups({ task })).groups;
          expect(seen).toEqual(all.map(({ lane, id }) => `${lane} ${id}`));
          if (task === undefined) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
        },
      ),
    );
  });

  it('looks at a bounded number of groups of other tasks', async () => {
    const scene = setScene();
    let calls = 0;
    const page = { groups: [], deadLetters: 1, next: 'more' };
    const groups = async () => {
      calls += 1;
      return page;
    };
    const broker = { ...scene.broker, figures: figuresBy({ ...figuresOf(scene), groups }) };

    const { next, ...found } = await createQueue({ broker }).deadLetters.groups({ task: 'sms' });
    expect(found).toEqual({ groups: [], deadLetters: 1 });
    expect(next).toMatch(/^[\w-]+$/);
    expect(calls).toBe(20);
  });

  it.each([
    ['no task', { task: 5 }, 'task'],
    ['a version alone', { version: '1' }, 'task'],
    ['a page of none', { limit: 0 }, 'limit'],
    ['an unknown option', { lane: 'mail@1' }, 'lane'],
    ['what is no cursor', { after: 'a' }, 'after'],
    ['no form of instants', { times: 's' }, 'times'],
  ])('refuses %s', async (_name, options, path) => {
    const { queue } = setScene();

    await expect(queue.deadLetters.groups(options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      problems: [{ path }],
    });
  });

  it('needs a broker with insight', async () => {
    const scene = setScene();
    const { figures: _, ...broker } = scene.broker;

    await expect(createQueue({ broker }).deadLetters.groups()).rejects.toMatchObject({
      ...{ name: 'InsightError', code: 'NO_INSIGHT' },
      message:
        'deadLetters.groups needs a broker with insight. ' +
        'Use a broker that has it: createMemoryBroker, createRedisBroker or createPostgresBroker.',
    });
  });
});

describe('the group of dead letters', () => {
  const route = ['mail@route-1-0', 'mail@route-1-1', 'mail@route-2-0'];

  it('is a filter of every method that selects some', async () => {
    const scene = setScene();
    await bury(scene);
    const { queue } = scene;
    const group = idOf('route');
    const idsOf = (page: { readonly runs: readonly { readonly id: string }[] }) =>
      page.runs.map(({ id }) => id).sort();

    expect(idsOf(await queue.list({ group }))).toEqual(route);
    expect(idsOf(await queue.search({ group, text: 'ROUTE-2' }))).toEqual(['mail@route-2-0']);
    expect(idsOf(await queue.deadLetters.list({ group }))).toEqual(route);
    expect(idsOf(await queue.deadLetters.list({ group, task: mail }))).toEqual(route.slice(0, 2));
    expect(idsOf(await queue.deadLetters.list({ group, ids: ['mail@paper-1-0', ...route] }))).toEqual(route);
    expect((await queue.get('mail@route-1-0'))?.errorGroup).toBe(group);

    const plan = await queue.deadLetters.plan({ group });
    expect(plan).toMatchObject({ count: 3, groups: [{ id: group, count: 3 }] });
    await plan.apply();
    await scene.clock.advance('10s');
    expect((await queue.deadLetters.groups()).groups.map(({ title }) => title)).toEqual([
      'TypeError: no light #',
      'TypeError: no paper #',
    ]);

    expect(await queue.deadLetters.redrive({ group: idOf('paper') })).toEqual(['mail@paper-1-0']);
    expect(await queue.deadLetters.discard({ group: idOf('light') })).toHaveLength(2);
    expect(await queue.deadLetters.groups()).toEqual({ groups: [], deadLetters: 0 });
  });

  it('is that of dead letters only', async () => {
    const { queue } = setScene();
    const group = idOf('route');

    await expect(queue.list({ group, state: 'submitted' })).rejects.toMatchObject({
      problems: [{ path: 'state' }],
    });
    await expect(queue.list({ group, state: 'completed' })).rejects.toThrow(
      'state must be of dead letters beside a group, got "completed". Use one or more of failed, ',
    );
    await expect(queue.list({ group, state: 'completed' })).rejects.toThrow(', or leave out the group.');
    await expect(queue.list({ group: 'a group' })).rejects.toMatchObject({ problems: [{ path: 'group' }] });
    await expect(queue.deadLetters.redrive({ group: '' })).rejects.toMatchObject({
      problems: [{ path: 'group' }],
    });
  });
});

describe('the name and the age of dead letters', () => {
  it('select them of all versions, and of the latest time', async () => {
    const scene = setScene();
    await bury(scene); // one a second, the first one 6 s ago
    const { queue } = scene;
    const idsOf = async (filter: object) =>
      (await queue.deadLetters.list({ ...filter, limit: 1_000 })).runs.map(({ id }) => id).sort();

    expect(await idsOf({ task: 'mail' })).toHaveLength(4);
    expect(await idsOf({ task: 'mail', version: '2' })).toEqual(['mail@route-2-0']);
    expect(await idsOf({ newerThan: '2s' })).toEqual(['image@light-1-0', 'image@light-1-1']);
    expect(await idsOf({ newerThan: '4s', olderThan: '4s' })).toEqual(['mail@paper-1-0']);
    expect(await idsOf({ task: 'mail', newerThan: '3s' })).toEqual(['mail@route-2-0']);
    const ids = ['mail@route-2-0', 'image@light-1-0', 'mail@route-1-0'];
    expect(await idsOf({ ids, task: 'mail', newerThan: '3s' })).toEqual(['mail@route-2-0']);
  });

  it('plan what they select', async () => {
    const scene = setScene();
    await bury(scene);
    const { queue } = scene;

    const plan = await queue.deadLetters.plan({ task: 'mail', newerThan: '4s' });
    expect(plan).toMatchObject({ count: 2, isComplete: true });
    expect((await queue.deadLetters.plan({ task: 'mail', limit: 3 })).firstIds).toHaveLength(3);
    const { id } = await plan.apply();
    await scene.clock.advance('10s');

    expect(await queue.operations.get(id)).toMatchObject({ done: 2, skipped: 0 });
    expect((await queue.list({ state: 'submitted' })).runs.map((run) => run.id).sort()).toEqual([
      'mail@paper-1-0',
      'mail@route-2-0',
    ]);
  });

  it('do not say which policy is meant', async () => {
    const { queue } = setScene();

    await expect(queue.deadLetters.redrive({ task: 'mail', keepAttempts: true })).rejects.toThrow(
      'Give the task itself',
    );
    const plan = await queue.deadLetters.plan({ task: 'mail' });
    await expect(plan.apply({ keepAttempts: true })).rejects.toThrow('task');
  });
});
