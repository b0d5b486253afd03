import { explain, isRetryError, NonRetryableError, type Policy } from '@retry/core';
import { type CmdxDeclaration, fromCmdx } from '@retry/core/dialects';
import type { CmdxVersion } from '@retry/core/dialects/parity';
import {
  boolean,
  either,
  expected,
  integer,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  text,
} from './case-schema.ts';
import { gateForm, readGateText, readStrategyText } from './cmdx-text.ts';
import { makeErrorClasses, type Names } from './error-classes.ts';
import { type PolicyRun, runPolicy, shownDelays } from './run-policy.ts';
import { pick, type Runner, randomOf } from './runner.ts';

type Config = Omit<CmdxDeclaration, 'exceptions' | 'jitter' | 'if' | 'unless'> & {
  readonly exceptions?: Names;
  readonly jitter?: string;
  readonly if?: string;
  readonly unless?: string;
};

interface RunCase {
  readonly config: Config;
  readonly version: CmdxVersion;
  readonly raised?: string | null;
  readonly sleeps?: readonly number[];
  readonly raised_ancestors?: readonly string[];
  readonly u?: number;
}

/** The observed behaviour of a run of a class. */
const INVOCATIONS = {
  total_invocations: either(integer, oneOf('unlimited')),
  sleeps: listOf(number),
  raised: orNull(text),
};

/** The kinds `sequence` and `eligibility`: how often it runs and how long it sleeps. */
export const sequence: Runner = {
  schema: { u: optional(number), ...expected(INVOCATIONS) },
  answer: (given: RunCase) => {
    const { run, raised } = runCase(given);
    return { total_invocations: run.executions, sleeps: sleepsOf(run, given), raised };
  },
  expected: (given: RunCase) => pick(given, ['total_invocations', 'sleeps', 'raised']),
};

export const match: Runner = {
  schema: {
    raised: text,
    raised_ancestors: listOf(text),
    ...expected({ matches: boolean, total_invocations: INVOCATIONS.total_invocations, propagated: text }),
  },
  answer: (given: RunCase) => {
    const { run, raised, policy, errorOf } = runCase(given);
    const { retries } = explain(policy, errorOf(1));
    return { matches: retries, total_invocations: run.executions, propagated: raised };
  },
  expected: (given: RunCase) => pick(given, ['matches', 'total_invocations', 'propagated']),
};

export const gate: Runner = {
  schema: {
    // The exception of each invocation; one without an exception succeeds.
    error_messages: optional(listOf(orNull(text))),
    ...expected({ ...INVOCATIONS, gate_called_with_attempts: listOf(integer) }),
  },
  answer: (given: RunCase & { readonly error_messages?: readonly (string | null)[] }) => {
    const messages = given.error_messages ?? ['x'];
    const attempts: number[] = [];
    const { run, raised } = runCase(given, {
      messageOf: (attempt) => messages[Math.min(attempt, messages.length) - 1] ?? null,
      record: (attempt) => attempts.push(attempt),
    });
    const common = {
      total_invocations: run.executions,
      sleeps: sleepsOf(run, given),
      raised: run.end === undefined ? null : raised,
    };
    return { ...common, gate_called_with_attempts: attempts };
  },
  expected: (given: RunCase) =>
    pick(given, ['total_invocations', 'sleeps', 'raised', 'gate_called_with_attempts']),
};

interface ResultCase extends RunCase {
  readonly failures_before_success?: number;
  /** `fail!` and `skip!` are not exceptions; here a NonRetryableError ends a run on purpose. */
  readonly halted_with?: string;
  readonly reason?: string | null;
}

