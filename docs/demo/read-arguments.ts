import { parseArgs } from 'node:util';
import type { BrokerName } from './tasks/open-broker.ts';
import { BROKER_NAMES } from './tasks/open-broker.ts';

/** What the command line says. */
export interface Arguments {
  /** Seed of the server's moods, an integer ≥ 0. */
  readonly seed: number;
  /** Where the tasks are kept. */
  readonly broker: BrokerName;
  /** Goes on with the tasks that an earlier demo, ended or killed, left there. */
  readonly resume: boolean;
  readonly help: boolean;
}

/** What the demo understands, for people. */
export const USAGE = `npm start -- [options]

  --seed <number>   how the server misbehaves; the same seed gives the same troubles (default: 2)
  --broker <name>   what keeps the tasks: ${BROKER_NAMES.join(', ')} (default: memory); Redis is taken from
                    REDIS_URL, or the redis-server of this machine is started for the demo alone;
                    Postgres is that of DATABASE_URL, or else PGlite in a folder
  --resume          with --broker postgres: goes on with the tasks of a demo that was killed
  --help            print this`;

/** @throws {Error} when an argument is not known or its value is no good; the message says what is */
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
    // Node's second sentence is about positional arguments, which there are none of.
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
