import type { Submission } from '@retry/core/broker';
import { defineTask, PayloadError } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { readPayload, writePayload, writeResult } from '../../packages/worker/src/task/payload.ts';
import { processorMs } from '../support/processor-time.ts';
import { setScene } from './scene.ts';

const cyclic: Record<string, unknown> = { name: 'loop' };
cyclic['self'] = cyclic;

const deep = (): unknown => {
  let value: unknown = 0;
  for (let depth = 0; depth < 200_000; depth += 1) value = [value];
  return value;
};

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

class Price {
  toJSON(): number {
    return 12;
  }
}

const HOSTILE: readonly (readonly [string, unknown, RegExp])[] = [
  ['a function', () => 1, /^the payload is a function, which JSON cannot hold\. \w/],
  ['a function inside', { onDone: () => 1 }, /^onDone is a function, which JSON cannot hold\. \w/],
  ['a symbol', { tag: Symbol('s') }, /^tag is Symbol\(s\), which JSON cannot hold\. \w/],
  ['a bigint', { count: 10n }, /^count is 10n, which JSON cannot hold\. \w/],
  ['NaN', { count: Number.NaN }, /^count is NaN, which JSON cannot hold\. \w/],
  ['Infinity', [1, Infinity], /^1 is Infinity, which JSON cannot hold\. \w/],
  ['a boxed NaN', { count: Object(Number.NaN) }, /^count is NaN, which JSON cannot hold\. \w/],
  ['a date that is none', { at: new Date(Number.NaN) }, /^at is Invalid Date, which JSON cannot hold\. \w/],
  [
    'a date',
    { list: [{ at: new Date(0) }] },
    /^list\.0\.at is a Date, which arrives as text\. Submit text or milliseconds, or give the task a schema that reads them\.$/,
  ],
  ['nothing but a date', new Date(0), /^the payload is a Date, which arrives as text\. /],
  ['a url', { to: new URL('http://example.com') }, /^to is a URL, which arrives as text\. /],
  ['a buffer', { body: Buffer.from('x') }, /^body is a Buffer, which JSON cannot hold\. \w/],
  [
    'an object that becomes a number',
    { price: new Price() },
    /^price is a Price, which arrives as a number\. /,
  ],
  ['an error', { cause: new Error('secret') }, /^cause is an Error, which JSON cannot hold\. \w/],
  ['a pattern', { match: /x/ }, /^match is \/x\/, which JSON cannot hold\. \w/],
  ['a weak map', [new WeakMap()], /^0 is \[object WeakMap\], which JSON cannot hold\. \w/],
  ['bytes', { body: new Uint8Array([1, 2]) }, /^body is a Uint8Array, which JSON cannot hold\. \w/],
  [
    'a buffer of bytes',
    { body: new ArrayBuffer(2) },
    /^body is \[object ArrayBuffer\], which JSON cannot hold\. \w/,
  ],
  ['a map', { byName: new Map([['a', 1]]) }, /^byName is \[object Map\], which JSON cannot hold\. \w/],
  ['a set', new Set([1]), /^the payload is \[object Set\], which JSON cannot hold\. \w/],
  ['a promise', { user: Promise.resolve(1) }, /^user is \[object Promise\], which JSON cannot hold\. \w/],
  ['a cycle', cyclic, /^the payload cannot be written as JSON\. Use plain data/],
  ['something too deep', deep(), /^the payload cannot be written as JSON\. Use plain data/],
  [
    'a throwing toJSON',
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
    /^the payload cannot be written as JSON\. Use plain data/,
  ],
  [
    'a getter that throws',
    {
      get first(): never {
        throw new Error('no');
      },
    },
    /^the payload cannot be written as JSON\. Use plain data/,
  ],
  ['a revoked proxy', revoked(), /^the payload cannot be written as JSON\. Use plain data/],
  [
    'a toJSON that returns nothing',
    { toJSON: () => undefined },
    /^an object cannot be written as JSON\. Use plain data/,
  ],
  ['__proto__', JSON.parse('{"a":{"__proto__":{"isAdmin":true}}}'), /^the payload has a key __proto__,/],
  [
    'constructor.prototype',
    JSON.parse('{"constructor":{"prototype":{}}}'),
    /^the payload has a key constructor,/,
  ],
];

