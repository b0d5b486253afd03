import { parseArgs } from 'node:util';

/** What the command line says. */
export interface Arguments {
  /** Seed of the server's moods, an integer ≥ 0. */
  readonly seed: number;
  readonly help: boolean;
}

/** What the demo understands, for people. */
export const USAGE = `npm start -- [options]

  --seed <number>   how the server misbehaves; the same seed gives the same troubles (default: 2)
  --help            print this`;

/** @throws {Error} when an argument is not known or its value is no good; the message says what is */
export function readArguments(given: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...given],
      options: { seed: { type: 'string', default: '2' }, help: { type: 'boolean', default: false } },
    });
    return { seed: readSeed(values.seed), help: values.help };
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
