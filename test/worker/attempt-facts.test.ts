import { NonRetryableError } from '@retry/core';
import type { AttemptError } from '@retry/core/broker';
import type { TaskContext, WorkerOptions } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { advanceUntilEnded, pass, setScene, untilStopped } from './scene.ts';

const FIXED = { backoff: { type: 'constant', base: '1s' }, jitter: 'none', maxAttempts: 2 } as const;

type Handler = (payload: null, context: TaskContext) => unknown;

/** The stored errors of a run whose attempts take 250 ms, after an hour at most. */
async function errorsOf(
  run: Handler,
  { task = {}, worker = {} }: { task?: object; worker?: Partial<WorkerOptions> } = {},
): Promise<readonly AttemptError[]> {
  const { clock, queue, startWorker } = setScene();
  const defined = defineTask({
    name: 'task',
    retry: FIXED,
    ...task,
    run: async (payload: null, context) => {
      await pass(clock, 250);
      return run(payload, context);
    },
  });
  const { id } = await queue.submit(defined, null);
  startWorker({ tasks: [defined], name: 'worker of the scene', ...worker });
  await advanceUntilEnded({ clock, queue }, { minutes: 60 });
  return (await queue.get(id))?.errors ?? [];
}

function failWith(error: unknown): Handler {
  return () => {
    throw error;
  };
}

describe('what is recorded of a failed attempt', () => {
  it('has when it started, how long it took, by which worker, and why it was retried or not', async () => {
    const errors = await errorsOf(failWith(new Error('no')));

    const worker = 'worker of the scene';
    expect(errors).toMatchObject([
      { epoch: 1, startedAt: 0, at: 250, durationMs: 250, worker, reason: 'retried' },
      { epoch: 2, startedAt: 1_250, at: 1_500, durationMs: 250, worker, reason: 'exhausted' },
    ]);
  });

  it('has code, code of the cause, status, and the delay that the server asked for', async () => {
    const cause = Object.assign(new Error('socket'), { code: 'ECONNRESET' });
    const error = Object.assign(new Error('no', { cause }), {
      code: 'E1',
      status: 503,
      headers: { 'retry-after': '2' },
    });

    const [first] = await errorsOf(failWith(error));

    expect(first).toMatchObject({ code: 'E1', causeCode: 'ECONNRESET', status: 503, retryAfterMs: 2_000 });
  });

  it('has nothing that the error had not', async () => {
    const [first] = await errorsOf(failWith(new Error('no')));

    expect(Object.keys(first ?? {}).sort()).toEqual(
      ['at', 'durationMs', 'epoch', 'message', 'name', 'reason', 'startedAt', 'worker'].sort(),
    );
  });

  it.each<[string, Handler, object]>([
    ['stopped', failWith(new NonRetryableError('no')), {}],
    ['unexpected', failWith(new Error('no')), { retry: { ...FIXED, retryOn: 'nothing' } }],
    ['total-timeout', failWith(new Error('no')), { retry: { ...FIXED, totalTimeout: '1s' } }],
    ['asked', (_, { retry }) => retry({ delay: '1s' }), {}],
    ['ended', (_, { release }) => release({ delay: '1s' }), { maxReleases: 0 }],
  ])('has the reason %s', async (reason, run, task) => {
    const errors = await errorsOf(run, { task });

    expect(errors.at(-1)).toMatchObject({ reason, durationMs: 250, worker: 'worker of the scene' });
  });

  it('has the start of an attempt whose worker was lost, and no worker', async () => {
    const { broker, clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'task', onStall: 'fail', run: untilStopped });
    const { id } = await queue.submit(task, null);
    const lanes = new Map([[task.lane, 1]]);
    await broker.exchange({
      claim: { worker: 'lost', requestId: 'r', limit: 1, lanes, leaseMs: 1_000 },
    });
    startWorker({ tasks: [task] });
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    const [error] = (await queue.get(id))?.errors ?? [];
    expect(error).toMatchObject({ name: 'StalledError', epoch: 1, startedAt: 0, reason: 'stalled' });
    expect(error?.worker).toBeUndefined();
    expect(error?.durationMs).toBeUndefined();
  });

  it('has the reason ended where the payload cannot be read', async () => {
    const { broker, clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'task', run: () => null });
    await broker.submit([{ id: 'a', lane: task.lane, payload: 'no JSON' }]);
    startWorker({ tasks: [task] });
    await clock.advance('1s');

    expect((await queue.get('a'))?.errors).toMatchObject([{ startedAt: 0, reason: 'ended' }]);
  });

  it('has the reason ended and the facts of the error where an operator ended the run', async () => {
    const { queue } = setScene();
    const task = defineTask({ name: 'task', run: () => null });
    const { id } = await queue.submit(task, null);

    await queue.fail(id, Object.assign(new Error('no'), { code: 'E\0\ud800', status: 409 }));

    const [error] = (await queue.get(id))?.errors ?? [];
    expect(error).toMatchObject({ code: 'E\ufffd\ufffd', status: 409, reason: 'ended' });
    expect(error).not.toHaveProperty('startedAt');
  });

  it('is bounded: at most 64 characters of a code, 128 of the name of the worker', async () => {
    const cause = { code: 'C'.repeat(1_000) };
    const error = Object.assign(new Error('no', { cause }), { code: 'E'.repeat(1_000) });

    const [first] = await errorsOf(failWith(error), { worker: { name: 'w'.repeat(500) } });

    expect(first).toMatchObject({
      code: 'E'.repeat(64),
      causeCode: 'C'.repeat(64),
      worker: 'w'.repeat(128),
    });
  });

  it.each<[string, unknown]>([
    ['objects', { status: {}, code: {}, headers: 5 }],
    ['no finite numbers', { status: Number.NaN, code: Number.POSITIVE_INFINITY }],
    [
      'what throws',
      {
        get status() {
          throw new Error('status');
        },
        get code() {
          throw new Error('code');
        },
      },
    ],
  ])('leaves out facts that are %s', async (_name, facts) => {
    const error = Object.defineProperties(new Error('no'), Object.getOwnPropertyDescriptors(facts));

    const [first] = await errorsOf(failWith(error));

    for (const key of ['code', 'causeCode', 'status', 'retryAfterMs']) expect(first).not.toHaveProperty(key);
  });
});

