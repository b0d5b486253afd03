import { keyMeantBy } from '@retry/core/fields';
import type { Command } from 'commander';

/** What those who know other programs, or the methods of a queue, call a command. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  counts: ['audit'],
  'dead-letters': ['dlq'],
  delete: ['discard', 'forget', 'rm'],
  failed: ['dlq'],
  get: ['show'],
  health: ['doctor'],
  jobs: ['runs'],
  list: ['ls'],
  pause: ['hold', 'pause'],
  purge: ['discard', 'forget'],
  queue: ['lanes'],
  queues: ['lanes'],
  remove: ['discard', 'forget', 'rm'],
  requeue: ['redrive'],
  retry: ['redrive'],
  stats: ['audit', 'top'],
  status: ['doctor'],
};

/**
 * Returns the commands that may be meant by arguments whose command is unknown, as they are written: `retry lanes hold`. Those of the
 * group that was named come first: others only where it has none.
 */
export function commandsMeant(program: Command, args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const named = program.commands.find((command) => command.name() === words[0]);
  const group = named?.commands.length ? named : program;
  const word = words[group === program ? 0 : 1] ?? '';
  const names = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : [word];
  const ofGroup = group.commands.filter((command) => names?.includes(command.name()));
  const anywhere = leavesOf(program).filter((command) => names?.includes(command.name()));
  const near = keyMeantBy(
    word,
    group.commands.map((command) => command.name()),
  );
  const like = group.commands.filter((command) => command.name() === near);
  return [ofGroup, like, anywhere].find((found) => found.length > 0)?.map(pathOf) ?? [];
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
