import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../errors.ts';

/** Returns the path of a package: of the project in this folder, else what was installed beside the program. */
export function resolvePackage(name: string, cwd: string): string | undefined {
  for (const from of [pathToFileURL(join(cwd, 'package.json')).href, import.meta.url]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // It is not there; the next one is tried.
    }
  }
  return undefined;
}

/**
 * Loads a package that only some commands and servers need.
 *
 * @typeParam Module - what the package exports
 * @throws {CliError} `NO_PACKAGE` when it is not installed
 */
export async function loadPackage<Module>(name: string, cwd: string): Promise<Module> {
  const path = resolvePackage(name, cwd);
  if (path === undefined) {
    const message = `The package ${name} is needed here, and not installed. Run npm install ${name}.`;
    throw new CliError('NO_PACKAGE', message);
  }
  return import(pathToFileURL(path).href);
}