describe('the codes of a failed attempt', () => {
  const secret = Object.assign(new Error('no', { cause: { code: 'token=geheim' } }), {
    code: 'postgres://me:geheim@db',
    status: 500,
  });

  it('are stored without secrets', async () => {
    const [first] = await errorsOf(failWith(secret));

    expect(first).toMatchObject({ code: 'postgres://***@db', causeCode: 'token=***', status: 500 });
    expect(first).not.toHaveProperty('isRedacted');
  });

  it('are withheld by a redact that does not return them, which the record says', async () => {
    const redact = () => ({ name: 'Error', message: 'hidden' });

    const [first] = await errorsOf(failWith(secret), { worker: { redact } });

    expect(first).toMatchObject({ message: 'hidden', status: 500, isRedacted: true, reason: 'retried' });
    expect(JSON.stringify(first)).not.toMatch(/geheim|postgres|token/);
  });

  it('are those that redact returns', async () => {
    const redact = () => ({ name: 'Error', message: 'hidden', code: 'DB', causeCode: 7 });

    const [first] = await errorsOf(failWith(secret), { worker: { redact } });

    expect(first).toMatchObject({ code: 'DB', causeCode: 7 });
    expect(first).not.toHaveProperty('isRedacted');
  });

  it('are withheld with everything else of the error where redact throws', async () => {
    const redact = failWith(secret) as never;

    const [first] = await errorsOf(failWith(secret), { worker: { redact } });

    expect(first).toMatchObject({ isRedacted: true, reason: 'retried', durationMs: 250 });
    expect(first).not.toHaveProperty('status');
    expect(JSON.stringify(first)).not.toMatch(/geheim|postgres|token/);
  });
});
