import { parseArgs } from 'node:util';
// The demo finds its servers as the tests do.
import { hasRedis } from '../../test/support/servers/redis.ts';
import type { BrokerName } from './brokers/open-broker.ts';
import { BROKER_NAMES } from './brokers/open-broker.ts';

/** The options of the command line. */
export interface Arguments {
  /** Seed of the server's failures, an integer ≥ 0. */
  readonly seed: number;
  /** Where the tasks are kept. */
  readonly broker: BrokerName;
  /** The command line says so. */
  readonly isBrokerGiven: boolean;
  /** Fills a queue and leaves it there, instead of the demo. */
  readonly keep: boolean;
  /** Fills a queue with a day and serves its board, instead of the demo. */
  readonly board: boolean;
  /** Opens the board in a browser. */
  readonly opens: boolean;
  /** Continues with the tasks of an earlier demo that ended or was killed. */
  readonly resume: boolean;
  readonly help: boolean;
}

/** The help text. */
export const USAGE = `npm start -- [options]

  --seed <number>   how the server fails; the same seed fails the same way (default: 2)
  --broker <name>   where the tasks are kept: ${BROKER_NAMES.join(', ')} (default: memory); Redis is that of
                    REDIS_URL, else the redis-server of this machine, started for the demo;
                    Postgres is that of DATABASE_URL, else PGlite in a folder
  --keep            instead: fills a queue with 5 000 runs of which some fail, leaves it there and prints the
                    commands of the program retry that look at it. The broker is postgres (default) or redis;
                    a redis-server that is started for it runs until Ctrl-C
  --board           instead: fills a queue with a day of failures, a storm and holds, and opens its board until
                    Ctrl-C. The broker is redis where this machine has one that starts, else memory
  --no-open         with --board: prints the address, and opens no browser
  --resume          with --broker postgres: continues with the tasks of a demo that was killed
  --help            print this`;

/** Reads the command line. @throws {Error} for an unknown argument or a wrong value; the message has the usage */
export function readArguments(given: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...given],
      options: {
        seed: { type: 'string', default: '2' },
        broker: { type: 'string' },
        keep: { type: 'boolean', default: false },
        board: { type: 'boolean', default: false },
        'no-open': { type: 'boolean', default: false },
        resume: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const { seed, broker, keep, board, resume, help } = values;
    if (keep && resume) throw new Error('--keep and --resume exclude each other: --keep starts afresh.');
    if (board && (keep || resume))
      throw new Error('--board goes with neither --keep nor --resume: it leaves nothing.');
    const opens = !values['no-open'];
    return {
      ...{ seed: readSeed(seed), broker: readBroker(broker ?? usualBroker({ keep, board })) },
      ...{ isBrokerGiven: broker !== undefined, keep, board, opens, resume, help },
    };
  } catch (error) {
    // Node's second sentence is about positional arguments; there are none.
    const [message] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new Error(`${message}\n\n${USAGE}`, { cause: error });
  }
}

/** A board over Redis has company: the program `retry` gets there, too. */
function usualBroker({ keep, board }: Pick<Arguments, 'keep' | 'board'>): BrokerName {
  if (board) return hasRedis() ? 'redis' : 'memory';
  return keep ? 'postgres' : 'memory';
}

function readSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--seed must be a whole number of at most 9 digits, got '${text}'.`);
}

function readBroker(text: string): BrokerName {
  const known = BROKER_NAMES.find((name) => name === text);
  if (known !== undefined) return known;
  throw new Error(`--broker must be one of ${BROKER_NAMES.join(', ')}, got '${text}'.`);
}
