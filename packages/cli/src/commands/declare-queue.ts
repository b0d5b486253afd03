import type { Command } from 'commander';
import type { CommandTexts, Frame } from './declare.ts';
import { addCommand, integerArgument } from './declare.ts';

/** Adds a command that asks a server, with the options that say which one. */
export function addQueueCommand(frame: Pick<Frame, 'program'>, texts: CommandTexts): Command {
  return addCommand(frame, texts)
    .option('--url <url>', 'redis://…, postgres://… or pglite:folder (default: RETRY_URL, …)')
    .option('--prefix <prefix>', 'of the keys on Redis (default: retry)')
    .option('--partitions <number>', 'of the queue on Redis (default: 1)', integerArgument(1, 256))
    .option('--schema <name>', 'of the tables on Postgres (default: retry)');
}

/** Adds a command that has commands of its own. */
export function addGroup({ program, ...frame }: Frame, name: string, summary: string): Frame {
  const group = program
    .command(name)
    .description(summary)
    .helpOption('--help', 'print this')
    .helpCommand(false);
  return { ...frame, program: group };
}