it.each<[string, unknown]>([
  ['a sparse list', new Array(2 ** 32 - 1)],
  ['one within a list', [new Array(2 ** 32 - 1)]],
  [
    'one that a class holds',
    new (class Held {
      list = new Array(2 ** 32 - 1);
    })(),
  ],
  [
    'very many times the same list',
    new Array(400).fill(new Array(400).fill(new Array(400).fill(new Array(400)))),
  ],
])('is refused before it is written, with %s', (_name, value) => {
  const before = processorMs();

  expect(() => writePayload(value, { maxPayloadBytes: 1_000_000 })).toThrow(
    /has more items than bytes fit into the limit of 1000000\. /,
  );
  expect(() => writeResult(value, 1_000_000)).toThrow(/^the result cannot be stored: .* has more items than/);
  expect(processorMs() - before).toBeLessThan(30_000); // it took 99 s
});

it('is what a toJSON says, also null', () => {
  const silent = Object.assign(new Error('secret'), { toJSON: () => null });

  expect(writePayload({ cause: silent }, { maxPayloadBytes: 1_000 })).toBe('{"cause":null}');
});

describe('a payload', () => {
  it.each(HOSTILE)('that is or has %s is refused at submit', async (_name, payload, message) => {
    const { queue } = setScene();
    const task = defineTask({ name: 'any', run: (_: unknown) => {} });

    const submitted = queue.submit(task, payload);

    await expect(submitted).rejects.toThrow(PayloadError);
    await expect(submitted).rejects.toThrow(message);
    expect((await queue.counts()).created).toBe(0);
  });

  it.each<[unknown, string]>([
    [null, 'null'],
    [undefined, 'null'],
    [0, '0'],
    ['', '""'],
    [{ constructor: 'Ford' }, '{"constructor":"Ford"}'],
    [{ prototype: 1 }, '{"prototype":1}'],
    [{ kept: 1, dropped: undefined }, '{"kept":1}'],
  ])('of %o is stored as JSON', (payload, text) => {
    expect(writePayload(payload, { maxPayloadBytes: 100 })).toBe(text);
  });

  it('may have as many bytes as the task says, counted in UTF-8, and no more', () => {
    expect(writePayload('€€', { maxPayloadBytes: 8 })).toBe('"€€"');
    expect(() => writePayload('€€', { maxPayloadBytes: 7 })).toThrow(
      'the payload has 8 bytes, more than the limit of 7',
    );
  });

  it('may have 1 MiB by default, and as much as its task says', async () => {
    const { queue } = setScene();
    const small = defineTask({ name: 'small', run: (_: string) => {} });
    const large = defineTask({ name: 'large', maxPayloadBytes: 2_000_000, run: (_: string) => {} });

    // With its two quotes, 1 MiB and one byte more.
    await queue.submit(small, 'x'.repeat(1_048_574));
    await expect(queue.submit(small, 'x'.repeat(1_048_575))).rejects.toThrow(PayloadError);
    await queue.submit(large, 'x'.repeat(1_048_575));

    expect((await queue.counts()).created).toBe(2);
  });

  it('that is invalid refuses all that were submitted with it', async () => {
    const { queue } = setScene();
    const task = defineTask({ name: 'any', run: (_: unknown) => {} });

    await expect(queue.submitMany(task, [1, 2, Number.NaN])).rejects.toThrow(PayloadError);

    expect((await queue.counts()).created).toBe(0);
  });

  it.each<[unknown[], string]>([
    [[1, 2, Number.NaN], 'payloads[2]: the payload is NaN, which JSON cannot hold'],
    [[{ to: 'ann' }, { to: [10n] }], 'payloads[1]: to.0 is 10n, which JSON cannot hold'],
    [['x'.repeat(2_000_000)], 'payloads[0]: the payload has 2000002 bytes, more than the limit of 1048576'],
  ])('of many is named by its place in the list, %#', async (payloads, message) => {
    const { queue } = setScene();
    const task = defineTask({ name: 'any', run: (_: unknown) => {} });

    await expect(queue.submitMany(task, payloads)).rejects.toThrow(message);
  });

  it.each<[unknown, string]>([
    [{ user: { tags: ['a', () => 1] } }, 'user.tags.1 is a function'],
    [{ user: { toJSON: () => ({ age: Number.NaN }) } }, 'user.age is NaN'],
    [{ first: { at: 1 }, second: { at: 2n } }, 'second.at is 2n'],
    [[[[Infinity]]], '0.0.0 is Infinity'],
  ])('that holds what JSON cannot is refused with the path of that, %#', (payload, message) => {
    expect(() => writePayload(payload, { maxPayloadBytes: 100 })).toThrow(
      `${message}, which JSON cannot hold`,
    );
  });

  it.each([
    ['no JSON', '{"a":', /^the payload is not JSON text$/],
    ['empty', '', /^the payload is not JSON text$/],
    ['polluting', '{"__proto__":{"isAdmin":true}}', /^the payload has a key __proto__,/],
    [
      'polluting deep inside',
      '[{"a":{"constructor":{"prototype":{}}}}]',
      /^the payload has a key constructor,/,
    ],
  ])('that is %s when it is read back is refused', (_name, text, message) => {
    expect(() => readPayload(text)).toThrow(PayloadError);
    expect(() => readPayload(text)).toThrow(message);
  });

  it('that is broken at start is dead-lettered with its error, whatever attempts are left', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let isCalled = false;
    const task = defineTask({
      name: 'any',
      retry: { maxAttempts: 5 },
      run: () => {
        isCalled = true;
      },
    });
    const broken: Submission = { id: 'broken', lane: 'any@1', payload: '{"a":' };
    await broker.submit([broken]);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect((await queue.deadLetters.list()).runs).toMatchObject([
      { id: 'broken', state: 'failed', epoch: 1, errors: [{ name: 'PayloadError' }] },
    ]);
    expect(worker.emittedOf('failed')).toMatchObject([{ id: 'broken', reason: 'unreadable' }]);
    expect(isCalled).toBe(false);
  });
});