export const result: Runner = {
  schema: {
    failures_before_success: optional(integer),
    halted_with: optional(text),
    // `execute!` raises what `execute` keeps in its result.
    strict: optional(boolean),
    ...expected({
      status: oneOf('success', 'failed', 'skipped'),
      retries: integer,
      retried: boolean,
      retried_event_attempts: listOf(integer),
      total_invocations: integer,
      reason: orNull(text),
      raised: orNull(text),
    }),
  },
  answer: (given: ResultCase) => {
    const { failures_before_success = Infinity, halted_with } = given;
    const raised = given.raised ?? 'E1';
    const { run } = runCase(
      { ...given, raised },
      { failures: failures_before_success, ...(halted_with !== undefined && { halt: halted_with }) },
    );
    const retries = run.delaysMs.length;
    return {
      status: run.end === undefined ? 'success' : 'failed',
      retries,
      retried: retries > 0,
      retried_event_attempts: run.delaysMs.map((_, index) => index + 1),
      total_invocations: run.executions,
      raised: run.end === undefined ? undefined : raised,
    };
  },
  expected: (given: ResultCase) => {
    const keys = ['retries', 'retried', 'retried_event_attempts', 'total_invocations', 'raised'];
    // A run that ends itself has its own outcome.
    return pick(given, given.halted_with === undefined ? ['status', ...keys] : keys);
  },
};

interface Hooks {
  /** `null` where the attempt succeeds. */
  readonly messageOf?: (attempt: number) => string | null;
  readonly record?: (attempt: number) => void;
  readonly failures?: number;
  readonly halt?: string;
}

/** Runs the case's policy against the error it raises; without a list of its own, that error is expected. */
function runCase(given: RunCase, hooks: Hooks = {}) {
  const { messageOf = () => 'x', failures = Infinity, halt } = hooks;
  const classOf = makeErrorClasses(given.raised_ancestors, 'ruby');
  const raised = given.raised ?? 'Boom';
  const policy = policyOf(given, { classOf, raised, ...hooks });
  const errorOf = (attempt: number): unknown => {
    if (halt !== undefined) return new NonRetryableError(halt);
    const message = messageOf(attempt);
    return attempt <= failures && message !== null ? new (classOf(raised))(message) : undefined;
  };
  const run = runPolicy(policy, { errorOf, random: randomOf(given.u) });
  // A rule that throws would end the run, too, and could not be distinguished from a refusal.
  if (run.end?.type === 'fail' && run.end.thrown !== undefined) throw thrownError(run.end.thrown);
  return { run, raised, policy, errorOf };
}

interface Raising extends Hooks {
  readonly classOf: ReturnType<typeof makeErrorClasses>;
  readonly raised: string;
}

function policyOf({ config, version }: RunCase, { classOf, raised, record = ignore }: Raising): Policy {
  const { exceptions = [raised], jitter, if: ifText, unless: unlessText, ...rest } = config;
  const described = typeof jitter === 'string' ? readStrategyText(jitter) : { declaration: {} };
  const ifGate = ifText === undefined ? true : readGateText(ifText, record);
  const unlessGate = unlessText === undefined ? false : readGateText(unlessText, record);
  const retry_on = {
    ...rest,
    exceptions: classOf.of(exceptions) as [], // Ruby flattens what the type calls flat
    ...described.declaration,
    ...(ifText !== undefined && { if: gateForm(ifText, ifGate, 'ifGate') }),
    ...(unlessText !== undefined && { unless: gateForm(unlessText, unlessGate, 'unlessGate') }),
  };
  const { task, retriers = {} } = described;
  return fromCmdx({ version, retry_on, retriers, task: { ...task, ifGate, unlessGate } }).policy;
}

function ignore(): void {}

function sleepsOf(run: PolicyRun, { sleeps }: RunCase): readonly number[] {
  const slept = { ...run, delaysMs: run.delaysMs.filter((ms) => ms > 0) };
  return shownDelays(slept, sleeps);
}

function thrownError(thrown: unknown): Error {
  return thrown instanceof Error && !isRetryError(thrown)
    ? thrown
    : new Error(`a rule threw ${String(thrown)}`);
}
