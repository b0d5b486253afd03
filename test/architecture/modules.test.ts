import { describe, expect, it } from 'vitest';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';
import { findMisshapen } from './rules/modules.ts';

describe('modules', () => {
  it.each([...listPackageNames().map((name) => `packages/${name}/src`), 'docs/demo'])(
    'of %s follow the house style',
    (folder) => {
      const found = listTypeScript(folder).flatMap((path) => findMisshapen({ path, text: readText(path) }));

      expect(found).toEqual([]);
    },
  );
});

describe('findMisshapen', () => {
  it.each([
    ['a default export', 'export default function decide() {}'],
    ['a default class', 'export default class Decision {}'],
    ['a default value', 'export default 1;'],
    ['a renamed default export', 'export { decide as default };'],
    ['export *', "export * from './decide.ts';"],
    ['export * as', "export * as decisions from './decide.ts';"],
    ['a switch with a default', 'switch (type) { case 1: break; default: break; }'],
  ])('reports %s', (_name, text) => {
    const found = findMisshapen({ path: 'packages/core/src/decide.ts', text });

    expect(found).toHaveLength(1);
  });

  it.each(['export const a = 1;', "import './a.ts';", 'export { a };', 'export function b() {}'])(
    'reports an index.ts with %s',
    (text) => {
      const found = findMisshapen({ path: 'packages/core/src/index.ts', text });

      expect(found).toEqual(['packages/core/src/index.ts:1 an index.ts only re-exports']);
    },
  );

  it.each([
    'packages/core/src/utils.ts',
    'packages/core/src/policy/helpers.ts',
    'packages/core/src/types.ts',
    'packages/core/src/common/delay.ts',
    'packages/core/src/computeDelay.ts',
  ])('reports a file named %s', (path) => {
    const found = findMisshapen({ path, text: '' });

    expect(found).toHaveLength(1);
  });

  it.each([
    [
      'packages/core/src/index.ts',
      "export { decide } from './decide.ts';\nexport type { Policy } from './policy.ts';",
    ],
    ['packages/core/src/compute-delay.ts', 'export function computeDelay() {}'],
    ['packages/core/src/delay.ts', '// export default and export * are not for us\n'],
  ])('accepts %s', (path, text) => {
    const found = findMisshapen({ path, text });

    expect(found).toEqual([]);
  });
});
