import { runInNewContext } from 'node:vm';
import type { StandardSchema, TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const refuse = (): never => {
  throw new Error('a trap');
};

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

const HOSTILE: readonly (readonly [string, () => unknown])[] = [
  ['a revoked Proxy', () => revoked({})],
  ['a revoked Proxy of an error', () => revoked(new Error('inner'))],
  ['a revoked Proxy of a function', () => revoked(() => {})],
  ['a Proxy whose prototype cannot be read', () => new Proxy({}, { getPrototypeOf: refuse })],
  [
    'a Proxy of which nothing can be read',
    () =>
      new Proxy(new Error('inner'), { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse }),
  ],
  [
    'an error whose properties throw',
    () =>
      Object.defineProperties(new Error('inner'), {
        name: { get: refuse },
        message: { get: refuse },
        stack: { get: refuse },
        cause: { get: refuse },
        code: { get: refuse },
      }),
  ],
  ['an object without a prototype', () => Object.create(null)],
  ['an object that is no text', () => ({ toString: refuse, [Symbol.toPrimitive]: refuse })],
  ['a symbol', () => Symbol('thrown')],
  ['nothing', () => undefined],
  [
    'an error that is its own cause',
    () => {
      const error = new Error('loop');
      error.cause = error;
      return error;
    },
  ],
];

const READABLE: readonly (readonly [string, unknown, object])[] = [
  [
    'an error of another realm',
    runInNewContext('new TypeError("elsewhere")'),
    { name: 'TypeError', message: 'elsewhere', stack: expect.stringContaining('TypeError: elsewhere') },
  ],
  [
    'a plain object with name, message and code',
    { name: 'PostgrestError', message: 'duplicate key', code: '23505' },
    { name: 'PostgrestError', message: 'duplicate key', code: '23505' },
  ],
  ['an object with only a message', { message: 'no' }, { name: 'object', message: 'no' }],
  ['an object whose message is no text', { message: 5 }, { name: 'object', message: '[object Object]' }],
  [
    'an error with U+0000 and half pairs in its texts',
    Object.assign(new Error('a\0b\ud800c'), { name: 'n\0', code: 'E\ud800' }),
    { name: 'n\ufffd', message: 'a\ufffdb\ufffdc', code: 'E\ufffd' },
  ],
];

it.each(READABLE)('a handler that throws %s has it stored', async (_, thrown, stored) => {
  const { clock, queue, startWorker } = setScene();
  const task = defineTask({ name: 'task', retry: { maxAttempts: 1 }, run: () => Promise.reject(thrown) });
  const { id } = await queue.submit(task, null);
  startWorker({ tasks: [task] });
  await clock.advance('1m');

  expect((await queue.get(id))?.errors).toMatchObject([stored]);
});

/** Every way in which a policy reads an error. */
const POLICIES = {
  everything: {},
  matching: { retryOn: [TypeError, { name: 'X' }, { code: 'Y' }, { status: 503 }, { message: /z/ }] },
  stopping: { stopOn: [TypeError, { cause: { name: 'X' } }] },
  'server delay': { retryAfter: { max: '10s' } },
} as const;

describe.each(HOSTILE)('a handler that throws %s', (_name, make) => {
  it.each(Object.entries(POLICIES))('loses neither its slot nor its run (%s)', async (_policy, policy) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'hostile',
      retry: { maxAttempts: 2, backoff: { type: 'constant', base: '1s' }, ...policy },
      run: (_: null) => {
        throw make();
      },
    });
    const fine = defineTask({ name: 'fine', run: () => 'done' });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task, fine], concurrency: 1 });
    await clock.advance('1m');
    const next = await queue.submit(fine, null);

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', stalls: 0, releases: 0 });
    expect(await queue.get(next.id)).toMatchObject({ state: 'completed' });
  });

  it('or whose validator throws it loses neither its slot nor its run', async () => {
    const { clock, queue, startWorker } = setScene();
    let calls = 0;
    const validate = (value: unknown) => {
      calls += 1; // by submit, then by each attempt
      if (calls === 2) throw make();
      return { value };
    };
    const schema: StandardSchema = { '~standard': { version: 1, vendor: 'own', validate } };
    const task = defineTask({ name: 'hostile', schema, retry: { maxAttempts: 2 }, run: () => 'done' });
    const fine = defineTask({ name: 'fine', run: () => 'done' });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task, fine], concurrency: 1 });
    await clock.advance('1m');
    const next = await queue.submit(fine, null);

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', failures: 1, stalls: 0 });
    expect(await queue.get(next.id)).toMatchObject({ state: 'completed' });
  });

  it('or a payload whose toJSON throws it is refused as a payload', async () => {
    const { queue } = setScene();
    const task = defineTask({ name: 'hostile', run: (_: unknown) => 'done' });
    const payload = {
      toJSON: () => {
        throw make();
      },
    };

    await expect(queue.submit(task, payload)).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
  });

  it('or asks for a retry with it gets that retry', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'hostile',
      retry: { maxAttempts: 2 },
      run: (_: null, { attempt, retry }: TaskContext) =>
        attempt === 1 ? retry({ delay: 0, error: make() ?? 'none' }) : 'done',
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], concurrency: 1 });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', failures: 1 });
  });
});

describe('a broker that throws what cannot be read', () => {
  it('is asked again, as after any error', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let left = 3;
    const task = defineTask({ name: 'fine', run: () => 'done' });
    const { id } = await queue.submit(task, null);
    startWorker({
      tasks: [task],
      broker: {
        ...broker,
        exchange: (request) => {
          left -= 1;
          return left >= 0 ? Promise.reject(revoked({})) : broker.exchange(request);
        },
      },
    });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });
});
