import { createRequire } from 'node:module';
import { definePolicy, InvalidOptionsError, parsePolicy } from '@retry/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';

const schema = createRequire(import.meta.url)('@retry/core/policy.schema.json');
const accepts = new Ajv2020({ strict: true, strictTypes: true, strictRequired: true }).compile(schema);

const registry = { strategies: { patient: () => 1 }, gates: { 'office-hours': () => true } };

function parses(document: unknown): boolean {
  try {
    parsePolicy(JSON.stringify(document), registry);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidOptionsError);
    return false;
  }
}

describe('policy.schema.json', () => {
  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['the schema of an editor', { $schema: 'node_modules/@retry/core/policy.schema.json' }],
    ['an endless number of attempts', { maxAttempts: 'Infinity' }],
    [
      'durations of every unit',
      { minDelay: '0.5ms', maxDelay: '1d', totalTimeout: '1.5h', attemptTimeout: '2m' },
    ],
    ['limits that are none', { maxDelay: 'Infinity', totalTimeout: 'Infinity', attemptTimeout: 'Infinity' }],
    ['no backoff', { backoff: { type: 'none' } }],
    ['a constant backoff', { backoff: { type: 'constant', base: '2s' } }],
    ['a linear backoff', { backoff: { type: 'linear', base: 0, increment: '1s' } }],
    ['an exponential backoff', { backoff: { type: 'exponential', base: 100, factor: 0.5 } }],
    ['a fibonacci backoff', { backoff: { type: 'fibonacci', base: 100 } }],
    ['a decorrelated backoff', { backoff: { type: 'decorrelated', base: 100 } }],
    ['a list of delays', { backoff: { type: 'list', delays: [0, '1s'] } }],
    ['a strategy by name', { backoff: { type: 'custom', strategy: 'patient', base: '1s' } }],
    ['a gate by name', { retryIf: 'office-hours' }],
    ['a jitter by share', { jitter: { proportional: 1 } }],
    ['a jitter down by a share', { jitter: { down: 0.3 } }],
    ['a jitter by a length of time', { jitter: { minus: '20ms', plus: '20ms' } }],
    ['whole seconds and a half', { granularity: '1.5s' }],
    ['a second and a millisecond, which is whole', { granularity: '1.001s' }],
    [
      'every kind of matcher',
      { retryOn: [{ name: 'A', code: ['08*', 11], status: [429], message: { glob: 'x*' } }] },
    ],
    ['a message as text', { stopOn: [{ message: 'timed out' }] }],
    ['messages of every kind', { stopOn: [{ message: ['x', { glob: '*x', except: ['a*', 'b*'] }] }] }],
    ['what a server has to say', { retryOn: [{ status: 413, retryAfter: true }] }],
    [
      'causes within causes',
      { stopOn: [{ cause: { cause: { message: { glob: 'x', ignoreCase: true } } } }] },
    ],
    ['an expected nothing', { retryOn: 'nothing' }],
    ['part of a server delay', { retryAfter: { mode: 'replace' } }],
  ])('accepts %s, as parsePolicy does', (_name, document) => {
    expect({ schema: accepts(document), parsePolicy: parses(document) }).toEqual({
      schema: true,
      parsePolicy: true,
    });
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['an unknown key', { retries: 3 }],
    ['a schema that is no text', { $schema: {} }],
    ['a schema below the top', { retryAfter: { $schema: 'x' } }],
    ['no attempts', { maxAttempts: 0 }],
    ['half an attempt', { maxAttempts: 1.5 }],
    ['a number of attempts as text', { maxAttempts: '3' }],
    ['a negative delay', { minDelay: -1 }],
    ['a unit nobody knows', { maxDelay: '5min' }],
    ['a lowest delay without end', { minDelay: 'Infinity' }],
    ['a deadline of 0', { totalTimeout: 0 }],
    ['a deadline of 0 in text', { totalTimeout: '0.0s' }],
    ['part of a millisecond as granularity', { granularity: '1.5ms' }],
    ['a backoff of no kind', { backoff: { base: 1 } }],
    ['a backoff without its base', { backoff: { type: 'constant' } }],
    ['a key of another backoff', { backoff: { type: 'constant', base: 1, factor: 2 } }],
    ['a base without end', { backoff: { type: 'constant', base: 'Infinity' } }],
    ['a negative factor', { backoff: { type: 'exponential', base: 1, factor: -1 } }],
    ['a factor without end', { backoff: { type: 'exponential', base: 1, factor: 'Infinity' } }],
    ['an empty list of delays', { backoff: { type: 'list', delays: [] } }],
    ['a strategy as data', { backoff: { type: 'custom', strategy: { next: 1 } } }],
    ['a jitter nobody knows', { jitter: 'half' }],
    ['a jitter over its whole', { jitter: { proportional: 1.01 } }],
    ['a jitter without its share', { jitter: {} }],
    ['two jitters', { jitter: { down: 0.3, plus: '20ms' } }],
    ['a jitter without end', { jitter: { plus: 'Infinity' } }],
    ['a matcher without fields', { retryOn: [{}] }],
    ['a matcher by its name alone', { retryOn: ['TimeoutError'] }],
    ['an unknown key of a matcher', { retryOn: [{ statusCode: 503 }] }],
    ['an unknown key deep in a cause', { retryOn: [{ cause: { cause: { kind: 'x' } } }] }],
    ['an empty list of codes', { retryOn: [{ code: [] }] }],
    ['an empty name', { stopOn: [{ name: '' }] }],
    ['a status as text', { stopOn: [{ status: '503' }] }],
    ['an empty text as message', { stopOn: [{ message: '' }] }],
    ['a regular expression as data', { stopOn: [{ message: { pattern: 'x' } }] }],
    ['a glob without text', { stopOn: [{ message: { glob: '' } }] }],
    ['a list of no message', { stopOn: [{ message: [] }] }],
    ['a case that counts', { stopOn: [{ message: { glob: 'x', ignoreCase: false } }] }],
    ['a retryAfter that is not there', { stopOn: [{ retryAfter: false }] }],
    ['an unknown key of a glob', { stopOn: [{ message: { glob: 'x', flag: 'i' } }] }],
    ['one matcher outside a list', { stopOn: { code: 'E' } }],
    ['no list as stopOn', { stopOn: 'nothing' }],
    ['a gate as data', { retryIf: { test: true } }],
    ['an unknown mode', { retryAfter: { mode: 'obey' } }],
    ['a truth as text', { retryable: 'true' }],
  ])('refuses %s, as parsePolicy does', (_name, document) => {
    expect({ schema: accepts(document), parsePolicy: parses(document) }).toEqual({
      schema: false,
      parsePolicy: false,
    });
  });

  it.each<[string, unknown]>([
    ['the whole', null],
    ...Object.keys(schema.properties).map((key): [string, unknown] => [key, { [key]: null }]),
    ['backoff.base', { backoff: { type: 'custom', strategy: 'patient', base: null } }],
    ['backoff.increment', { backoff: { type: 'linear', base: 1, increment: null } }],
    ['backoff.factor', { backoff: { type: 'exponential', base: 1, factor: null } }],
    ['backoff.delays[0]', { backoff: { type: 'list', delays: [null] } }],
    ['jitter.proportional', { jitter: { proportional: null } }],
    ['retryAfter.max', { retryAfter: { max: null } }],
    ['retryAfter.mode', { retryAfter: { mode: null } }],
    ['retryOn[0]', { retryOn: [null] }],
    ...['name', 'code', 'status', 'message', 'cause'].map((key): [string, unknown] => [
      `stopOn[0].${key}`,
      { stopOn: [{ name: 'A', [key]: null }] },
    ]),
    ['stopOn[0].message.flags', { stopOn: [{ message: { pattern: 'x', flags: null } }] }],
  ])('refuses null as %s, as parsePolicy does', (_path, document) => {
    expect({ schema: accepts(document), parsePolicy: parses(document) }).toEqual({
      schema: false,
      parsePolicy: false,
    });
  });
});

describe('the documentation in policy.schema.json', () => {
  const objects = [schema, ...Object.values<Record<string, unknown>>(schema.$defs)];
  const properties = objects.flatMap((object) =>
    Object.entries<Record<string, unknown>>(object.properties ?? {}),
  );

  it('is named without a host', () => {
    expect(schema.$id).toBe('urn:retry:policy');
    expect(schema.title).toBe('Retry policy');
  });

  it('describes every property and definition in a sentence', () => {
    const entries = [...properties, ...Object.entries<Record<string, unknown>>(schema.$defs)];

    const bare = entries.filter(([, { description }]) => !/^.{4,}\.$/.test(String(description)));

    expect(entries.length).toBeGreaterThan(50);
    expect(bare).toEqual([]);
  });

  it('has the defaults that definePolicy fills in', () => {
    const defaults = Object.entries<{ default?: unknown }>(schema.properties)
      .filter(([, property]) => 'default' in property)
      .map(([key, property]) => [key, property.default]);

    const written = Object.fromEntries(defaults);

    expect(Object.keys(schema.properties).filter((key) => !(key in written))).toEqual(['$schema', 'retryIf']);
    expect(accepts(written)).toBe(true);
    expect(parsePolicy(written)).toEqual(definePolicy());
  });
});
