import { describe, expect, it } from 'vitest';
import { listPackageNames, readText } from '../support/repository.ts';
import { findForbiddenDependencies, findMismatchedExports } from './rules/packages.ts';

describe.each(listPackageNames())('package %s', (name) => {
  const manifest = JSON.parse(readText(`packages/${name}/package.json`));

  it('has no dependency that the table does not allow', () => {
    expect(findForbiddenDependencies(name, manifest)).toEqual([]);
  });

  it('publishes what the workspace exports', () => {
    expect(findMismatchedExports(name, manifest)).toEqual([]);
  });
});

describe('findForbiddenDependencies', () => {
  it.each([
    ['a dependency of core', 'core', { dependencies: { ms: '^2.0.0' } }],
    ['a package of ours that is not core', 'worker', { dependencies: { '@retry/inprocess': 'workspace:^' } }],
    ['an optional dependency', 'inprocess', { optionalDependencies: { ms: '^2.0.0' } }],
    ['a driver that is not a peer', 'postgres', { dependencies: { pg: '^8.0.0' } }],
    ['a driver that is not optional', 'postgres', { peerDependencies: { pg: '^8.0.0' } }],
    ['a library of a program in another package', 'worker', { dependencies: { commander: '^14.0.0' } }],
    ['a package that is not in the table', 'kafka', {}],
  ])('reports %s', (_name, name, manifest) => {
    expect(findForbiddenDependencies(name, manifest)).toHaveLength(1);
  });

  it('accepts a driver that is an optional peer', () => {
    const manifest = { peerDependencies: { pg: '^8.0.0' }, peerDependenciesMeta: { pg: { optional: true } } };

    expect(findForbiddenDependencies('postgres', manifest)).toEqual([]);
  });
});

describe('findMismatchedExports', () => {
  it.each([
    ['an entry that is not published', { '.': './src/index.ts' }, {}],
    [
      'an entry that is only published',
      {},
      { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    ],
    [
      'another file',
      { '.': './src/index.ts' },
      { '.': { types: './dist/index.d.ts', default: './dist/main.js' } },
    ],
  ])('reports %s', (_name, exports, published) => {
    const manifest = { exports, publishConfig: { exports: published } };

    expect(findMismatchedExports('core', manifest)).toEqual([
      'core: exports and publishConfig.exports disagree on .',
    ]);
  });
});
