import { definePolicy, parsePolicy, policyToJSON } from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../../docs/studio/engine/complete.ts';
import { inspect } from '../../docs/studio/engine/inspect.ts';
import { readFailures } from '../../docs/studio/engine/read-failures.ts';
import { convertSystem, listSystems } from '../../docs/studio/engine/read-system.ts';
import { replayPasted } from '../../docs/studio/engine/replay-pasted.ts';
import { scanJson } from '../../docs/studio/engine/scan-json.ts';
import { writeCode, writeJson } from '../../docs/studio/write-code.ts';

/** Completes at the bar; returns the labels. */
function labelsAt(marked: string): readonly string[] {
  const caret = marked.indexOf('|');
  return complete(marked.replace('|', ''), caret).choices.map(({ label }) => label);
}

describe('complete', () => {
  it.each([
    ['{ "maxD|', ['maxDelay']],
    ['{ "backoff": { "type": "fib|', ['fibonacci']],
    ['{ "capAt": |', ['before-jitter', 'after-jitter', 'ignores-jitter']],
    ['{ "retryAfter": { "max": "1s", |', ['beyondMax', 'jitter', 'mode']],
    ['{ "retryOn": [{ "co|', ['code']],
    ['{ "retryOn": [{ "name": "A" }, { "cause": { "sta|', ['status']],
    ['{ "retryable": |', ['true', 'false']],
  ])('offers what the schema allows at %s', (marked, labels) => {
    expect(labelsAt(marked)).toEqual(labels);
  });

  it('offers the keys of the written type only', () => {
    expect(labelsAt('{ "backoff": { "type": "list", |')).toEqual(['delays']);
    expect(labelsAt('{ "backoff": { "type": "linear", "base": 1, |')).toEqual(['increment']);
  });

  it('offers no key that is written already, before or after the caret', () => {
    const labels = labelsAt('{ "maxAttempts": 1, |, "jitter": "full" }');

    expect(labels).toContain('maxDelay');
    expect(labels).not.toContain('maxAttempts');
    expect(labels).not.toContain('jitter');
  });

  it.each(['|', '{ "maxDelay" |', '{ "maxDelay": 1 |', '{} |', '{ "unknown": { |'])(
    'offers nothing at %s',
    (marked) => {
      expect(labelsAt(marked)).toEqual([]);
    },
  );

  it('writes a key with its default', () => {
    expect(complete('{ "retryA', 9).choices[0]?.insert).toBe(
      '"retryAfter": { "max": "60s", "mode": "floor", "beyondMax": "stop", "jitter": { "up": 0.1 } }',
    );
  });

  it('never fails, whatever is being typed, and never replaces what is after the caret', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '"backoff"',
      '"type"',
      '"__proto__"',
      '\\',
      ' 1',
      '\n',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(pieces).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(texts, fc.nat(), (text, at) => {
        const caret = at % (text.length + 1);

        expect(complete(text, caret).from).toBeLessThanOrEqual(caret);
      }),
    );
  });
});

describe('scanJson', () => {
  it('finds the place of every path of valid JSON', () => {
    const json = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,5}$/),
      fc.array(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.integer()), { minLength: 1 }),
    );
    fc.assert(
      fc.property(json, (value) => {
        const { places } = scanJson(JSON.stringify(value, undefined, 2));

        const paths = Object.entries(value).flatMap(([key, items]) => [
          key,
          ...items.flatMap((item, index) => [
            `${key}[${index}]`,
            ...Object.keys(item).map((inner) => `${key}[${index}].${inner}`),
          ]),
        ]);
        expect([...places.keys()].sort()).toEqual(paths.sort());
      }),
    );
  });
});

describe('inspect', () => {
  it('reports every problem at its line', () => {
    const { findings, curve } = inspect(
      '{\n  "maxAttempts": 0,\n  "backoff": {\n    "type": "linear",\n    "base": -1\n  }\n}',
    );

    expect(curve).toBeUndefined();
    expect(findings.map(({ path, line, severity }) => [severity, path, line])).toEqual([
      ['error', 'maxAttempts', 2],
      ['error', 'backoff.base', 5],
    ]);
  });

  it('reports text that is no JSON at its line', () => {
    const { findings } = inspect('{\n  "maxAttempts": 3,\n}');

    expect(findings).toEqual([expect.objectContaining({ severity: 'error', line: 3, path: '' })]);
  });

  it('warns at the nearest key that is written', () => {
    const { findings } = inspect('{\n  "backoff": { "type": "none" }\n}');

    expect(findings.find(({ code }) => code === 'NO_WAIT')?.line).toBe(2);
  });

  it('says in words that a policy has no end', () => {
    expect(inspect('{ "maxAttempts": "Infinity" }').sentences.join(' ')).toContain(
      'Worst case: it never ends.',
    );
  });

  it('counts the time of attempts', () => {
    const text = '{ "maxAttempts": 2, "jitter": "none", "backoff": { "type": "constant", "base": "1s" } }';

    expect(inspect(text, { attemptMs: 500 }).sentences).toContain(
      'Worst case: 2s, if each attempt takes 500ms; on average 2s.',
    );
  });
});

