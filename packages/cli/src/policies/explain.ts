import type { Decision, Explanation, Policy, ServerDelay } from '@retry/core';
import { decide, explain, formatDuration, readServerDelay } from '@retry/core';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { CliError } from '../errors.ts';
import type { Input, Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { wrap } from '../terminal/screen.ts';
import { countOf, rangeText } from './describe.ts';
import { readPolicyFrom } from './read-system.ts';

/** The options of `retry explain`. */
interface ExplainCommandOptions {
  /** The system whose options the argument holds. */
  readonly from?: string;
  /** JSON of what was thrown. */
  readonly error: string;
  /** The attempt that failed, counted from 1. */
  readonly attempt: number;
  /** Milliseconds since the call or run began. */
  readonly elapsed: number;
}

interface Explained {
  readonly error: unknown;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly decision: Decision;
  readonly delayMs?: readonly [number, number];
  readonly explanation: Explanation;
  readonly serverDelay: ServerDelay;
}

/** The highest number that a source of randomness returns. */
const ALMOST_ONE = 1 - 2 ** -53;

/** Explains which rule of a policy decides about an error, and what happens next. */
export async function explainAction({
  args,
  options,
  environment,
}: Input<ExplainCommandOptions>): Promise<Report> {
  const policy = await readPolicyFrom(args[0] ?? '', options.from, environment);
  const found = explainError(policy, readError(options.error), { ...options, now: environment.now() });
  return { json: toJson(found), text: (screen) => toText(found, screen) };
}

/** Reads what was thrown: an object with `name`, `code`, `status`, `message`, `headers`, `cause`. */
function readError(text: string): unknown {
  try {
    const error: unknown = JSON.parse(text);
    JSON.stringify(error); // it is printed again, and what is nested deeply can be read only
    return error;
  } catch (error) {
    const cure = `Write it as JSON: --error '{"name":"TypeError","code":"ECONNRESET","status":503}'.`;
    throw new CliError(
      'WRONG_USAGE',
      `--error must be JSON, got ${JSON.stringify(text.slice(0, 80))}. ${cure}`,
      {
        cause: error,
      },
    );
  }
}

function explainError(
  policy: Policy,
  error: unknown,
  { attempt, elapsed, now }: ExplainCommandOptions & { readonly now: number },
): Explained {
  const counters = { failures: attempt };
  const [soonest, latest] = [0, ALMOST_ONE].map((drawn) =>
    decide(policy, counters, { error }, { now, random: () => drawn, startedAt: now - elapsed }),
  ) as [Decision, Decision]; // one for each number
  return {
    error,
    attempt,
    maxAttempts: allowedAttempts(settingsOf(policy)),
    decision: soonest,
    ...(soonest.type === 'retry' && {
      delayMs: [soonest.delayMs, latest.type === 'retry' ? latest.delayMs : soonest.delayMs] as const,
    }),
    explanation: explanationOf(policy, error, soonest, counters),
    serverDelay: readServerDelay(error, now),
  };
}

/** Returns the rule that decides; `explain` does not know those that need a clock. */
function explanationOf(
  policy: Policy,
  error: unknown,
  decision: Decision,
  counters: { readonly failures: number },
): Explanation {
  const found = explain(policy, error, counters);
  if (!found.retries || decision.type === 'retry') return found;
  const { reason } = decision;
  if (reason === 'retry-after') {
    const text = 'The server forbids a retry, or asks for a delay beyond retryAfter.max.';
    return { retries: false, reason, rule: 'retryAfter', text };
  }
  const text = 'The next attempt could not start within totalTimeout.';
  return { retries: false, reason, rule: 'totalTimeout', text };
}

function toJson({
  error,
  attempt,
  maxAttempts,
  decision,
  delayMs,
  explanation,
  serverDelay,
}: Explained): unknown {
  return {
    error,
    attempt,
    maxAttempts,
    retries: decision.type === 'retry',
    ...(decision.type === 'fail' && { reason: decision.reason }),
    ...(delayMs !== undefined && { delay: { minMs: delayMs[0], maxMs: delayMs[1] } }),
    ...(serverDelay.type === 'delay' && { serverDelayMs: serverDelay.delayMs }),
    rule: explanation.rule,
    text: explanation.text,
  };
}

function toText(found: Explained, screen: Screen): string {
  const { error, attempt, maxAttempts, decision, delayMs, explanation, serverDelay } = found;
  const next =
    delayMs === undefined
      ? screen.paint('bad', `it ends here (${decision.type === 'fail' ? decision.reason : ''})`)
      : screen.paint('good', `attempt ${attempt + 1} after ${rangeText(...delayMs)}`);
  const lines = [
    ['error', printable(JSON.stringify(error))],
    ['attempt', `${attempt} of ${countOf(maxAttempts)}`],
    ['next', next],
    ['rule', explanation.rule],
    ['why', explanation.text],
    ...(serverDelay.type === 'delay' ? [['server', `asks for ${formatDuration(serverDelay.delayMs)}`]] : []),
  ];
  return lines
    .map(([label = '', text = '']) => {
      const shown = label === 'next' ? text : wrap(text, screen.width - 9, ' '.repeat(9));
      return `${screen.paint('quiet', label.padEnd(7))}  ${shown}`;
    })
    .join('\n');
}
