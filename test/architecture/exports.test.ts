import { describe, expect, it } from 'vitest';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';
import { findUnusedExports } from './rules/exports.ts';
import type { Source } from './rules/source.ts';

function readAll(folder: string): readonly Source[] {
  return listTypeScript(folder).map((path) => ({ path, text: readText(path) }));
}

/** The modules that users of a package import, by its manifest. */
function entriesOf(name: string): readonly string[] {
  const { exports = {} } = JSON.parse(readText(`packages/${name}/package.json`)) as {
    readonly exports?: Readonly<Record<string, string>>;
  };
  return Object.values(exports).map((path) => `packages/${name}/${path.slice(2)}`);
}

describe('exports', () => {
  it('of modules are used by other files, unless users of a package import them', () => {
    const entries = listPackageNames().flatMap(entriesOf);
    const folders = entries.filter((path) => path.includes('*')).map((path) => path.split('*')[0] ?? path);
    const sources = listPackageNames().flatMap((name) => readAll(`packages/${name}/src`));
    const modules = sources.filter(
      ({ path }) => !entries.includes(path) && !folders.some((folder) => path.startsWith(folder)),
    );

    const servers = ['redis-queue/lua', 'postgres/sql'].flatMap((folder) => readAll(`packages/${folder}`));

    expect(findUnusedExports(modules, [...sources, ...servers, ...readAll('test')])).toEqual([]);
  });
});

describe('findUnusedExports', () => {
  const used = { path: 'a.ts', text: 'export const one = 1;\nexport interface Two {}\nconst three = one;' };

  it('reports what no other file has the name of', () => {
    expect(findUnusedExports([used], [used])).toEqual([
      'a.ts: no other file uses one',
      'a.ts: no other file uses Two',
    ]);
  });

  it('lets pass what another file names', () => {
    const user = { path: 'b.ts', text: "import { one, type Two } from './a.ts';" };

    expect(findUnusedExports([used], [used, user])).toEqual([]);
  });
});
