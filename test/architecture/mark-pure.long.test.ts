import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
// @ts-expect-error -- a tool without types
import { markModule } from '../../.tools/mark-pure.mjs';
import { listTypeScript, readText } from '../support/repository.ts';

/** Packages that users bundle for browsers, by what their manifests promise: no module has an effect when it is loaded. */
const PACKAGES = ['core', 'inprocess'];

/** Read what the runtime has before a test runner can replace it: all calls need it, so nothing is kept in vain. */
const READ_THE_RUNTIME = ['packages/inprocess/src/time/clock.ts'];

/** Returns what a bundler keeps of a built module of which nothing is used. */
async function keptOf(text: string): Promise<string> {
  const unused = markModule(text)
    .replaceAll(/^export (?:type )?\{[^}]*\}(?: from '[^']+')?;$/gm, '')
    .replaceAll(/^export (?=\w)/gm, '');
  const { code } = await transform(unused, { loader: 'ts', format: 'esm', treeShaking: true });
  return code.replaceAll(/^import [^;]*;$/gm, '').trim();
}

describe('a module of a built package', () => {
  it.each(PACKAGES)('of %s leaves nothing in a bundle that does not use it', async (name) => {
    const paths = listTypeScript(`packages/${name}/src`).filter((path) => !READ_THE_RUNTIME.includes(path));

    const kept = await Promise.all(paths.map(async (path) => [path, await keptOf(readText(path))] as const));

    expect(paths.length).toBeGreaterThan(30);
    expect(kept.filter(([, code]) => code !== '')).toEqual([]);
  });

  it('keeps what has an effect that no mark can take back', async () => {
    expect(await keptOf('const { now } = Date;\nexport const startedAt: number = now();')).toBe(
      'const { now } = Date;',
    );
    expect(await keptOf('Object.freeze(Array.prototype);')).toBe('Object.freeze(Array.prototype);');
  });

  it('is as it was, where it computes nothing', () => {
    const text =
      "export const LIMIT = 3;\nexport const KEYS = ['a', LIMIT];\nexport const f = (): number => g();";

    expect(markModule(text)).toBe(text);
  });

  it('computes the same values in the same order', () => {
    const text =
      'export const A: readonly number[] = [1, 2].map(double);\nexport const B = { ...A, n: A.length };';

    expect(markModule(text)).toBe(
      'export const A: readonly number[] = /* @__PURE__ */ (() => ([1, 2].map(double)))();\n' +
        'export const B = /* @__PURE__ */ (() => ({ ...A, n: A.length }))();',
    );
  });
});
