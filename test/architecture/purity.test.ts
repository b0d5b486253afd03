import { describe, expect, it } from 'vitest';
import { listTypeScript, readText } from '../support/repository.ts';
import { findImpurities } from './rules/purity.ts';

describe('core', () => {
  it('reads no clock, draws no random numbers and does no I/O', () => {
    const paths = listTypeScript('packages/core/src');

    const found = paths.flatMap((path) => findImpurities({ path, text: readText(path) }));

    expect(paths).not.toEqual([]);
    expect(found).toEqual([]);
  });
});

describe('findImpurities', () => {
  it.each([
    'const nowAt = Date.now();',
    "const nowAt = Date['now']();",
    'const { now } = Date;',
    'const clock = Date;',
    'const clock = { Date };',
    'const today = new Date();',
    'const today = new Date;',
    'const today = Date();',
    'const drawn = Math.random();',
    "const drawn = Math['random']();",
    'const drawn = Math[name]();',
    'const { random } = Math;',
    'const startedAt = performance.now();',
    'const home = process.env;',
    'const clock = globalThis.Date;',
    'setTimeout(resolve, 10);',
    'const wait = { setTimeout };',
    'const id = crypto.randomUUID();',
    'await fetch(url);',
    "console.log('hello');",
    "const now = eval('Date.now()');",
    "const now = new Function('return 1');",
    'export { fetch };',
    'const draw = (random = Math.random) => random();',
  ])('reports %s', (text) => {
    const found = findImpurities({ path: 'packages/core/src/example.ts', text });

    expect(found).toHaveLength(1);
  });

  it.each([
    '// neither Date.now() nor Math.random()',
    "const message = 'call Date.now() yourself';",
    'const runAt = new Date(at).toISOString();',
    'const at = Date.parse(text);',
    'const isDate = value instanceof Date;',
    'const capped = Math.min(1, 2);',
    'const task = context.process;',
    'const task = { process: 1, fetch() {} };',
    'const { process: task } = context;',
    'interface Context { readonly process: string; fetch(): void }',
    'type Clock = { readonly at: Date };',
    'function draw(random: () => number): number { return random(); }',
  ])('accepts %s', (text) => {
    const found = findImpurities({ path: 'packages/core/src/example.ts', text });

    expect(found).toEqual([]);
  });

  it('names the file, the line and the offence', () => {
    const found = findImpurities({ path: 'packages/core/src/delay.ts', text: '\n\nDate.now();' });

    expect(found).toEqual(['packages/core/src/delay.ts:3 reads the clock through Date']);
  });
});
