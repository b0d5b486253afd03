import { DEAD_LETTER_STATES } from '@retry/core/lifecycle';
import type { Command } from 'commander';
import { Option } from 'commander';
import { durationOption, integerArgument, rateArgument } from './arguments.ts';
import { type Frame, perform } from './declare.ts';
import { addGroup, addPaging, addQueueCommand, TASK } from './declare-queue.ts';
import { POLICY } from './policies.ts';

/** Adds the commands about dead letters. */
export function declareDeadLetters(outer: Frame): void {
  const frame = addGroup(outer, 'dlq', 'dead letters: by cause, one by one, redrive and discard them');
  declareGroups(frame);
  declareList(frame);
  declareShow(frame);
  declareRedrive(frame);
  declareDiscard(frame);
  declareReplay(outer);
}

function declareGroups(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'groups',
    summary: 'list the causes of dead letters, those with most of them first',
    examples: ['retry dlq groups', 'retry dlq groups --task send-email'],
  }).option(...TASK);
  addPaging(command);
  perform(frame, command, async () => (await import('../dead-letters/groups.ts')).groupsAction);
}

function declareList(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'ls',
    summary: 'list dead letters',
    examples: ['retry dlq ls --group 3f2a', 'retry dlq ls --task send-email --since 2h'],
  });
  addSelection(addPaging(command));
  perform(frame, command, async () => (await import('../dead-letters/list.ts')).listAction);
}

function declareShow(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'show',
    summary: 'show a dead letter: its attempts, its group, its stack',
    examples: ['retry dlq show VgmOYqW00T3nGq8bXw2'],
  }).argument('<id>', 'the id of the run');
  perform(frame, command, async () => (await import('../dead-letters/show.ts')).showAction);
}

function declareRedrive(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'redrive',
    summary: 'plan to send dead letters back to their lanes; --apply does it',
    examples: [
      'retry dlq redrive --group 3f2a                        prints the plan',
      'retry dlq redrive --group 3f2a --rate 50/s --apply    does it',
    ],
  });
  addBulk(command)
    .option('--rate <rate>', 'how many are due at most: 50/s', rateArgument)
    .addOption(durationOption('--spread', 'the time over which they are due evenly').conflicts('rate'));
  perform(frame, command, async () => (await import('../dead-letters/bulk.ts')).redriveAction);
}

function declareDiscard(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'discard',
    summary: 'plan to delete dead letters for good; --apply does it',
    examples: ['retry dlq discard --error ValidationError --older-than 30d --apply --yes'],
  });
  addBulk(command).option('--yes', 'ask no question on a terminal');
  perform(frame, command, async () => (await import('../dead-letters/bulk.ts')).discardAction);
}

function declareReplay(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'replay',
    summary: 'say what a policy would have decided about the failures of dead letters',
    examples: ['retry replay policy.json --group 3f2a', `retry replay '{"maxAttempts":8}' --task send-email`],
  })
    .argument('<policy>', POLICY)
    .option('--limit <number>', 'dead letters to look at', integerArgument(1, 100_000), 10_000);
  addSelection(command);
  perform(frame, command, async () => (await import('../dead-letters/replay.ts')).replayAction);
}

function addBulk(command: Command): Command {
  command
    .argument('[ids...]', 'these; instead of a filter')
    .option('--all', 'every one of the state')
    .option('--limit <number>', 'the first of them', integerArgument(1, 10_000));
  return addSelection(command)
    .option('--reason <text>', 'why, for people')
    .option('--by <name>', 'who, for people (default: USER)')
    .option('--apply', 'do it: without this the plan is printed')
    .option('--detach', 'do not wait until it is done: workers carry it on');
}

/** The options that select dead letters. */
function addSelection(command: Command): Command {
  return command
    .option(...TASK)
    .option('--group <id>', 'only of this error group; the beginning of its id will do')
    .option('--error <name>', 'only with this name of the latest error')
    .addOption(durationOption('--since', 'only those that ended within this time'))
    .addOption(durationOption('--older-than', 'only those that ended before this time'))
    .addOption(
      // Without a default: ids are of any state, unless it is given.
      new Option('--state <state>', 'of this state (default: failed)').choices(DEAD_LETTER_STATES),
    );
}
