import type { Policy } from '@retry/core';
import { isSerializable, policyToJSON } from '@retry/core';
import type { Dialect } from '@retry/core/dialects';
import { taskFrom } from '@retry/worker';
import { EXIT } from '../exit.ts';
import type { Input, Report } from '../report.ts';
import type { Screen } from '../terminal/screen.ts';
import { wrap } from '../terminal/screen.ts';
import { writeJson } from '../terminal/write-json.ts';
import { describeWaits } from './describe.ts';
import { readSystem } from './read-system.ts';

/** Converts another system's options to a policy, with its warnings. Standard output can be sent to a policy file. */
export async function fromAction({ args, environment }: Input<object>): Promise<Report> {
  const [system = '', source = ''] = args;
  const dialect = await readSystem(system, source, environment);
  const { policy, warnings } = dialect;
  const json = jsonOf(policy);
  const found = { system, policy: json, task: taskOptions(dialect), warnings };
  return {
    json: found,
    // An empty policy would be a valid one, and wrong.
    text: () => (json === null ? '' : writeJson(json)),
    exitCode: json === null ? EXIT.found : EXIT.fine,
    notes: (screen) => notesText(found, { waits: describeWaits(policy), screen }),
  };
}

/** Returns `null` for a policy that computes its delays by code of that system. */
function jsonOf(policy: Policy): unknown {
  return isSerializable(policy) ? policyToJSON(policy) : null;
}

/** Returns the options in the words of `defineTask`, besides the policy, as JSON. */
function taskOptions(dialect: Dialect): Readonly<Record<string, unknown>> {
  const { retry, ...options } = taskFrom(dialect);
  const { rateLimitRetry } = dialect.task;
  return { ...options, ...(rateLimitRetry !== undefined && { rateLimitRetry: jsonOf(rateLimitRetry) }) };
}

interface Converted {
  readonly system: string;
  readonly policy: unknown;
  readonly task: Readonly<Record<string, unknown>>;
  readonly warnings: Dialect['warnings'];
}

/** Returns `maxConcurrent: 1, onStall: "hold"`. */
function pairsOf(task: Readonly<Record<string, unknown>>): string {
  return Object.entries(task)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(', ');
}

function notesText(
  { system, policy, task, warnings }: Converted,
  { waits, screen }: { readonly waits: string; readonly screen: Screen },
): string {
  const title = `${system[0]?.toUpperCase()}${system.slice(1)}`;
  const inCode =
    policy === null
      ? [`${waits}: no JSON can say it. Use from${title}(options) of @retry/core/dialects in code.`]
      : [];
  const rest = Object.keys(task).length === 0 ? [] : [`options of the task: ${pairsOf(task)}`];
  const warned = warnings.map(
    ({ code, path, message, cure }) => `${screen.paint('warning', code)} ${path}: ${message}. ${cure}`,
  );
  return [...inCode, ...rest, ...warned].map((line) => wrap(line, screen.width, '  ')).join('\n');
}
