import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../errors.ts';
import { resolvePackage } from './load-package.ts';

/** Refuses what is not UTF-8, and leaves a byte order mark out. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns what a configuration file holds or exports, or what the function that it exports returns.
 *
 * @throws {CliError} `WRONG_CONFIG` when it cannot be read, or it or its function throws
 */
export async function loadConfig(path: string, source: string): Promise<unknown> {
  try {
    if (extname(path) === '.json') return JSON.parse(decoder.decode(await readFile(path)));
    const module = extname(path) === '.ts' ? await importTypeScript(path) : await importFile(path);
    // Where a module was compiled to CommonJS, the `default` that Node gives it is an object that has its own.
    const exported = defaultOf(defaultOf(module));
    return typeof exported === 'function' ? await exported() : exported;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const cure = isUnknownExtension(error)
      ? 'Install tsx (npm install --save-dev tsx), use Node 22.18 or newer, or write retry.config.js.'
      : 'Correct the file, or give --url.';
    throw new CliError('WRONG_CONFIG', `${source} cannot be read: ${reason}. ${cure}`, { cause: error });
  }
}

/** Returns the `default` of a module that has one. */
function defaultOf(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : module;
}

function isUnknownExtension(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION';
}

function importFile(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

/** Node reads TypeScript from 22.18 on; before that, the project's own `tsx` does. */
async function importTypeScript(path: string): Promise<unknown> {
  try {
    return await importFile(path);
  } catch (error) {
    const tsx = isUnknownExtension(error) ? tsxPath(dirname(path)) : undefined;
    if (tsx === undefined) throw error;
    const api = (await importFile(tsx)) as typeof import('tsx/esm/api'); // that of the resolved package
    return api.tsImport(pathToFileURL(path).href, import.meta.url);
  }
}

/** Returns the file that `import` loads: that of `require`, which Node would resolve, registers a file that is not there. */
function tsxPath(cwd: string): string | undefined {
  const manifest = resolvePackage('tsx/package.json', cwd);
  if (manifest === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  const file = exports?.['./esm/api']?.import;
  return file === undefined ? undefined : join(dirname(manifest), file.default ?? file);
}
