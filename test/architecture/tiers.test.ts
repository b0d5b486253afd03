import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listTypeScript, readText } from '../support/repository.ts';
import { TIERS } from '../tiers.ts';
import { listImports } from './rules/imports.ts';

/** What starts a server, or says that there is none. */
const SERVERS = /^test\/support\/servers\/(redis|postgres|redis-cluster)\.ts$/;

/** The ends of names by which `npm test` leaves a file out. */
const LEFT_OUT = /\/(redis|postgres)[^/]*\.test\.ts$|on-servers\.test\.ts$|\.(long|nightly)\.test\.ts$/;

const imported = new Map<string, ReadonlySet<string>>();

/** Returns the files of the repository that a file imports, and those that they import. */
function reachedBy(path: string): ReadonlySet<string> {
  const known = imported.get(path);
  if (known !== undefined) return known;
  const reached = new Set<string>();
  imported.set(path, reached); // before its imports are followed, which may lead back to it
  for (const name of listImports({ path, text: readText(path) })) {
    const target = posix.join(posix.dirname(path), name);
    if (!/^\..*\.ts$/.test(name) || !target.startsWith('test/')) continue;
    reached.add(target);
    for (const further of reachedBy(target)) reached.add(further);
  }
  return reached;
}

describe('the tests of npm test', () => {
  it.each(TIERS.quick.projects.filter((name) => name !== 'smoke'))(
    'of %s need no server: one that does says so by the end of its name',
    (project) => {
      const files = listTypeScript(`test/${project}`).filter((path) => path.endsWith('.test.ts'));

      const found = files.filter(
        (path) => !LEFT_OUT.test(path) && [...reachedBy(path)].some((one) => SERVERS.test(one)),
      );

      expect(files).not.toEqual([]);
      expect(found).toEqual([]);
    },
  );
});