describe('readFailures', () => {
  const failed = { name: 'Error', message: 'no', at: 1_767_268_800_000 };
  const run = { id: 'a', errors: [failed] };

  it.each([
    ['a run', run],
    ['a list of runs', [run]],
    ['a page of dead letters', { runs: [run], next: 'x' }],
    ['instants as text', [{ ...run, errors: [{ ...failed, at: '2026-01-01T12:00:00.000Z' }] }]],
  ])('reads %s', (_, pasted) => {
    expect(readFailures(JSON.stringify(pasted))).toEqual({ runs: [expect.objectContaining(run)] });
  });

  it.each([
    ['text that is no JSON', 'runs:', ['']],
    ['no runs', '[]', ['']],
    ['a run without errors', '[{"id":"a"}]', ['[0]']],
    [
      'an error that is text',
      '[{"errors":["no"]}]',
      ['name', 'message', 'at'].map((key) => `[0].errors[0].${key}`),
    ],
    [
      'wrong types',
      JSON.stringify([run, { failures: '2', errors: [{ ...failed, at: 'today', status: '503' }] }]),
      ['[1].errors[0].at', '[1].errors[0].status', '[1].failures'],
    ],
    [
      'a day that there is not, and text with a number',
      JSON.stringify([{ resetAt: 'tomorrow 9', errors: [{ ...failed, at: '2026-02-30T00:00Z' }] }]),
      ['[0].errors[0].at', '[0].resetAt'],
    ],
  ])('reports %s', (_, pasted, paths) => {
    const read = readFailures(pasted);

    expect('problems' in read && read.problems.map(({ path }) => path)).toEqual(paths);
  });

  it('never fails, whatever is pasted, and what it accepts can be replayed', () => {
    const keys = fc.constantFrom(
      'errors',
      'runs',
      'name',
      'message',
      'at',
      'failures',
      'resetAt',
      'code',
      'x',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(null, 0, -1, 1.5, 'x', '2026-01-01', true),
        fc.array(tie('value')),
        fc.dictionary(keys, tie('value')),
      ),
    }));
    const recorded = fc.record({
      errors: fc.array(fc.record({ name: fc.string(), message: fc.string(), at: fc.nat() })),
    });
    fc.assert(
      fc.property(fc.oneof(value, fc.array(recorded)), (pasted) => {
        const answer = replayPasted(['{}'], JSON.stringify(pasted));

        expect('problems' in answer ? answer.problems.length : answer.summaries.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('writeCode', () => {
  it.each([
    '{}',
    '{ "maxAttempts": "Infinity", "retryOn": [{ "message": { "glob": "a\'b\\\\d*", "ignoreCase": true } }] }',
    '{ "backoff": { "type": "list", "delays": ["1s", 2000, "1m"] }, "stopOn": [{ "name": "It\'s", "code": ["a", 1] }] }',
  ])('writes a module that defines the policy of %s', (text) => {
    const code = writeCode(text)
      .replace(/^import .*\n/, '')
      .replace('export const policy =', 'return');
    const policy = new Function('definePolicy', code)(definePolicy);

    expect(policyToJSON(policy)).toEqual(policyToJSON(parsePolicy(text)));
  });

  it('writes any JSON as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const code = writeCode(text)
          .replace(/^import .*\n/, '')
          .replace('export const policy =', 'return');

        expect(JSON.stringify(new Function('definePolicy', code)((input: unknown) => input))).toBe(text);
      }),
    );
  });
});

describe('writeJson', () => {
  it('writes a number that JSON cannot have as text that a policy takes', () => {
    const json = writeJson('{ "maxAttempts": 1e999 }');

    expect(json).toBe('{\n  "maxAttempts": "Infinity"\n}\n');
    expect(parsePolicy(JSON.parse(json))).toEqual(definePolicy({ maxAttempts: Infinity }));
    expect(writeCode('{ "maxAttempts": 1e999 }')).toContain("maxAttempts: 'Infinity'");
  });
});

describe('options of another system', () => {
  it('become policy text that is valid, by their defaults, for every system whose policy is data', () => {
    for (const { name } of listSystems()) {
      const { text } = convertSystem(name, '{}');

      expect(policyToJSON(parsePolicy(text ?? '')), name).toBeDefined();
    }
  });

  it('mean what they mean there', () => {
    const { text = '', findings } = convertSystem(
      'bullmq',
      '{ "attempts": 4, "backoff": { "type": "exponential", "delay": 200 } }',
    );

    expect(inspect(text).curve?.retries.map(({ delay }) => delay.maxMs)).toEqual([200, 400, 800]);
    expect(findings).toEqual([]);
  });

  it('say with a warning what differs', () => {
    const { findings } = convertSystem('bee-queue', '{ "retries": 2, "backoff": "fixed 100" }');

    expect(findings).toMatchObject([{ severity: 'warning', code: 'DIFFERS', path: 'activateDelayedJobs' }]);
  });

  it.each([
    ['{\n  "attempts": -', 2, ''],
    ['{\n  "attempts": 2,\n  "delay": 3\n}', 3, 'delay'],
    ['[]', 1, ''],
    ['null', 1, ''],
    ['"text"', 1, ''],
  ])('that are wrong change nothing: %j', (text, line, path) => {
    const converted = convertSystem('bullmq', text);

    expect(converted.text).toBeUndefined();
    expect(converted.findings).toMatchObject([{ severity: 'error', line, path }]);
  });

  it('are refused of a system that there is not', () => {
    expect(() => convertSystem('none', '{}')).toThrow('There is no system none');
  });
});
