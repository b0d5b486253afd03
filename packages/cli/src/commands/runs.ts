import { END_STATES, RUN_STATES } from '@retry/core/lifecycle';
import { InvalidArgumentError } from 'commander';
import { durationOption, instantArgument, integerArgument } from './arguments.ts';
import { type Frame, perform } from './declare.ts';
import { addGroup, addPaging, addQueueCommand, TASK } from './declare-queue.ts';

const STATES: readonly string[] = RUN_STATES.filter((state) => state !== 'unsubmitted');

/** Adds the commands about single runs. */
export function declareRuns(outer: Frame): void {
  const frame = addGroup(outer, 'runs', 'list, show, watch, cancel, reschedule and forget runs');
  declareList(frame);
  declareShow(frame);
  declareWatch(frame);
  declareChanges(frame);
  declareForget(frame);
}

function declareList(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'ls',
    summary: 'list runs, dead letters first',
    examples: [
      'retry runs ls --state failed,stalled --task send-email',
      'retry runs ls --text user-7 --since 2h',
    ],
  })
    .option('--state <states>', 'only these, with commas between', statesArgument)
    .option(...TASK)
    .option('--attempt <number>', 'only at this attempt', integerArgument(0))
    .option('--error <name>', 'only with this name of the latest error')
    .option('--text <text>', 'only with this text in id, errors or payload')
    .addOption(durationOption('--since', 'only those that ended, or were submitted, within this time'));
  addPaging(command);
  perform(frame, command, async () => (await import('../runs/list.ts')).listAction);
}

function declareShow(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'show',
    summary: 'show a run, one row per attempt: waited, ran, why',
    examples: ['retry runs show VgmOYqW00T3nGq8bXw2'],
  }).argument('<id>', 'the id of the run');
  perform(frame, command, async () => (await import('../runs/show.ts')).showAction);
}

function declareWatch(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'watch',
    summary: 'print a line whenever a run moves, until it ends; exit status 1 unless it completes',
    examples: ['retry runs watch VgmOYqW00T3nGq8bXw2 --timeout 5m'],
  })
    .argument('<id>', 'the id of the run')
    .addOption(durationOption('--every', 'time between two polls', 500))
    .addOption(durationOption('--timeout', 'the longest time to watch'));
  perform(frame, command, async () => (await import('../runs/watch.ts')).watchAction);
}

function declareChanges(frame: Frame): void {
  const cancel = addQueueCommand(frame, {
    name: 'cancel',
    summary: 'cancel runs: those that wait immediately, started ones by their workers',
    examples: ['retry runs cancel VgmOYqW00T3nGq8bXw2'],
  }).argument('<ids...>', 'the ids of the runs');
  perform(frame, cancel, async () => (await import('../runs/change.ts')).cancelAction);
  const runNow = addQueueCommand(frame, {
    name: 'run-now',
    summary: 'let scheduled runs start now',
    examples: ['retry runs run-now VgmOYqW00T3nGq8bXw2'],
  }).argument('<ids...>', 'the ids of the runs');
  perform(frame, runNow, async () => (await import('../runs/change.ts')).runNowAction);
  const reschedule = addQueueCommand(frame, {
    name: 'reschedule',
    summary: 'move waiting runs to another start',
    examples: ['retry runs reschedule VgmOYqW00T3nGq8bXw2 --in 10m'],
  })
    .argument('<ids...>', 'the ids of the runs')
    .addOption(durationOption('--in', 'not before this time from now'))
    .option('--at <time>', 'not before this time', instantArgument);
  perform(frame, reschedule, async () => (await import('../runs/change.ts')).rescheduleAction);
}

function declareForget(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'forget',
    summary: 'list ended runs to delete for good; --apply does it',
    examples: [
      'retry runs forget --older-than 1d --task send-email --apply',
      'retry runs forget VgmOYqW00T3nGq8bXw2 --apply',
    ],
  })
    .argument('[ids...]', 'the ids of the runs')
    .option(...TASK)
    .addOption(durationOption('--older-than', 'only those that ended at least this long ago'))
    .option(
      '--state <states>',
      'only these, with commas between (default: completed,cancelled,dropped)',
      endedArgument,
    )
    .option('--all', 'every one of the states')
    .option('--apply', 'do it: without this the ids are printed')
    .option('--yes', 'ask no question on a terminal');
  perform(frame, command, async () => (await import('../runs/forget.ts')).forgetAction);
}

function endedArgument(text: string): readonly string[] {
  const states = statesArgument(text);
  const waiting = states.find((state) => !END_STATES.some((end) => end === state));
  if (waiting === undefined) return states;
  throw new InvalidArgumentError(`A ${waiting} run has not ended: cancel it first.`);
}

function statesArgument(text: string): readonly string[] {
  const states = text.split(',').map((state) => state.trim());
  if (states.every((state) => STATES.includes(state))) return states;
  throw new InvalidArgumentError(`Write one or more of ${STATES.join(',')}.`);
}
