import type { Command } from 'commander';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { EXPORTED_NAMES, SYSTEM_NAMES, systemOf, systemsLike } from '../policies/system-names.ts';
import { durationOption, instantArgument, integerArgument } from './arguments.ts';
import { addCommand, type Frame, perform } from './declare.ts';
import { systemsBefore } from './systems-before.ts';

/** What the argument of a policy may be. */
export const POLICY = 'a file, the JSON itself, or - for standard input';

/** An option that reads the argument as the options of another system. */
function fromOption(): Option {
  return systemOption('read the argument as options of this system');
}

/** `retry from --help` alone lists the hundred systems. */
function systemOption(summary: string): Option {
  return new Option('--from <system>', `${summary}, as retry from --help lists them`).argParser(
    systemAmong(SYSTEM_NAMES),
  );
}

/** An argument that is one of these systems, by any of its names. */
function systemArgument(names: readonly string[], summary: string): Argument {
  return new Argument('<system>', summary).choices(names).argParser(systemAmong(names));
}

function systemAmong(names: readonly string[]): (given: string) => string {
  return (given) => {
    const system = systemOf(given, names);
    if (system !== undefined) return system;
    const like = systemsLike(given, names);
    throw new InvalidArgumentError(
      like.length > 0
        ? `Did you mean ${like.join(' or ')}?`
        : `retry ${names === SYSTEM_NAMES ? 'from' : 'to'} --help lists the systems.`,
    );
  };
}

/** Adds the commands about policies, which need no server. */
export function declarePolicyCommands(frame: Frame): void {
  declarePreview(frame);
  declareLint(frame);
  declareExplain(frame);
  declareDiff(frame);
  declareFrom(frame);
  declareTo(frame);
}

function declarePreview(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'preview',
    summary: 'print the attempts of a policy: delays, times, worst case',
    examples: [
      `retry preview '{"maxAttempts":5}'`,
      'retry preview policy.json --attempt 2s --seed 7',
      `retry preview --from bullmq '{"attempts":5,"backoff":1000}'`,
    ],
  })
    .argument('<policy>', POLICY)
    .addOption(fromOption())
    .addOption(durationOption('--attempt', 'how long each attempt takes'))
    .option('--seed <number>', 'also draw the delays of one call', integerArgument(0, 2 ** 31 - 1))
    .option('--limit <attempts>', 'attempts to print', integerArgument(1, 1_000), 20)
    .option('--at <time>', 'when it begins (default: now)', instantArgument);
  perform(frame, command, async () => (await import('../policies/preview.ts')).previewAction);
}

function declareLint(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'lint',
    summary: 'report what is wrong or rarely meant in policies; exit status 1 if something is',
    examples: [
      'retry lint policy.json --traffic open',
      'retry lint policies/*.json --ignore RETRIES_EVERYTHING',
    ],
  })
    .argument('<policies...>', 'files, the JSON itself, or - for standard input')
    .option('--ignore <codes>', 'codes of warnings to leave out, with commas between')
    .addOption(
      new Option('--traffic <kind>', 'open: calls arrive by themselves; closed: callers wait').choices([
        'open',
        'closed',
      ]),
    )
    .option('--budget', 'the calls share a retry budget')
    .option('--requests <number>', 'requests that the client sends in one attempt', integerArgument(1));
  perform(frame, command, async () => (await import('../lint/lint.ts')).lintAction);
}

function declareExplain(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'explain',
    summary: 'say which rule of a policy decides about an error, and what happens next',
    examples: [`retry explain policy.json --error '{"status":503}' --attempt 2`],
  })
    .argument('<policy>', POLICY)
    .addOption(fromOption())
    .requiredOption('--error <json>', 'what was thrown: name, code, status, message, headers, cause')
    .option('--attempt <number>', 'the attempt that failed', integerArgument(1), 1)
    .addOption(durationOption('--elapsed', 'time since the beginning, for totalTimeout', 0));
  perform(frame, command, async () => (await import('../policies/explain.ts')).explainAction);
}

function declareDiff(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'diff',
    summary: 'compare two policies: options, attempts, worst case, load; exit status 1 if they differ',
    examples: [
      'retry diff before.json after.json',
      "retry diff --from bullmq '{\"attempts\":5}' --from sidekiq '{}'",
      'retry diff --from bullmq \'{"attempts":5}\' policy.json',
    ],
  })
    .argument('<before>', POLICY)
    .argument('<after>', 'the same')
    .addOption(systemOption('read the argument after it as options of this system'));
  readSystemsOf(command);
  perform(frame, command, async () => (await import('../policies/diff.ts')).diffAction);
}

/** Sets the option `systems`: which system each argument has its options of. Commander does not say what an option is before. */
function readSystemsOf(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (tokens) => {
    const parsed = parse(tokens);
    const { systems, after } = systemsBefore(tokens);
    if (after !== undefined)
      command.error(`error: no argument follows --from ${after}. Write it before the options of ${after}.`);
    command.setOptionValue('systems', systems);
    return parsed;
  };
}

function declareFrom(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'from',
    summary: "print another system's options as a policy; warnings go to standard error",
    examples: ['retry from celery options.json > policy.json'],
  })
    .addArgument(systemArgument(SYSTEM_NAMES, 'whose options they are'))
    .argument('<options>', POLICY);
  perform(frame, command, async () => (await import('../policies/from.ts')).fromAction);
}

function declareTo(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'to',
    summary: 'print a policy as options of another system; exit status 1 if these do not say all of it',
    examples: ['retry to bullmq policy.json > options.json'],
  })
    .addArgument(systemArgument(EXPORTED_NAMES, 'whose options are printed'))
    .argument('<policy>', POLICY)
    .addOption(fromOption());
  perform(frame, command, async () => (await import('../policies/to.ts')).toAction);
}
