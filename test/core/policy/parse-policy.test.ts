import { definePolicy, InvalidOptionsError, isPolicy, parsePolicy, policyToJSON } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

function problemsOf(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems;
    throw error;
  }
  return [];
}

describe('parsePolicy', () => {
  it('reads JSON text', () => {
    const policy = parsePolicy('{ "maxAttempts": 5, "maxDelay": "1.5m" }');

    expect(policy).toMatchObject({ maxAttempts: 5, maxDelayMs: 90_000 });
    expect(isPolicy(policy)).toBe(true);
  });

  it('reads the text of a file that begins with a byte order mark', () => {
    expect(parsePolicy('\uFEFF{ "maxAttempts": 5 }')).toMatchObject({ maxAttempts: 5 });
  });

  it.each([new Uint8Array([123, 125]), Buffer.from('{}')])(
    'refuses bytes, and says how to read them',
    (bytes) => {
      expect(problemsOf(() => parsePolicy(bytes))).toMatchObject([
        {
          path: '',
          message: 'must be JSON text or an object',
          cure: "Read it as text: readFile(path, 'utf8'), or buffer.toString().",
        },
      ]);
    },
  );

  it('reads parsed JSON', () => {
    expect(settingsOf(parsePolicy({ backoff: { type: 'list', delays: ['1s', 2_500] } })).backoff).toEqual({
      type: 'list',
      delaysMs: [1_000, 2_500],
    });
  });

  it("reads the text 'Infinity'", () => {
    const policy = parsePolicy('{ "maxAttempts": "Infinity", "maxDelay": "Infinity" }');

    expect(policy).toMatchObject({ maxAttempts: Infinity, maxDelayMs: Infinity });
  });

  it('reads a message as text, a glob, or a list of them', () => {
    const message = ['timed out', { glob: 'gone*', except: ['gone for good*'], ignoreCase: true }];

    expect(settingsOf(parsePolicy({ retryOn: [{ message }] })).retryOn).toEqual([{ message }]);
  });

  it.each([{ pattern: 'timed out' }, { pattern: '^(a+)+$', flags: 'i' }, { pattern: 5 }])(
    'refuses a regular expression as data, and says what to write: %o',
    (message) => {
      const problems = problemsOf(() => parsePolicy({ retryOn: [{ cause: { message } }] }));

      expect(problems).toEqual([
        {
          path: 'retryOn[0].cause.message',
          value: message,
          message: 'must be no regular expression as data: one that backtracks blocks its process',
          cure: expect.stringContaining("{ glob: 'timed out*', ignoreCase: true }"),
        },
      ]);
    },
  );

  it.each([
    ['text', '{ "$schema": "./policy.schema.json", "maxAttempts": 5 }'],
    ['parsed JSON', { $schema: './policy.schema.json', maxAttempts: 5 }],
  ])('ignores the $schema of an editor in %s', (_name, source) => {
    const policy = parsePolicy(source);

    expect(policy).toEqual(definePolicy({ maxAttempts: 5 }));
    expect(policyToJSON(policy)).toEqual({ maxAttempts: 5 });
  });

  it.each([
    ['that is no text', { $schema: 7 }, '$schema'],
    ['that is null', { $schema: null }, '$schema'],
    ['below the top', { retryAfter: { $schema: './policy.schema.json' } }, 'retryAfter.$schema'],
    ['of a list', Object.assign([], { $schema: './policy.schema.json' }), ''],
  ])('refuses a $schema %s', (_name, source, path) => {
    expect(problemsOf(() => parsePolicy(source))).toMatchObject([{ path }]);
  });

  it('reports the other keys of a file with a $schema, one that throws too', () => {
    const source = {
      $schema: './policy.schema.json',
      retries: 3,
      get maxAttempts(): number {
        throw new Error('mine');
      },
    };

    expect(problemsOf(() => parsePolicy('{ "$schema": "x", "__proto__": 1, "retries": 3 }'))).toMatchObject([
      { path: '__proto__' },
      { path: 'retries' },
    ]);
    expect(problemsOf(() => parsePolicy(source))).toMatchObject([{ cure: expect.stringContaining('mine') }]);
  });

  it('takes strategies and gates from the registry', () => {
    const strategies = { patient: () => 60_000 };
    const gates = { never: () => false };

    const policy = parsePolicy(
      { backoff: { type: 'custom', strategy: 'patient' }, retryIf: 'never' },
      { strategies, gates },
    );

    expect(settingsOf(policy).backoff).toEqual({
      type: 'custom',
      name: 'patient',
      next: strategies.patient,
      baseMs: 0,
    });
    expect(settingsOf(policy).retryIf).toEqual({ name: 'never', test: gates.never });
  });

  it.each(['', '{', "{ 'maxAttempts': 3 }", '{ "maxAttempts": 3, }', 'maxAttempts: 3', 'undefined'])(
    'refuses %j, which is not JSON, with a InvalidOptionsError about the whole',
    (text) => {
      const problems = problemsOf(() => parsePolicy(text));

      expect(problems).toMatchObject([{ path: '', value: text, message: 'must be JSON' }]);
      // The message about the text is the engine's.
      expect(problems).toMatchObject([{ cure: expect.stringMatching(/JSON.*\.$/) }]);
    },
  );

  it.each(['null', '3', '"text"', '[]', '"{}"'])('refuses %s, which is JSON but not an object', (text) => {
    const problems = problemsOf(() => parsePolicy(text));

    expect(problems).toMatchObject([{ path: '', message: 'must be an object' }]);
  });

  it('reports every problem of a file in one error', () => {
    const text = JSON.stringify({
      maxAttempts: null,
      backoff: { type: 'exponential', base: '1 s', factor: null },
      retryAfter: null,
      retryOn: [{ name: 'A' }, { cause: { codes: 'E' } }],
      retryIf: 'unknown',
      retries: 3,
    });

    const problems = problemsOf(() => parsePolicy(text));

    expect(problems).toHaveLength(7);
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: 'retries', cure: 'Use maxAttempts: 4.' }),
        expect.objectContaining({ path: 'backoff.base', value: '1 s' }),
        expect.objectContaining({ path: 'backoff.factor', value: null }),
        expect.objectContaining({ path: 'maxAttempts', value: null }),
        expect.objectContaining({ path: 'retryOn[1].cause.codes', value: 'E' }),
        expect.objectContaining({ path: 'retryIf', value: 'unknown' }),
        expect.objectContaining({ path: 'retryAfter', value: null }),
      ]),
    );
  });

  it('does not find inherited methods of every object in the registry', () => {
    const problems = problemsOf(() =>
      parsePolicy({ backoff: { type: 'custom', strategy: 'toString' }, retryIf: 'constructor' }, {}),
    );

    expect(problems).toMatchObject([{ path: 'backoff.strategy' }, { path: 'retryIf' }]);
  });

  it('does not read the keys inside __proto__ in a file', () => {
    const problems = problemsOf(() => parsePolicy('{ "__proto__": { "maxAttempts": 9 } }'));

    expect(problems).toMatchObject([{ path: '__proto__', message: 'is not a known key' }]);
  });
});
