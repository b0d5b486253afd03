import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/sources.md', import.meta.url), 'utf8');
const named = [
  ...new Set([...page.matchAll(/`((?:packages|test)\/[\w./-]+\.ts)`/g)].map(([, path = '']) => path)),
];

describe('docs/sources.md', () => {
  it('names the functions and tests of many rules', () => {
    expect(named.length).toBeGreaterThan(30);
  });

  it.each(named)('names %s, which exists', (path) => {
    expect(existsSync(new URL(`../../${path}`, import.meta.url))).toBe(true);
  });
});
