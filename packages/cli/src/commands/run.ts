import type { Command } from 'commander';
import { Option } from 'commander';
import { exitCodesArgument } from '../run/exit-codes.ts';
import { durationOption, integerArgument } from './arguments.ts';
import { addCommand, type Frame, perform } from './declare.ts';

const BACKOFFS = ['none', 'constant', 'linear', 'exponential', 'fibonacci', 'decorrelated'];
const JITTERS = ['none', 'full', 'equal'];

/** Adds the command that runs another program under a policy. */
export function declareRun(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'run',
    summary: 'run any command until it succeeds or a policy ends it',
    examples: [
      'retry run -- npm ci',
      'retry run --attempts 5 --timeout 30s --on-exit 7,28 -- curl -fsS https://example.com',
      'retry run --policy policy.json -- ./deploy.sh',
    ],
  })
    .argument('<command...>', 'the command and its arguments')
    .passThroughOptions();
  addPolicyOptions(command)
    .option('--policy <policy>', 'a policy, which the options above change')
    .addOption(durationOption('--kill-after', 'from SIGTERM to SIGKILL, after a timeout', 10_000))
    .option('--foreground', 'leave the command in the foreground of the terminal: it may ask for a password')
    .option('--quiet', 'print nothing of its own');
  perform(frame, command, async () => (await import('../run/run.ts')).runAction);
}

function addPolicyOptions(command: Command): Command {
  return command
    .option('--attempts <number>', 'executions in all (default: 3)', integerArgument(1))
    .addOption(new Option('--backoff <type>', 'how waits grow (default: exponential)').choices(BACKOFFS))
    .addOption(durationOption('--base', 'the first wait (default: 1s)'))
    .addOption(durationOption('--max-delay', 'the longest wait (default: 1m)'))
    .addOption(new Option('--jitter <kind>', 'how waits are spread (default: full)').choices(JITTERS))
    .option(
      '--on-exit <codes>',
      'retry these statuses and signals only: 1,7,64-78,SIGKILL',
      exitCodesArgument,
    )
    .option('--stop-on-exit <codes>', 'never retry these', exitCodesArgument)
    .addOption(durationOption('--timeout', 'the longest time of one attempt'))
    .addOption(durationOption('--total', 'the longest time of all attempts and waits'));
}
