import { existsSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Broker } from '@retry/core/broker';
import { readOptions } from '@retry/core/fields';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';
import { printable } from '../terminal/printable.ts';
import type { ConnectOptions } from './connect-options.ts';
import { loadConfig } from './load-config.ts';

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
 * Reads the configuration of this folder, else of the package that it belongs to. One that is run is named on standard error, as
 * what is in a folder above may be a surprise; not with `--json`, where an error on standard error is JSON.
 *
 * @throws {CliError} `WRONG_CONFIG` when it cannot be read or run, or everyone may write it
 * @throws {InvalidOptionsError} listing what is wrong in it
 */
export async function readConfig(
  { cwd, stderr }: CliEnvironment,
  { json }: ConnectOptions,
): Promise<Config | undefined> {
  const folders = [cwd, packageRoot(cwd)].filter((folder) => folder !== undefined);
  const folder = folders.find((each) => nameIn(each) !== undefined);
  const source = folder && nameIn(folder);
  if (folder === undefined || source === undefined) return undefined;
  const path = join(folder, source);
  refuseForeign(path);
  if (json !== true && extname(path) !== '.json')
    stderr.write(`retry: running ${printable(path)}, the configuration of the queue.\n`);
  return { ...(await read(path, source)), source, folder };
}

function nameIn(folder: string): string | undefined {
  return NAMES.find((name) => existsSync(join(folder, name)));
}

/** Returns the nearest folder that has a `package.json`. */
function packageRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

const OTHERS_MAY_WRITE = 0o002;
const ONLY_OWNERS_DELETE = 0o1000;

/** Refuses a file that another user owns, or that everyone may write, or may replace because of the folder. A group is trusted. */
function refuseForeign(path: string): void {
  const user = process.getuid?.();
  if (user === undefined) return; // Windows has no owners of this kind
  const [file, folder] = [statSync(path), statSync(dirname(path))];
  const isOwn = [file, folder].every(({ uid }) => [user, 0].includes(uid));
  const mayReplace = (folder.mode & OTHERS_MAY_WRITE) !== 0 && (folder.mode & ONLY_OWNERS_DELETE) === 0;
  if (isOwn && (file.mode & OTHERS_MAY_WRITE) === 0 && !mayReplace) return;
  const cure = 'Own both, and run chmod o-w for them; or give --url.';
  throw new CliError(
    'WRONG_CONFIG',
    `${path} is not read: another user owns it or its folder, or everyone may write them. ${cure}`,
  );
}

const KEYS = ['url', 'prefix', 'partitions', 'schema', 'broker'];

async function read(path: string, source: string): Promise<Pick<Config, 'options' | 'broker'>> {
  const value = await loadConfig(path, source);
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
    typeof value === 'object' && value !== null && 'exchange' in value && 'audit' in value,
  message: 'must be a broker',
  cure: 'Use createRedisBroker({ client }), or url alone.',
};
