import { parseArgs } from 'node:util';
import type { BrokerName } from './tasks/open-broker.ts';
import { BROKER_NAMES } from './tasks/open-broker.ts';

/** The options of the command line. */
export interface Arguments {
  /** Seed of the server's failures, an integer ≥ 0. */
  readonly seed: number;
  /** Where the tasks are kept. */
  readonly broker: BrokerName;
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
  --resume          with --broker postgres: continues with the tasks of a demo that was killed
  --help            print this`;

/** Reads the command line. @throws {Error} for an unknown argument or a wrong value; the message has the usage */
export function readArguments(given: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...given],
      options: {
        seed: { type: 'string', default: '2' },
        broker: { type: 'string', default: 'memory' },
        resume: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const { resume, help } = values;
    return { seed: readSeed(values.seed), broker: readBroker(values.broker), resume, help };
  } catch (error) {
    // Node's second sentence is about positional arguments; there are none.
    const [message] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new Error(`${message}\n\n${USAGE}`, { cause: error });
  }
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