describe('a result', () => {
  it.each<[unknown, unknown]>([
    [undefined, null],
    [{ a: [1] }, { a: [1] }],
    ['text', 'text'],
  ])('of %o is stored as JSON', async (result, kept) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'any', run: () => result });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.waitForResult(id)).toEqual(kept);
  });

  it.each<[string, unknown]>([
    ['a function', () => 1],
    ['a cycle', cyclic],
    ['NaN', { value: Number.NaN }],
  ])('that is not JSON (%s) is a failure like any other', async (_name, result) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'any',
      retry: { maxAttempts: 2, jitter: 'none' },
      run: (_: null, { attempt }) => (attempt === 1 ? result : 'fine'),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    const run = await queue.get(id);
    expect(run).toMatchObject({ state: 'completed', result: 'fine', failures: 1 });
    expect(run?.errors[0]).toMatchObject({ name: 'PayloadError' });
    expect(run?.errors[0]?.message).toMatch(/^the result cannot be stored: /);
  });
});

describe('what JSON cannot hold', () => {
  it.each([
    [1n, 'Use text: String(value).'],
    [Number.NaN, 'Use null, or leave it out.'],
    [() => 1, 'Leave it out.'],
    [Symbol('s'), 'Leave it out.'],
    [new Map(), 'Use Object.fromEntries(map).'],
    [new Set(), 'Use [...set].'],
    [Promise.resolve(1), 'Await it first.'],
    [new Error('e'), 'Use its name and message.'],
    [/x/, 'Use its source.'],
    [new Date(Number.NaN), 'Use a date that there is, or null.'],
    [new Uint8Array(1), "Use text: Buffer.from(bytes).toString('base64')."],
    [new ArrayBuffer(1), 'Use plain data.'],
  ])('is refused with what to write instead: %o', async (value, cure) => {
    const { queue } = setScene();
    const anything = defineTask({ name: 'anything', run: (_: unknown) => {} });

    for (const payload of [value, { deep: [value] }])
      await expect(queue.submit(anything, payload)).rejects.toThrow(`which JSON cannot hold. ${cure}`);
  });

  it('is a cycle, whose error says so', async () => {
    const { queue } = setScene();
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;

    const submitting = queue.submit(defineTask({ name: 'anything', run: (_: unknown) => {} }), cycle);

    await expect(submitting).rejects.toThrow('Use plain data without cycles');
  });
});
