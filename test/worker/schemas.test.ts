import type { StandardSchema } from '@retry/worker';
import { defineTask, PayloadError } from '@retry/worker';
import { type } from 'arktype';
import fc from 'fast-check';
import * as valibot from 'valibot';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { setScene } from './scene.ts';

interface Mail {
  readonly to: string;
  readonly copies: number;
}

const SCHEMAS: readonly (readonly [string, StandardSchema<unknown, Mail>])[] = [
  ['zod', z.object({ to: z.string().min(3), copies: z.number() })],
  [
    'valibot',
    valibot.object({ to: valibot.pipe(valibot.string(), valibot.minLength(3)), copies: valibot.number() }),
  ],
  ['arktype', type({ to: 'string >= 3', copies: 'number' })],
];

describe.each(SCHEMAS)('a schema of %s', (_name, schema) => {
  const submitAny = async (payload: unknown) => {
    const scene = setScene();
    const task = defineTask({ name: 'mail', schema, run: (mail) => mail.copies + 1 });
    return { ...scene, task, submitted: scene.queue.submit(task, payload as Mail) };
  };

  it('accepts a payload that matches it', async () => {
    const { clock, queue, task, submitted, startWorker } = await submitAny({ to: 'ann', copies: 2 });
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.waitForResult((await submitted).id)).toBe(3);
  });

  it('refuses one that does not at submit, with every issue and its path', async () => {
    const { queue, submitted } = await submitAny({ to: 'a', copies: 'two' });

    const error: unknown = await submitted.catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(PayloadError);
    expect(error).toMatchObject({
      code: 'INVALID_PAYLOAD',
      issues: [expect.stringMatching(/^(to|copies)\b/), expect.stringMatching(/^(to|copies)\b/)],
    });
    expect((await queue.counts()).created).toBe(0);
  });

  it('refuses many with the place of the one that does not match, and its issues', async () => {
    const { queue, task } = await submitAny({ to: 'ann', copies: 1 });

    const error: unknown = await queue
      .submitMany(task, [{ to: 'ann', copies: 1 }, { to: 'ann', copies: 'two' } as never]) // wrong on purpose
      .catch((caught: unknown) => caught);

    expect(error).toMatchObject({
      code: 'INVALID_PAYLOAD',
      message: expect.stringMatching(/^payloads\[1\]: the payload does not match its schema: copies\b/),
      issues: [expect.stringMatching(/^copies\b/)],
    });
  });

  it('dead-letters a run whose payload no longer matches at start', async () => {
    const { clock, broker, queue, task, startWorker } = await submitAny({ to: 'ann', copies: 2 });
    await broker.submit([{ id: 'old', lane: 'mail@1', payload: '{"to":"bob"}' }]);
    const worker = startWorker({ tasks: [task] });

    await clock.advance(0);

    expect((await queue.deadLetters.list({ errorName: 'PayloadError' })).runs).toMatchObject([
      { id: 'old', epoch: 1, errors: [{ message: expect.stringContaining('copies') }] },
    ]);
    expect(worker.emittedOf('failed')).toMatchObject([{ id: 'old', reason: 'unreadable' }]);
  });
});

describe('a schema that fails', () => {
  const answering = (...answers: (() => unknown)[]): StandardSchema => ({
    '~standard': { version: 1, vendor: 'own', validate: async () => answers.shift()?.() as never }, // wrong on purpose
  });
  const accept = () => ({ value: 'fine' });
  const down = () => {
    throw new Error('the database is down');
  };

  it('to validate at start is a failed attempt, which is retried', async () => {
    const { clock, queue, startWorker } = setScene();
    const retry = { maxAttempts: 3, backoff: { type: 'none' }, jitter: 'none' } as const;
    const schema = answering(accept, down, accept);
    const task = defineTask({ name: 'checked', deadLetter: 'none', schema, retry, run: () => 'done' });
    const { id } = await queue.submit(task, 'x');
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', failures: 1, result: 'done' });
    expect(worker.emittedOf('retried')).toMatchObject([
      { attempt: 1, error: { message: 'the database is down' } },
    ]);
  });

  it('to validate at submit rejects with its own error, and stores nothing', async () => {
    const { queue } = setScene();
    const task = defineTask({ name: 'checked', schema: answering(down), run: () => 'done' });

    await expect(queue.submit(task, 'x')).rejects.toThrow('the database is down');
    expect((await queue.counts()).created).toBe(0);
  });

  it.each([undefined, null, 'fine', { issues: null }, { issues: [] }, { issues: [null] }, { issues: [{}] }])(
    'to answer as a Standard Schema does, by %j, is refused as such',
    async (answer) => {
      const { queue } = setScene();
      const task = defineTask({ name: 'checked', schema: answering(() => answer), run: () => 'done' });

      await expect(queue.submit(task, 'x')).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        problems: [{ path: 'schema', value: answer }],
      });
    },
  );
});

