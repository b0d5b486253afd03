import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { hideSecrets, hideSecretsOfUrl } from '@retry/core/broker/kit';
import { CliError } from '../errors.ts';
import type { ConnectOptions } from './connect-options.ts';

/** The kinds of servers. */
type TargetType = 'redis' | 'postgres' | 'pglite';

/** Where the queue is. */
export interface Target {
  readonly type: TargetType;
  /** What to connect to: a URL, or the path of a PGlite folder. */
  readonly address: string;
  /** The target as it is shown to people, without a password. */
  readonly shown: string;
  /** Where the address comes from: `--url`, `REDIS_URL`, a file. */
  readonly source: string;
  readonly prefix: string | undefined;
  readonly partitions: number | undefined;
  readonly schema: string | undefined;
}

/** An address, and where it comes from. */
export interface Address {
  readonly url: string;
  readonly source: string;
}

/** Which options belong to which servers. */
const OPTIONS = {
  prefix: ['redis'],
  partitions: ['redis'],
  schema: ['postgres', 'pglite'],
} as const satisfies Record<Exclude<keyof ConnectOptions, 'url' | 'json'>, readonly TargetType[]>;

/**
 * Reads where the queue is.
 *
 * @param given - options of the command line; one that does not belong to the kind of server is refused
 * @param fallback - options of a configuration, which may have those of several kinds
 * @throws {CliError} `WRONG_USAGE`
 */
export function readTarget(
  { url, source }: Address,
  given: ConnectOptions,
  { cwd, ...fallback }: ConnectOptions & { readonly cwd: string },
): Target {
  const type = typeOf(url, cwd);
  const shown = type === 'pglite' ? hideSecrets(url) : hideSecretsOfUrl(url);
  if (type === undefined) {
    const cure = 'Write redis://host:6379, postgres://host/database, or pglite: and a folder.';
    throw new CliError('WRONG_USAGE', `${source} is ${shown}, which is no server that is known. ${cure}`);
  }
  for (const [option, types] of Object.entries(OPTIONS) as [keyof typeof OPTIONS, readonly TargetType[]][]) {
    if (given[option] === undefined || types.includes(type)) continue;
    const message = `--${option} belongs to ${types.join(' and ')}, and ${source} is ${shown}. Leave it out.`;
    throw new CliError('WRONG_USAGE', message);
  }
  return {
    type,
    address: type === 'pglite' ? resolve(cwd, url.replace(/^pglite:(?:\/\/)?/, '')) : url,
    shown,
    source,
    prefix: given.prefix ?? fallback.prefix,
    partitions: given.partitions ?? fallback.partitions,
    schema: given.schema ?? fallback.schema,
  };
}

function typeOf(url: string, cwd: string): TargetType | undefined {
  if (/^rediss?:\/\//i.test(url)) return 'redis';
  if (/^postgres(?:ql)?:\/\//i.test(url)) return 'postgres';
  if (/^pglite:/.test(url)) return 'pglite';
  if (/^[a-z][a-z+]*:\/\//i.test(url)) return undefined;
  return isPgliteFolder(resolve(cwd, url)) ? 'pglite' : undefined;
}

/** Returns whether PGlite has made a database in a folder. */
export function isPgliteFolder(path: string): boolean {
  return statSync(resolve(path, 'PG_VERSION'), { throwIfNoEntry: false })?.isFile() === true;
}
