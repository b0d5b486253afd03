import { Argument, Option } from 'commander';
import { SYSTEM_NAMES } from '../policies/system-names.ts';
import {
  addCommand,
  durationOption,
  type Frame,
  instantArgument,
  integerArgument,
  perform,
} from './declare.ts';

/** What the argument of a policy may be. */
export const POLICY = 'a file, the JSON itself, or - for standard input';

/** An option that reads the argument as the options of another system. */
function fromOption(): Option {
  return new Option('--from <system>', 'read the argument as options of this system').choices(SYSTEM_NAMES);
}

/** Adds the commands about policies, which need no server. */
export function declarePolicyCommands(frame: Frame): void {
  declarePreview(frame);
  declareLint(frame);
  declareExplain(frame);
  declareDiff(frame);
  declareFrom(frame);
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
    .option('--budget', 'the calls share a retry budget');
  perform(frame, command, async () => (await import('../lint/lint.ts')).lintAction);
}

function declareExplain(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'explain',
    summary: 'say which rule of a policy decides about an error, and what happens next',
    examples: [`retry explain policy.json --error '{"status":503}' --attempt 2`],
  })
    .argument('<policy>', POLICY)
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
      "retry diff --from bullmq '{}' '{}' --after-from sidekiq",
    ],
  })
    .argument('<before>', POLICY)
    .argument('<after>', 'the same')
    .addOption(fromOption())
    .addOption(
      new Option('--after-from <system>', 'read the second one as options of this system').choices(
        SYSTEM_NAMES,
      ),
    );
  perform(frame, command, async () => (await import('../policies/diff.ts')).diffAction);
}

function declareFrom(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'from',
    summary: "print another system's options as a policy; warnings go to standard error",
    examples: ['retry from celery options.json > policy.json'],
  })
    .addArgument(new Argument('<system>', 'whose options they are').choices(SYSTEM_NAMES))
    .argument('<options>', POLICY);
  perform(frame, command, async () => (await import('../policies/from.ts')).fromAction);
}
