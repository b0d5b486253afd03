import type { Command } from 'commander';
import { integerArgument } from './arguments.ts';
import type { CommandTexts, Frame } from './declare.ts';
import { addCommand } from './declare.ts';

/** Adds a command that asks a server, with the options that say which one. */
export function addQueueCommand(frame: Pick<Frame, 'program'>, texts: CommandTexts): Command {
  return addCommand(frame, texts)
    .option('--url <url>', 'redis://…, postgres://… or pglite:folder (default: RETRY_URL, …)')
    .option('--prefix <prefix>', 'of the keys on Redis (default: retry)')
    .option('--partitions <number>', 'of the queue on Redis (default: 1)', integerArgument(1, 256))
    .option('--schema <name>', 'of the tables on Postgres (default: retry)');
}

/** The option of commands that look at the runs of one task. */
export const TASK = ['--task <name>', 'only of this task: send-email, or send-email@2'] as const;

/** Adds the options of a command that lists page by page. */
export function addPaging(command: Command): Command {
  return command
    .option('--limit <number>', 'how many at most', integerArgument(1, 1_000), 20)
    .option('--after <cursor>', 'the page after this one');
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