describe('a schema that transforms', () => {
  const TRANSFORMS: readonly (readonly [string, StandardSchema<string, Date>])[] = [
    ['zod', z.string().transform((text) => new Date(text))],
    [
      'valibot',
      valibot.pipe(
        valibot.string(),
        valibot.transform((text) => new Date(text)),
      ),
    ],
    ['arktype', type('string').pipe((text) => new Date(text))],
  ];

  it.each(TRANSFORMS)('passes the transformed payload to the handler (%s)', async (_name, schema) => {
    const { clock, queue, startWorker } = setScene();
    const seen: unknown[] = [];
    const task = defineTask({ name: 'dated', schema, run: (date) => void seen.push(date) });
    // What is submitted is the schema's input; what is kept is that, and not its output.
    const { id } = await queue.submit(task, '2026-11-21');
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(seen).toEqual([new Date('2026-11-21')]);
    expect(await queue.get(id)).toMatchObject({ state: 'completed', payload: '2026-11-21' });
  });

  it('makes a date again of the text that a submitted date has become', async () => {
    const { clock, queue, startWorker } = setScene();
    const seen: unknown[] = [];
    const schema = z.object({ at: z.coerce.date() });
    const task = defineTask({ name: 'dated', schema, run: ({ at }) => void seen.push(at) });
    const { id } = await queue.submit(task, { at: new Date(5) });
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(seen).toEqual([new Date(5)]);
    expect(await queue.get(id)).toMatchObject({ payload: { at: '1970-01-01T00:00:00.005Z' } });
  });

  it('passes the defaults to the handler', async () => {
    const { clock, queue, startWorker } = setScene();
    const schema = z.object({ copies: z.number().default(1) });
    const task = defineTask({ name: 'mail', schema, run: ({ copies }) => copies });
    const { id } = await queue.submit(task, {});
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.waitForResult(id)).toBe(1);
  });
});

describe('the types of a task', () => {
  const { queue } = setScene();
  const dated = defineTask({
    name: 'dated',
    schema: z.object({ on: z.string().transform((text) => new Date(text)), copies: z.number().default(1) }),
    run: ({ on, copies }) => on.getTime() * copies,
  });
  const plain = defineTask({ name: 'plain', run: (to: string) => to.length });

  it("type submit by the schema's input, and the handler by its output", () => {
    expectTypeOf(dated.run).parameter(0).toEqualTypeOf<{ on: Date; copies: number }>();
    // @ts-expect-error a Date is what comes out of the schema, not what goes in
    void (() => queue.submit(dated, { on: new Date() }));
    void (() => queue.submitMany(dated, [{ on: '2026-11-21' }, { on: '2026-11-22', copies: 2 }]));
  });

  it("type submit by the handler's payload without a schema", () => {
    expectTypeOf(plain.run).parameter(0).toEqualTypeOf<string>();
    // @ts-expect-error the handler takes text
    void (() => queue.submit(plain, 1));
    void (() => queue.submit(plain, 'ann'));
  });
});

describe('a validator', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const schemaOf = (validate: StandardSchema<unknown, number>['~standard']['validate']) => ({
    '~standard': { version: 1, vendor: 'test', validate } as const,
  });

  it('may be async', async () => {
    const { clock, queue, startWorker } = setScene();
    const schema = schemaOf(async (value) => ({ value: Number(value) * 2 }));
    const task = defineTask({ name: 'async', schema, run: (number) => number });
    const { id } = await queue.submit(task, 4);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.waitForResult(id)).toBe(8);
  });

  it('formats issues without a path, and with keys that are objects', async () => {
    const { queue } = setScene();
    const issues = [
      { message: 'is wrong' },
      { message: 'must be a number', path: [{ key: 'list' }, 0, { key: Symbol('s') }] },
    ];
    const task = defineTask({ name: 'wrong', schema: schemaOf(() => ({ issues })), run: () => {} });

    await expect(queue.submit(task, 1)).rejects.toMatchObject({
      message: 'the payload does not match its schema: is wrong; list.0.Symbol(s): must be a number',
      issues: ['is wrong', 'list.0.Symbol(s): must be a number'],
    });
  });

  it('names what can be read of a path that is none', async () => {
    const noStep = fc.oneof(
      fc.constantFrom(undefined, null, true, 5n, {}, [], { key: null }, { key: {} }),
      fc.constant(Object.create(null) as object),
    );
    const path = fc.oneof(fc.array(noStep), noStep, fc.string(), fc.integer());
    await fc.assert(
      fc.asyncProperty(path, async (path) => {
        const { queue } = setScene();
        const schema = schemaOf(() => ({ issues: [{ message: 'is wrong', path: path as never }] })); // wrong on purpose
        const task = defineTask({ name: 'wrong', schema, run: () => {} });

        await expect(queue.submit(task, 1)).rejects.toMatchObject({
          code: 'INVALID_PAYLOAD',
          issues: ['is wrong'],
        });
      }),
    );
  });
});
