import type { AttemptError } from '@retry/core/broker';
import { newRun, partitionTag, textProblem } from '@retry/core/broker/kit';
import type { DeadLetter } from '@retry/worker';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withDeadLetter } from '../../packages/worker/src/settle/dead-letter.ts';
import { readPayload } from '../../packages/worker/src/task/payload.ts';

/** The smallest form has less, whatever the names. */
const ALWAYS_FITS = 8_192;

const text = (maxLength: number) => fc.string({ unit: 'binary', maxLength });
const names = (maxLength: number) =>
  fc
    .string({ unit: fc.constantFrom('a', '}', '{', '"', '\u0001', '語'), minLength: 1, maxLength })
    .filter((name) => textProblem(name) === undefined);
const errors: fc.Arbitrary<readonly AttemptError[]> = fc.array(
  fc.record(
    {
      ...{ epoch: fc.nat(), at: fc.nat(), name: text(300), message: text(8_192), stack: text(8_192) },
      stalledWith: fc.nat(),
    },
    { requiredKeys: ['epoch', 'at', 'name', 'message'] },
  ),
  { maxLength: 20 },
);
const cases = fc.record({
  ...{ id: names(512), task: names(200), version: names(50), errors },
  payload: fc.oneof(
    fc.json(),
    fc.constantFrom('{"__proto__":""}', '[{"constructor":{"prototype":{}}}]', '{'),
    fc.nat({ max: 40_000 }).map((length) => JSON.stringify('é'.repeat(length))),
  ),
  maxBytes: fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.constant(Number.POSITIVE_INFINITY)),
  epoch: fc.nat(),
});

type Case = typeof cases extends fc.Arbitrary<infer One> ? One : never;

/** Its handler would receive it. */
function isReadable(payload: string): boolean {
  try {
    readPayload(payload);
    return true;
  } catch {
    return false;
  }
}

/** What a failed run of the case submits. */
function submitted({ id, task: name, version, errors, payload, maxBytes, epoch }: Case) {
  const bury = defineTask({ name: 'bury', maxPayloadBytes: maxBytes, run: (_: DeadLetter) => {} });
  const task = defineTask({ name, version, run: () => {}, deadLetter: { task: bury } });
  const run = { ...newRun({ id, lane: task.lane, payload }), state: 'failed', epoch, errors } as const;
  const { submit } = withDeadLetter(task, { id, epoch, event: 'fail', next: run });
  if (submit === undefined) throw new Error('a dead letter must be submitted');
  const letter: DeadLetter = JSON.parse(submit.payload);
  return { submit, letter, bytes: Buffer.byteLength(submit.payload) };
}

describe('the payload of a dead letter', () => {
  it('has at most maxPayloadBytes, or is the smallest one', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { letter, bytes } = submitted(one);

        if (bytes <= one.maxBytes) return;
        expect(bytes).toBeLessThan(ALWAYS_FITS);
        expect(letter.errors).toEqual([]);
        expect(letter.payloadOmitted).toBe(isReadable(one.payload) ? 'too-large' : 'unreadable');
      }),
    );
  });

  it('has the payload whenever its handler could read it and it fits without the errors', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { letter } = submitted(one);
        const least = submitted({ ...one, errors: [], maxBytes: Number.POSITIVE_INFINITY });

        expect(letter.payloadOmitted === 'unreadable').toBe(!isReadable(one.payload));
        if (letter.payloadOmitted === 'unreadable') return;
        if (letter.payloadOmitted === undefined) expect(letter.payload).toEqual(JSON.parse(one.payload));
        // Less the text that says how many errors were omitted.
        else expect(least.bytes + 30).toBeGreaterThan(one.maxBytes);
      }),
    );
  });

  it('has the latest errors, and counts the others', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { letter } = submitted(one);
        const { errorsOmitted = 0 } = letter;

        expect(letter.errors.length + errorsOmitted).toBe(one.errors.length);
        for (const [index, { epoch, name, message }] of letter.errors.entries()) {
          const stored = one.errors[errorsOmitted + index];
          expect(epoch).toBe(stored?.epoch);
          expect(stored?.name.startsWith(name.replace(/…$/, ''))).toBe(true);
          expect(stored?.message.startsWith(message.replace(/…$/, ''))).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['all errors', 1_000_000, 3, 'stack'],
    ['no stack', 8_000, 3, undefined],
    ['the latest error only', 3_500, 1, undefined],
    ['its first 200 characters', 900, 1, undefined],
    ['no error', 400, 0, undefined],
  ])('has as much of the errors as fits: %s', (_, maxBytes, count, stack) => {
    const failed = (epoch: number) => ({ epoch, at: 0, name: 'Error', message: `${epoch}`.repeat(2_000) });
    const errors = [failed(1), failed(2), { ...failed(3), stack: 'stack'.padEnd(5_000) }];

    const one = { id: 'a', task: 't', version: '1', errors, payload: '{"order":7}', maxBytes, epoch: 3 };
    const { letter, bytes } = submitted(one);

    expect(bytes).toBeLessThanOrEqual(maxBytes);
    expect(letter.payload).toEqual({ order: 7 });
    expect(letter.errors).toHaveLength(count);
    expect(letter.errors.at(-1)?.stack?.trim()).toBe(stack);
    if (count > 0) expect(letter.errors.at(-1)?.message.startsWith('3333')).toBe(true);
  });

  it('puts the errors back when the payload has to be omitted', () => {
    const errors = [{ epoch: 1, at: 0, name: 'Error', message: 'no', stack: 'at a' }];
    const payload = JSON.stringify('x'.repeat(1_000));

    const { letter } = submitted({
      id: 'a',
      task: 't',
      version: '1',
      errors,
      payload,
      maxBytes: 900,
      epoch: 1,
    });

    expect(letter).toMatchObject({ payloadOmitted: 'too-large', errors });
    expect(letter).not.toHaveProperty('errorsOmitted');
  });
});

describe('the id of the run of a dead letter', () => {
  it('is valid, keeps it beside the dead run, and differs by run and epoch only', () => {
    fc.assert(
      fc.property(cases, cases, (one, other) => {
        const { submit } = submitted(one);
        const again = submitted({ ...other, id: one.id, epoch: one.epoch }).submit;

        expect(textProblem(submit.id)).toBeUndefined();
        expect(partitionTag(submit.id)).toBe(partitionTag(one.id));
        expect(submit.origin).toBe(one.id);
        expect(again.id).toBe(submit.id);
        expect(submitted({ ...one, epoch: one.epoch + 1 }).submit.id).not.toBe(submit.id);
        if (other.id !== one.id) expect(submitted({ ...one, id: other.id }).submit.id).not.toBe(submit.id);
      }),
    );
  });
});
