import type { Broker } from '@retry/core/broker';
import type { RedisBroker } from '@retry/redis-queue';
import { CliError } from '../errors.ts';
import { printable } from '../terminal/printable.ts';
import type { Target } from './target.ts';

/** What the broker of `@retry/redis-queue` has besides. */
type Listed = Broker & Pick<RedisBroker, 'queues'>;

/** How many queues an error names. */
const MAX_NAMES = 20;

/**
 * Refuses a prefix of which Redis has nothing where it has other queues: a mistyped one would be an empty queue. On a server without any, a
 * queue is only new. A schema that is not there the broker of Postgres refuses itself.
 *
 * @throws {CliError} `NO_SUCH_QUEUE`
 */
export async function refuseAbsent(target: Target, broker: Broker): Promise<void> {
  if (target.type !== 'redis') return;
  const { prefix, isThere, prefixes } = await (broker as Listed).queues(); // the target is Redis
  const mayBeMistyped = prefixes === undefined ? target.prefix !== undefined : prefixes.length > 0;
  if (isThere || !mayBeMistyped) return;
  const cure = 'Correct --prefix; a new queue is there once a run was submitted or a worker has started.';
  throw new CliError(
    'NO_SUCH_QUEUE',
    `There is no queue with the prefix ${printable(prefix)} at ${target.shown}. ${whatThereIs(prefixes)} ${cure}`,
  );
}

function whatThereIs(prefixes: readonly string[] | undefined): string {
  if (prefixes === undefined) return 'The server does not let its keys be looked through.';
  const names = prefixes.slice(0, MAX_NAMES).map(printable).join(', ');
  const more = prefixes.length > MAX_NAMES ? ` and ${prefixes.length - MAX_NAMES} more` : '';
  return `The server has ${names}${more}.`;
}
