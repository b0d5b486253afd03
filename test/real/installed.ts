import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a package exports that is not installed where this is type-checked. */
// biome-ignore lint/suspicious/noExplicitAny: there are no types of it.
export type Modules = any;

/** The folder in which `npm run test:real` installed the packages: the first argument. */
export const folder: string = process.argv[2] ?? '';

/** Loads a package of that folder. */
export async function load(name: string): Promise<Modules> {
  const { resolve } = createRequire(join(folder, 'package.json'));
  try {
    return await import(pathToFileURL(resolve(name)).href);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error;
    // It can be imported only, and only from a module of that folder.
    const importer = join(folder, 'import.mjs');
    writeFileSync(importer, 'export const importHere = (name) => import(name);');
    const { importHere } = await import(pathToFileURL(importer).href);
    return importHere(name);
  }
}

/** Returns the version of a package of that folder, with its name: `got@16.1.0`. */
export function versioned(name: string): string {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return `${name}@${JSON.parse(text).version}`;
}

let failures = 0;

/** Prints what was found wrong with something, or that nothing was; the exit status is 1 if anything was. */
export function report(what: string, found: readonly string[]): void {
  failures += found.length;
  console.log(`${what}: ${found.length === 0 ? 'all right' : `NOT ${found.join(', ')}`}`);
  process.exitCode = failures === 0 ? 0 : 1;
}

/** Prints how many scenes of a driver are decided right, and which are not; the exit status is 1 if any is not. */
export function reportScenes(what: string, scenes: number, wrong: readonly string[]): void {
  failures += wrong.length;
  console.log(`${what}: ${scenes - wrong.length} scenes right, ${wrong.length} wrong`);
  for (const one of wrong) console.log(`  NOT ${one}`);
  process.exitCode = failures === 0 ? 0 : 1;
}
