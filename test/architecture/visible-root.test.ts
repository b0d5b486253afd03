import { describe, expect, it } from 'vitest';
import { listRepository } from '../support/repository.ts';
import { findStrayRootEntries } from './rules/visible-root.ts';

describe('visible root', () => {
  it('has only the entries that a visitor needs', () => {
    const paths = listRepository();

    const found = findStrayRootEntries(paths);

    expect(paths).toContain('package.json');
    expect(found).toEqual([]);
  });
});

describe('findStrayRootEntries', () => {
  it('reports a visible file and a visible folder', () => {
    const found = findStrayRootEntries(['vitest.config.ts', 'scripts/build.sh', 'README.md']);

    expect(found).toEqual(['vitest.config.ts', 'scripts']);
  });

  it('accepts hidden entries', () => {
    const found = findStrayRootEntries(['.biome.jsonc', '.ci/run', 'packages/core/package.json']);

    expect(found).toEqual([]);
  });
});
