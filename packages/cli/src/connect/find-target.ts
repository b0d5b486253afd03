import type { Broker } from '@retry/core/broker';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';
import type { ConnectOptions } from './connect-options.ts';
import { readConfig } from './read-config.ts';
import type { Address, Target } from './target.ts';
import { readTarget } from './target.ts';

/** Where the queue is, or the broker that a configuration made. */
export type Found = { readonly target: Target } | { readonly broker: Broker; readonly shown: string };

/** The variables that name a server for other programs, too. */
const SHARED = ['REDIS_URL', 'DATABASE_URL'] as const;

/**
 * Finds the queue: `--url`, else `RETRY_URL`, else `REDIS_URL` or `DATABASE_URL`, else `retry.config.ts`, `.js` or `.json` in the
 * folder, or in that of the package that it belongs to. With `--url` no configuration is read, let alone run.
 *
 * @throws {CliError} `NO_CONNECTION` when none of these names one
 */
export async function findTarget(options: ConnectOptions, environment: CliEnvironment): Promise<Found> {
  const { cwd } = environment;
  const named = namedAddress(options, environment);
  const config = options.url === undefined ? await readConfig(environment, options) : undefined;
  if (named !== undefined) return { target: readTarget(named, options, { ...config?.options, cwd }) };
  if (config?.broker !== undefined) return { broker: config.broker, shown: config.source };
  if (config?.options.url !== undefined) {
    const address = { url: config.options.url, source: config.source };
    return { target: readTarget(address, options, { ...config.options, cwd: config.folder }) };
  }
  const cure = 'Give --url redis://host:6379, or set RETRY_URL, or write retry.config.json: {"url": "…"}.';
  throw new CliError('NO_CONNECTION', `No queue is given. ${cure}`);
}

/** Returns the options of the configuration, which does not have to name a queue; with `--url` no configuration is read. */
export async function configuredOptions(
  options: ConnectOptions,
  environment: CliEnvironment,
): Promise<ConnectOptions> {
  const config = options.url === undefined ? await readConfig(environment, options) : undefined;
  return config?.options ?? {};
}

function namedAddress({ url }: ConnectOptions, { env }: CliEnvironment): Address | undefined {
  if (url !== undefined) return { url, source: '--url' };
  if (isSet(env['RETRY_URL'])) return { url: env['RETRY_URL'], source: 'RETRY_URL' };
  const shared = SHARED.flatMap((source): readonly Address[] => {
    const value = env[source];
    return isSet(value) ? [{ url: value, source }] : [];
  });
  if (shared.length < 2) return shared[0];
  throw new CliError('WRONG_USAGE', `${SHARED.join(' and ')} are both set. Give --url, or set RETRY_URL.`);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
