import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { readText, root } from './repository.ts';

const { version } = JSON.parse(readText('node_modules/@electric-sql/pglite/package.json'));
const folder = join(root, 'node_modules/.cache/retry-pglite');
const newDatabase = join(folder, `${version}.tar`);

/**
 * Opens PGlite as `PGlite.create` does: empty in memory or in a new folder, or as its folder was left. Its initdb takes a
 * processor for 3 to 8 s and writes the same files each time: they are kept, and loading them takes 1 s.
 */
export async function openPGlite(dataDir?: string): Promise<PGlite> {
  if (dataDir !== undefined && existsSync(join(dataDir, 'PG_VERSION'))) return PGlite.create(dataDir);
  await setup();
  const loadDataDir = new Blob([readFileSync(newDatabase)]);
  return PGlite.create({ ...(dataDir !== undefined && { dataDir }), loadDataDir });
}

/** Keeps the files of a new database, where they are not kept yet: before all tests of a project, where no test waits for it. */
export async function setup(): Promise<void> {
  if (existsSync(newDatabase)) return;
  const pglite = await PGlite.create();
  const files = await pglite.dumpDataDir('none');
  await pglite.close();
  mkdirSync(folder, { recursive: true });
  // Another run may do the same: each file gets its name when it is whole.
  const written = `${newDatabase}.${randomUUID()}`;
  writeFileSync(written, new Uint8Array(await files.arrayBuffer()));
  renameSync(written, newDatabase);
}
