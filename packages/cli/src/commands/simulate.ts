import { InvalidArgumentError } from 'commander';
import { durationOption, integerArgument, rateArgument } from './arguments.ts';
import { addCommand, type Frame, perform } from './declare.ts';
import { POLICY } from './policies.ts';

/** Adds the command that shows what a policy does to a dependency in trouble. */
export function declareSimulate(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'simulate',
    summary: 'show whether a dependency recovers under a policy; exit status 1 if it stays down',
    examples: [
      'retry simulate policy.json --arrivals 100/s --capacity 200/s --outage 30s',
      'retry simulate policy.json --clients 1000 --capacity 200/s --brown-out 1m --budget ratio:0.1',
    ],
  })
    .argument('<policy>', POLICY)
    .requiredOption('--capacity <rate>', 'requests that it can serve: 2000/s', rateArgument)
    .option('--arrivals <rate>', 'calls that arrive by themselves (default: half the capacity)', rateArgument)
    .option('--clients <number>', 'instead: clients that wait for their answers', integerArgument(1))
    .addOption(
      durationOption('--pause', 'mean time before each call of a client (default: half the capacity)'),
    )
    .addOption(durationOption('--outage', 'how long it answers nothing (default: 30s)'))
    .addOption(durationOption('--brown-out', 'instead: how long it has half of its capacity'))
    .addOption(durationOption('--latency', 'what a request takes besides its turn', 0))
    .addOption(durationOption('--queue', 'a request that would wait longer is refused', 1_000))
    .addOption(durationOption('--timeout', 'the longest time of one attempt'))
    .option('--layers <number>', 'services in a row that all retry', integerArgument(1, 5), 1)
    .option('--budget <budget>', 'a retry budget that all share: ratio:0.1', budgetArgument)
    .option('--seed <number>', 'the same seed prints the same', integerArgument(0), 1)
    .option('--runs <number>', 'how many seeds are run', integerArgument(30, 10_000), 30);
  perform(frame, command, async () => (await import('../simulate/simulate.ts')).simulateAction);
}

/** The option of each kind of budget that its number is. */
const BUDGET_KEYS = { ratio: 'ratio', 'token-bucket': 'capacity', throttle: 'maxTokens' } as const;

/** Reads a retry budget: `ratio:0.1`, `token-bucket:500`, `throttle:10`, or all of its options as JSON. */
function budgetArgument(text: string): object {
  if (text.startsWith('{')) return readJson(text);
  const [, kind = '', number] = /^([a-z-]+)(?::(\d*\.?\d+))?$/.exec(text) ?? [];
  for (const [type, key] of Object.entries(BUDGET_KEYS)) {
    if (type === kind) return { type, ...(number !== undefined && { [key]: Number(number) }) };
  }
  throw new InvalidArgumentError('Write ratio:0.1, token-bucket:500, throttle:10, or its options as JSON.');
}

function readJson(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Write ratio:0.1, or JSON such as {"type":"ratio","ratio":0.1}.');
  }
}
