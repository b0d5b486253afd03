import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Broker } from '@retry/core/broker';
import { readOptions } from '@retry/core/fields';
import { CliError } from '../errors.ts';
import type { ConnectOptions } from './connect-options.ts';
import { resolvePackage } from './load-package.ts';

/** What a configuration file says. */
export interface Config {
  readonly options: ConnectOptions;
  /** A broker that the file made itself, with a client of its own. */
  readonly broker: Broker | undefined;
  /** The name of the file. */
  readonly source: string;
  readonly folder: string;
}

const NAMES = ['retry.config.ts', 'retry.config.js', 'retry.config.json'];

/**
 * Reads the configuration of this folder, or of the nearest one above that has one.
 *
 * @throws {CliError} `WRONG_CONFIG` when it cannot be read or run
 * @throws {InvalidOptionsError} listing what is wrong in it
 */
export async function readConfig(cwd: string): Promise<Config | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const source = NAMES.find((name) => existsSync(join(folder, name)));
    if (source !== undefined) return { ...(await read(join(folder, source), source)), source, folder };
    if (dirname(folder) === folder) return undefined;
  }
}

const KEYS = ['url', 'prefix', 'partitions', 'schema', 'broker'];

async function read(path: string, source: string): Promise<Pick<Config, 'options' | 'broker'>> {
  const exported = await load(path, source);
  const value: unknown = typeof exported === 'function' ? await exported() : exported;
  const { broker, ...options } = readOptions(value, { subject: source, keys: KEYS }, (fields) => ({
    url: fields.optional('url', A_TEXT),
    prefix: fields.optional('prefix', A_TEXT),
    partitions: fields.optional('partitions', A_COUNT),
    schema: fields.optional('schema', A_TEXT),
    broker: fields.optional('broker', A_BROKER),
  }));
  const given = Object.entries(options).filter(([, option]) => option !== undefined);
  return { options: Object.fromEntries(given), broker };
}

async function load(path: string, source: string): Promise<unknown> {
  try {
    if (extname(path) === '.json') return JSON.parse(await readFile(path, 'utf8'));
    const module: unknown = extname(path) === '.ts' ? await importTypeScript(path) : await importFile(path);
    return typeof module === 'object' && module !== null && 'default' in module ? module.default : module;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isUnknown = error instanceof Error && 'code' in error && error.code === UNKNOWN_EXTENSION;
    const cure = isUnknown
      ? 'Install tsx (npm install --save-dev tsx), use Node 22.18 or newer, or write retry.config.js.'
      : 'Correct the file, or give --url.';
    throw new CliError('WRONG_CONFIG', `${source} cannot be read: ${reason}. ${cure}`, { cause: error });
  }
}

const UNKNOWN_EXTENSION = 'ERR_UNKNOWN_FILE_EXTENSION';

function importFile(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

/** Node reads TypeScript from 22.18 on; before that, the project's own `tsx` does. */
async function importTypeScript(path: string): Promise<unknown> {
  try {
    return await importFile(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === UNKNOWN_EXTENSION)) throw error;
    const tsx = resolvePackage('tsx/esm/api', dirname(path));
    if (tsx === undefined) throw error;
    const api = (await importFile(tsx)) as typeof import('tsx/esm/api'); // that of the resolved package
    return api.tsImport(pathToFileURL(path).href, import.meta.url);
  }
}

const A_TEXT = {
  accepts: (value: unknown): value is string => typeof value === 'string' && value !== '',
  message: 'must be text',
  cure: 'Leave it out, or write a text that is not empty.',
};

const A_COUNT = {
  accepts: (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1,
  message: 'must be an integer ≥ 1',
  cure: 'Leave it out for 1.',
};

const A_BROKER = {
  accepts: (value: unknown): value is Broker =>
    typeof value === 'object' && value !== null && 'settleAndClaim' in value && 'audit' in value,
  message: 'must be a broker',
  cure: 'Use createRedisBroker({ client }), or url alone.',
};
